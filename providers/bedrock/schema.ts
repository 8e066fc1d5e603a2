import { isJson, type Json } from "#contract";

const same = (value: unknown): unknown => value;
const closed = (value: unknown): unknown => (isJson(value) ? closedSchema(value) : value);
const each = (value: unknown): unknown => (Array.isArray(value) ? value.map(closed) : value);
const named = (value: unknown): unknown =>
  isJson(value) ? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, closed(schema)])) : value;

/** Keywords of Bedrock's structured output, and how their value is carried over. What is not here is refused by it. */
const KEYWORDS = new Map<string, (value: unknown) => unknown>([
  ...["type", "title", "description", "default", "enum", "const", "required", "$ref"].map((plain) => [plain, same] as const),
  ...["properties", "$defs", "definitions"].map((members) => [members, named] as const),
  ...["anyOf", "oneOf", "allOf"].map((several) => [several, each] as const),
  ["items", closed],
]);
const FORMATS = new Set(["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]);
/** Said anew below, or without meaning for the model. */
const SILENT = new Set(["additionalProperties", "$schema", "$id", "strict"]);

/**
 * A JSON Schema as structured output takes it: objects are closed, and what is refused (ranges, patterns, other
 * formats) is told to the model in the description.
 */
export function closedSchema(schema: Json): Json {
  const out: Json = {};
  const told: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const carry = keyword === "format" && FORMATS.has(String(value)) ? same : KEYWORDS.get(keyword);
    if (carry) out[keyword === "oneOf" ? "anyOf" : keyword] = carry(value);
    else if (!SILENT.has(keyword)) told.push(`${keyword}: ${JSON.stringify(value)}`);
  }
  if (schema.type === "object" || isJson(schema.properties)) out.additionalProperties = false;
  if (told.length > 0) out.description = [schema.description, `(${told.join(", ")})`].filter(Boolean).join(" ");
  return out;
}
