import { isJson, type Json } from "#contract";

const FORMATS = new Set(["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]);

const same = (value: unknown): unknown => value;
const schema = (value: unknown): unknown => (isJson(value) ? closedSchema(value) : value);
const list = (value: unknown): unknown => (Array.isArray(value) ? value.map(schema) : value);
const named = (value: unknown): unknown =>
  isJson(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, schema(member)])) : value;

/** Keywords that structured output accepts: what they are called there, and how their value is carried over. */
const KEYWORDS: Readonly<Record<string, readonly [string, (value: unknown) => unknown]>> = {
  type: ["type", same],
  title: ["title", same],
  description: ["description", same],
  default: ["default", same],
  enum: ["enum", same],
  const: ["const", same],
  required: ["required", same],
  $ref: ["$ref", same],
  properties: ["properties", named],
  $defs: ["$defs", named],
  definitions: ["definitions", named],
  items: ["items", schema],
  anyOf: ["anyOf", list],
  oneOf: ["anyOf", list],
  allOf: ["allOf", list],
};
/** Said by every object below, or without meaning for the model. */
const SILENT = new Set(["additionalProperties", "$schema", "$id", "strict"]);

/**
 * A JSON Schema as structured output takes it: objects are closed, and what the wire refuses (ranges, patterns,
 * other formats) is told to the model in the description.
 */
export function closedSchema(from: Json): Json {
  const out: Json = {};
  const constraints: string[] = [];
  for (const [keyword, value] of Object.entries(from)) {
    const rule = ruleOf(keyword, value);
    if (rule) out[rule[0]] = rule[1](value);
    else if (!SILENT.has(keyword)) constraints.push(`${keyword}: ${JSON.stringify(value)}`);
  }
  if (from.type === "object" || isJson(from.properties)) out.additionalProperties = false;
  if (constraints.length > 0) out.description = [from.description, `(${constraints.join(", ")})`].filter(Boolean).join(" ");
  return out;
}
function ruleOf(keyword: string, value: unknown) {
  if (keyword === "format") return FORMATS.has(String(value)) ? (["format", same] as const) : undefined;
  return Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
}
