import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { GatewayError, isJson } from "#contract";
import { lowered } from "../json/shape.ts";
import type { Accept } from "./body.ts";

/** Throws the first fault of a body. */
export function bodyCheck(schema: TSchema): Accept {
  const check = TypeCompiler.Compile(schema);
  return (body) => {
    if (check.Check(body)) return;
    const problem = firstFault(schema, body);
    const member = (problem?.path ?? "/").slice(1).replaceAll("/", ".");
    throw new GatewayError(
      "REQUEST_INVALID",
      { what: `The member ${member || "(body)"} is not valid: ${problem ? lowered(problem.message) : "not of the documented shape"}.` },
      { param: member },
    );
  };
}

/** Where a value is not what its schema says, and what that says. */
export interface Fault {
  /** `/messages/3/role` */
  readonly path: string;
  readonly message: string;
}

/**
 * The first fault of a value that its schema refuses. The schema library tells faults by walking everything that comes
 * before one, a hundred times slower than its compiled checks say yes or no: those find the member that is wrong.
 */
export function firstFault(schema: TSchema, value: unknown, path = ""): Fault | undefined {
  const wrong = wrongMember(schema, value);
  if (wrong) return firstFault(wrong.schema, wrong.value, `${path}/${wrong.name}`);
  const variants = variantsOf(schema);
  const [only] = variants;
  if (only && variants.length === 1) return firstFault(only, value, path);
  if (variants.length > 1) return { path, message: `Expected ${[...new Set(variants.map(kindOf))].join(" or ")}` };
  const error = Value.Errors(schema, value).First();
  return error && { path: path + error.path, message: WORDS[error.message] ?? error.message };
}
const WORDS: Readonly<Record<string, string>> = { "Expected required property": "It is missing" };

/** Those of a union, but for null: whoever sent something did not mean that. */
const variantsOf = ({ anyOf }: TSchema): readonly TSchema[] =>
  Array.isArray(anyOf) ? (anyOf as readonly TSchema[]).filter(({ type }) => type !== "null") : [];
const kindOf = (schema: TSchema): string =>
  "const" in schema ? JSON.stringify(schema["const"]) : (KINDS[String(schema["type"])] ?? String(schema["type"] ?? "another value"));
const KINDS: Readonly<Record<string, string>> = {
  array: "a list",
  object: "an object",
  string: "a text",
  number: "a number",
  integer: "a whole number",
};

interface Member {
  readonly name: string | number;
  readonly schema: TSchema;
  readonly value: unknown;
}
/** The member or item that is wrong; undefined when something is wrong with the whole, which is said first. */
function wrongMember(schema: TSchema, value: unknown): Member | undefined {
  if (Array.isArray(value) && isJson(schema["items"])) return wrongItem(schema, schema["items"] as TSchema, value);
  if (!isJson(value) || !isJson(schema["properties"]) || isJson(schema["additionalProperties"])) return undefined;
  const { properties, required = [] } = schema as Partial<Parts>;
  if (required.some((name) => !Object.hasOwn(value, name)) || isClosed(schema)) return undefined;
  const found = Object.entries(properties ?? {}).find(([name, inner]) => Object.hasOwn(value, name) && refuses(inner, value[name]));
  return found && { name: found[0], schema: found[1], value: value[found[0]] };
}
interface Parts {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required: readonly string[];
}
/** It says itself how many or which members there may be. */
const isClosed = (schema: TSchema): boolean =>
  schema["additionalProperties"] === false || "minProperties" in schema || "maxProperties" in schema;

function wrongItem(
  { minItems = 0, maxItems = Number.POSITIVE_INFINITY }: TSchema,
  items: TSchema,
  list: readonly unknown[],
): Member | undefined {
  if (list.length < Number(minItems) || list.length > Number(maxItems)) return undefined;
  const at = list.findIndex((item) => refuses(items, item));
  return at < 0 ? undefined : { name: at, schema: items, value: list[at] };
}

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();
function refuses(schema: TSchema, value: unknown): boolean {
  const check = compiled.get(schema) ?? TypeCompiler.Compile(schema);
  compiled.set(schema, check);
  return !check.Check(value);
}
