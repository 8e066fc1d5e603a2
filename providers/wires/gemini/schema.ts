import { GatewayError, isJson, type Json } from "#contract";
import { enumOf } from "./enum.ts";

/** What is remembered while one schema is cleaned. */
interface Cleaning {
  readonly root: Json;
  /** References being followed: one that comes again is recursive. */
  readonly following: Set<string>;
  nodes: number;
}
const MAX_NODES = 10_000;
const MAX_FOLLOWING = 64;

/** Keywords of the wire's schema that hold plain values; what is neither here nor below is refused by it. */
const PLAIN: ReadonlySet<string> = new Set([
  "title",
  "description",
  "nullable",
  "enum",
  "required",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
  "pattern",
  "example",
  "default",
  "propertyOrdering",
  "format",
]);

type Rule = (value: unknown, at: Cleaning) => Json;
const RULES: Readonly<Record<string, Rule>> = {
  type: (type) => (Array.isArray(type) ? severalTypes(type) : { type }),
  const: (value) => ({ enum: [value] }),
  properties: (members, at) => ({ properties: named(members, at) }),
  items: (items, at) => ({ items: isJson(items) ? clean(items, at) : {} }),
  anyOf: alternatives,
  oneOf: alternatives,
  allOf: (all, at) =>
    Array.isArray(all)
      ? all
          .filter(isJson)
          .map((inner) => clean(inner, at))
          .reduce(both, {})
      : {},
};

/** A JSON Schema as Gemini takes it: references put in place, `null` as `nullable`, unknown keywords left out. */
export const geminiSchema = (schema: Json): Json => clean(schema, { root: schema, following: new Set(), nodes: 0 });

function clean(schema: Json, at: Cleaning): Json {
  const isHuge = ++at.nodes > MAX_NODES || at.following.size > MAX_FOLLOWING; // references can multiply without end
  if (isHuge) throw new GatewayError("REQUEST_INVALID", { what: "A schema is too large once its references are put in place." });
  if (typeof schema.$ref === "string") return followed(schema.$ref, schema, at);
  return withEnum(
    Object.entries(schema)
      .map((member) => keyword(member, at))
      .reduce(both, {}),
  );
}

function keyword([name, value]: [string, unknown], at: Cleaning): Json {
  if (PLAIN.has(name)) return { [name]: value };
  return Object.hasOwn(RULES, name) ? (RULES[name]?.(value, at) ?? {}) : {};
}

/** The schema a reference names, in its place; where it names a schema it stands in, an object of any form. */
function followed(ref: string, { $ref: _ref, ...beside }: Json, at: Cleaning): Json {
  const found = at.following.has(ref) ? undefined : pointed(ref, at.root);
  if (!found) return { type: "object", ...clean(beside, at) };
  at.following.add(ref);
  const schema = clean({ ...found, ...beside }, at);
  at.following.delete(ref);
  return schema;
}
/** `#/$defs/Step` -> that part of the schema. */
function pointed(ref: string, root: Json): Json | undefined {
  const keys = ref
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = keys.reduce<unknown>((holder, key) => (isJson(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined), root);
  return ref.startsWith("#") && isJson(found) ? found : undefined;
}

function named(members: unknown, at: Cleaning): Json {
  if (!isJson(members)) return {};
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, isJson(member) ? clean(member, at) : {}]));
}

function alternatives(value: unknown, at: Cleaning): Json {
  const all = Array.isArray(value) ? value.filter(isJson) : [];
  const rest = all.filter(({ type }) => type !== "null").map((inner) => clean(inner, at));
  const nullable = rest.length < all.length ? { nullable: true } : {};
  return rest.length === 1 ? { ...rest[0], ...nullable } : { anyOf: rest, ...nullable };
}
/** Two schemas that hold together. */
function both(one: Json, other: Json): Json {
  const required = [one.required, other.required].flatMap((names) => (Array.isArray(names) ? names : []));
  const properties = { ...(isJson(one.properties) && one.properties), ...(isJson(other.properties) && other.properties) };
  const hasMembers = isJson(one.properties) || isJson(other.properties);
  return { ...one, ...other, ...(required.length > 0 && { required }), ...(hasMembers && { properties }) };
}
function severalTypes(types: readonly unknown[]): Json {
  const rest = types.filter((type) => type !== "null");
  const nullable = rest.length < types.length ? { nullable: true } : {};
  return rest.length === 1 ? { type: rest[0], ...nullable } : { anyOf: rest.map((type) => ({ type })), ...nullable };
}

/** The wire knows few formats. */
function withEnum(schema: Json): Json {
  const { enum: values, format, ...rest } = schema;
  const kept = typeof format === "string" && FORMATS.has(format) ? { format } : {};
  return Array.isArray(values) ? { ...enumOf(rest, values), ...kept } : { ...rest, ...kept };
}
const FORMATS = new Set(["date-time", "int32", "int64", "float", "double"]);
