import type { TSchema } from "@sinclair/typebox";
import { isJson, type Json } from "#contract";

/** Fills a schema's defaults into a value; the value given stays as it was, and what has none is not copied. */
export type Defaulter = (value: unknown) => unknown;

/**
 * Made once for each schema: what has no defaults is never walked, and what has is walked once. The work is linear in
 * the size of the value. A schema that holds itself gets none of its inner defaults.
 */
export function defaulter(schema: TSchema): Defaulter {
  return made(schema) ?? unchanged;
}
const unchanged: Defaulter = (value) => value;

/** `undefined` when there is nothing to fill in, at any depth. */
function made(schema: TSchema): Defaulter | undefined {
  const inner = innerOf(schema);
  const own: unknown = schema["default"];
  if (own === undefined) return inner;
  return (value) => {
    const given = value === undefined ? structuredClone(own) : value;
    return inner ? inner(given) : given;
  };
}

function innerOf(schema: TSchema): Defaulter | undefined {
  if (Array.isArray(schema["anyOf"])) return ofUnion(schema["anyOf"] as readonly TSchema[]); // a union's variants are schemas
  if (isJson(schema["properties"])) return ofObject(schema["properties"] as Readonly<Record<string, TSchema>>);
  if (isJson(schema["patternProperties"])) return ofRecord(Object.values(schema["patternProperties"])[0] as TSchema);
  if (schema["type"] === "array" && isJson(schema["items"])) return ofArray(schema["items"] as TSchema);
  return undefined;
}

function ofObject(properties: Readonly<Record<string, TSchema>>): Defaulter | undefined {
  const members = Object.entries(properties).flatMap(([name, schema]) => {
    const fill = made(schema);
    return fill ? [{ name, fill }] : [];
  });
  if (members.length === 0) return undefined;
  return (value) => {
    if (!isJson(value)) return value;
    let filled: Json | undefined;
    for (const { name, fill } of members) {
      const before = Object.hasOwn(value, name) ? value[name] : undefined;
      const after = fill(before);
      if (after !== before) (filled ??= { ...value })[name] = after;
    }
    return filled ?? value;
  };
}

const ofRecord = (schema: TSchema): Defaulter | undefined => {
  const fill = made(schema);
  return (
    fill && ((value) => (isJson(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member)])) : value))
  );
};

const ofArray = (schema: TSchema): Defaulter | undefined => {
  const fill = made(schema);
  return fill && ((value) => (Array.isArray(value) ? value.map(fill) : value));
};

/** The one variant that a value of this kind can be: where several could, none is tried out on it. */
function ofUnion(variants: readonly TSchema[]): Defaulter | undefined {
  const fills = variants.map((schema) => ({ schema, fill: made(schema) }));
  if (fills.every(({ fill }) => fill === undefined)) return undefined;
  return (value) => {
    const fitting = fills.filter(({ schema }) => canBe(schema, value));
    return fitting.length === 1 ? (fitting[0]?.fill ?? unchanged)(value) : value;
  };
}

function canBe(schema: TSchema, value: unknown): boolean {
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const wanted: unknown = schema["type"];
  if (wanted !== undefined && wanted !== kind && !(wanted === "integer" && kind === "number")) return false;
  return !isJson(value) || literalsFit(schema, value);
}
/** Objects that differ by a word: `{kind: "a", …}` is not `{kind: "b", …}`. */
const literalsFit = (schema: TSchema, value: Json): boolean =>
  Object.entries(isJson(schema["properties"]) ? schema["properties"] : {}).every(
    ([name, member]) => !isJson(member) || !("const" in member) || value[name] === undefined || value[name] === member["const"],
  );
