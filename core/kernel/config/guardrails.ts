import { type TSchema, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { type Check, GuardrailCheck, InlineActions, isJson, type Json, SHORTHAND_MEMBERS, type Side } from "#contract";
import { type Finding, idle, type Level, type Named } from "./level.ts";
import { firstProblem } from "../../json/shape.ts";

/** What is known of a check: sentences about parameters that nothing would obey. */
export type KnownChecks = ReadonlyMap<string, { readonly check: Pick<Check, "on">; idle(parameters: unknown): readonly string[] }>;

/** Members that hold guardrails, and which side each of them judges. */
const LISTS: Readonly<Record<string, Side>> = {
  input_guardrails: "input",
  output_guardrails: "output",
  input_mutators: "input",
  output_mutators: "output",
  before_request_hooks: "input",
  after_request_hooks: "output",
};

/** Members of a level's inline guardrails that nothing obeys: actions, checks, and parameters of checks. */
export function* guardrailFindings(level: Level, checks: KnownChecks): Generator<Finding> {
  for (const found of inlineGuardrails(level)) yield* inlineFindings(found, checks);
}

/** Which checks a level's inline guardrails name, and where. */
export function* checksNamed(level: Level): Generator<Named> {
  for (const { inline, at } of inlineGuardrails(level))
    for (const { at: place, id, whole } of entriesOf(inline, at)) yield { at: whole === undefined ? place : `${place}.id`, name: id };
}

interface InlineGuardrail {
  readonly inline: Json;
  readonly at: string;
  readonly side: Side;
}
function* inlineGuardrails({ at, is }: Level): Generator<InlineGuardrail> {
  for (const [list, side] of Object.entries(LISTS)) {
    const entries: readonly unknown[] = Array.isArray(is[list]) ? is[list] : [];
    for (let i = 0; i < entries.length; i += 1) {
      const inline = entries[i];
      if (isJson(inline)) yield { inline, at: `${at}.${list}[${i}]`, side };
    }
  }
}

const MAX_CHECKS = 100;

function* inlineFindings({ inline, at, side }: InlineGuardrail, checks: KnownChecks): Generator<Finding> {
  const entries = entriesOf(inline, at);
  if (entries.length === 0) return yield idle(at, "names no check");
  if (entries.length > MAX_CHECKS) return yield idle(at, `has ${entries.length} checks, at most ${MAX_CHECKS} are allowed`);
  yield* actionFindings(inline, at);
  for (const entry of entries) {
    yield* entryFindings(entry, checks);
    const sides = checks.get(entry.id)?.check.on ?? [side];
    if (!sides.includes(side)) yield idle(entry.at, `judges nothing there: the check runs on the ${sides.join(" and ")} side`);
  }
}

/** A check inside an inline guardrail. */
interface Entry {
  readonly at: string;
  readonly id: string;
  readonly parameters: unknown;
  /** What stands beside its parameters, to be judged as a saved check is; absent in the shorthand. */
  readonly whole?: unknown;
}

const entriesOf = (inline: Json, at: string): readonly Entry[] =>
  Array.isArray(inline["checks"]) ? hookEntries(inline["checks"], at) : shorthandEntries(inline, at);

const hookEntries = (written: readonly unknown[], at: string): readonly Entry[] =>
  written.map((whole, i) => {
    const { id, parameters = {} } = isJson(whole) ? whole : {};
    return { at: `${at}.checks[${i}]`, id: String(id), parameters, whole };
  });

const shorthandEntries = (inline: Json, at: string): readonly Entry[] =>
  Object.entries(inline)
    .filter(([name]) => !SHORTHAND_MEMBERS.has(name))
    .map(([name, value]) => {
      if (!isJson(value)) return { at: `${at}.${name}`, id: name, parameters: value };
      const { id, is_enabled: _, ...parameters } = value;
      return { at: `${at}.${name}`, id: typeof id === "string" ? id : name, parameters };
    });

function* entryFindings({ at, id, parameters, whole }: Entry, checks: KnownChecks): Generator<Finding> {
  if (whole !== undefined) yield* shapeFindings(CHECK, whole, at);
  if (!isJson(parameters)) yield idle(at, "and its parameters must be objects");
  else for (const why of checks.get(id)?.idle(parameters) ?? []) yield idle(`${at}.parameters`, why);
}

/** Of the shorthand, what is left when the checks are taken out; of the hook form, everything but `checks`. */
function* actionFindings(inline: Json, at: string): Generator<Finding> {
  const hook = Array.isArray(inline["checks"]);
  const actions = Object.entries(inline).filter(([name]) => (hook ? name !== "checks" : SHORTHAND_MEMBERS.has(name)));
  yield* shapeFindings(ACTIONS, Object.fromEntries(actions), at);
}

const shape = (schema: TSchema) => ({ schema, check: TypeCompiler.Compile(schema) });
const ACTIONS = shape(InlineActions);
const CHECK = shape(
  Type.Object({ ...GuardrailCheck.properties, parameters: Type.Optional(Type.Unknown()) }, { additionalProperties: false }),
);

function* shapeFindings({ schema, check }: ReturnType<typeof shape>, value: unknown, at: string): Generator<Finding> {
  if (check.Check(value)) return;
  const { path = "", why = "it is not of the documented shape" } = firstProblem(schema, value) ?? {};
  yield idle(path === "" || path === "(root)" ? at : `${at}.${path}`, `is not obeyed as it stands: ${why}`);
}
