import { isJson, type Json } from "#contract";

/** What Google writes into a schema and JSON Schema does not know, or only orders. */
const LEFT_OUT: ReadonlySet<string> = new Set(["nullable", "propertyOrdering", "property_ordering", "example"]);
/** Members that are schemas, lists of them, and schemas by name. */
const BELOW = new Set(["items", "additionalProperties"]);
const LISTS: Readonly<Record<string, string>> = { anyOf: "anyOf", any_of: "anyOf", prefixItems: "prefixItems" };
const BY_NAME = new Set(["properties", "$defs", "defs"]);
/** 64-bit numbers are texts on this wire. */
const BOUNDS = new Set(["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]);

/** Google's schema (types in capitals, `nullable`) as a JSON Schema. */
export function jsonSchema(schema: Json): Json {
  const members = Object.entries(schema).filter(([name]) => !LEFT_OUT.has(name));
  const plain = Object.fromEntries(members.map(([name, value]) => [LISTS[name] ?? name, memberOf(name, value)]));
  return schema.nullable === true ? withNull(plain) : plain;
}
function memberOf(name: string, value: unknown): unknown {
  if (name === "type") return typeof value === "string" ? value.toLowerCase() : value;
  if (BELOW.has(name)) return isJson(value) ? jsonSchema(value) : value;
  if (name in LISTS) return Array.isArray(value) ? value.map((item: unknown) => (isJson(item) ? jsonSchema(item) : item)) : value;
  if (BY_NAME.has(name) && isJson(value))
    return Object.fromEntries(Object.entries(value).map(([key, below]) => [key, isJson(below) ? jsonSchema(below) : below]));
  return BOUNDS.has(name) && typeof value === "string" ? Number(value) : value;
}
function withNull(schema: Json): Json {
  const { type, enum: values } = schema;
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
  return { ...schema, type: [type, "null"], ...(Array.isArray(values) && { enum: [...values, null] }) };
}
