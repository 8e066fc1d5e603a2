import { type Static, Type } from "@sinclair/typebox";
import { type Json, defineCheck } from "#contract";
import { decided } from "../text.ts";
import { type OfferedTool, toolsOf } from "../tools.ts";

const Names = (description: string) => Type.Optional(Type.Array(Type.String({ maxLength: 500 }), { maxItems: 1_000, description }));
const Primitive = Type.Union([Type.String({ maxLength: 10_000 }), Type.Number(), Type.Boolean(), Type.Null()]);
const Values = (description: string) => Type.Optional(Type.Array(Primitive, { maxItems: 1_000, description }));

const Params = Type.Object({
  tools: Type.Optional(
    Type.Object(
      {
        blockedTypes: Names(
          "Types of tools that may not be offered, such as `web_search`. A function of the client's own is of type `function`.",
        ),
        allowedTypes: Names("The only types of tools that may be offered; all where it is empty or left out."),
        blockedFunctionNames: Names(
          "Names of tools that may not be offered: a function's name, or the name that a tool of a vendor's goes by.",
        ),
        allowedFunctionNames: Names("The only names of tools that may be offered; all where it is empty or left out."),
      },
      {
        description:
          "What tools a request may offer its model, in the form of chat, messages, responses or Gemini. A tool has to satisfy all four lists; what is both blocked and allowed is refused when the guardrail is saved.",
      },
    ),
  ),
  params: Type.Optional(
    Type.Object(
      {
        blockedKeys: Names("Members that a request may not have, such as `logprobs`."),
        allowedKeys: Names("The only members that it may have, `model` and `messages` among them; all where it is empty or left out."),
        values: Type.Optional(
          Type.Record(
            Type.String({ maxLength: 500 }),
            Type.Object(
              {
                blockedValues: Values("Values that the member may not have."),
                allowedValues: Values("The only values that it may have; all where it is empty or left out."),
              },
              { description: "Values of the member of this name. A request without the member passes." },
            ),
            {
              maxProperties: 200,
              description:
                'What values members may have, by the member\'s name: `{"temperature": {"allowedValues": [0, 1]}}`. Texts, numbers, true, false and null are compared as they are, so 1 is not "1".',
            },
          ),
        ),
      },
      { description: "What members a request's body may have at its top, in any dialect; what stands inside them is not looked at." },
    ),
  ),
});
type Given = Static<typeof Params>;

export default defineCheck({
  id: "default.requestParametersCheck",
  title: "The request's tools and parameters are allowed",
  on: ["input"],
  wants: [],
  params: Params,
  problems: contradictions,
  run({ call: { request }, params }) {
    const flagged = [...flaggedTools(request ?? {}, params.tools ?? {}), ...flaggedMembers(request ?? {}, params.params ?? {})];
    const verdict = flagged.length === 0;
    const [first] = flagged;
    const explanation = first
      ? `${flagged.length} of the request's tools and parameters are not allowed; the first is ${first.what} (${first.reason}).`
      : "The request's tools and parameters are allowed.";
    return decided(verdict, { verdict, flagged: flagged.slice(0, MAX_SHOWN), explanation });
  },
});
const MAX_SHOWN = 50;

interface Flagged {
  readonly what: string;
  readonly reason: string;
}
const shown = (text: string): string => text.slice(0, 100);

/* ── blocked, or not among those that are allowed ────────────────────────────────────────────────────────────── */

type Listed<T> = readonly T[] | undefined;
/** What is wrong with a value, by two lists; an empty list allows everything. */
function faultOf<T>(value: T, blocked: ReadonlySet<T>, allowed: ReadonlySet<T>): "blocked" | "not_allowed" | undefined {
  if (blocked.has(value)) return "blocked";
  return allowed.size > 0 && !allowed.has(value) ? "not_allowed" : undefined;
}
const setOf = <T>(list: Listed<T>): ReadonlySet<T> => new Set(list);

function flaggedTools(body: Json, given: NonNullable<Given["tools"]>): readonly Flagged[] {
  const types = [setOf(given.blockedTypes), setOf(given.allowedTypes)] as const;
  const names = [setOf(given.blockedFunctionNames), setOf(given.allowedFunctionNames)] as const;
  return toolsOf(body).flatMap(({ type, name }: OfferedTool) => {
    const [ofType, ofName] = [faultOf(type, ...types), faultOf(name, ...names)];
    if (ofType) return [{ what: `the tool ${shown(name)} of type ${shown(type)}`, reason: `type_${ofType}` }];
    return ofName ? [{ what: `the tool ${shown(name)}`, reason: `name_${ofName}` }] : [];
  });
}

function flaggedMembers(body: Json, { blockedKeys, allowedKeys, values = {} }: NonNullable<Given["params"]>): readonly Flagged[] {
  const lists = [setOf(blockedKeys), setOf(allowedKeys)] as const;
  const members = Object.keys(body).flatMap((key) => {
    const fault = faultOf(key, ...lists);
    return fault ? [{ what: `the parameter ${shown(key)}`, reason: `key_${fault}` }] : [];
  });
  const held = Object.entries(values).flatMap(([key, { blockedValues, allowedValues }]) => {
    const fault = Object.hasOwn(body, key)
      ? faultOf<unknown>(body[key], setOf<unknown>(blockedValues), setOf<unknown>(allowedValues))
      : undefined;
    return fault ? [{ what: `the value of ${shown(key)}`, reason: `value_${fault}` }] : [];
  });
  return [...members, ...held];
}

/* ── what contradicts itself ─────────────────────────────────────────────────────────────────────────────────── */

function contradictions({ tools = {}, params = {} }: Given): readonly string[] {
  return [
    ...both("types", tools.blockedTypes, tools.allowedTypes),
    ...both("function names", tools.blockedFunctionNames, tools.allowedFunctionNames),
    ...both("keys", params.blockedKeys, params.allowedKeys),
    ...Object.entries(params.values ?? {}).flatMap(([key, { blockedValues, allowedValues }]) =>
      both(`values of ${key}`, blockedValues, allowedValues),
    ),
  ];
}
function both(what: string, blocked: Listed<unknown>, allowed: Listed<unknown>): readonly string[] {
  const listed = setOf(allowed);
  return (blocked ?? [])
    .filter((entry) => listed.has(entry))
    .map((entry) => `Of the ${what}, ${JSON.stringify(entry)} is both blocked and allowed.`);
}
