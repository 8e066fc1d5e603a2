import type { Json } from "#contract";

/**
 * The values a schema allows, as the wire takes them: its `enum` knows texts only. Numbers are told by their range and
 * in words, so that the model answers with numbers; `null` among the values means nullable.
 */
export function enumOf(schema: Json, values: readonly unknown[]): Json {
  const { description, type: schemaType, anyOf: _anyOf, ...rest } = schema;
  const nullable = values.includes(null) ? { nullable: true } : {};
  const kinds = [textsOf(values), numbersOf(values, schemaType), booleansOf(values)].filter((kind) => kind !== undefined);
  const [only] = kinds;
  if (kinds.length > 1) return { ...rest, ...(description !== undefined && { description }), anyOf: kinds, ...nullable };
  return { ...schema, ...only, ...described(description, only?.description), ...nullable };
}
function described(own: unknown, values: unknown): Json {
  const description = [own, values].filter(Boolean).join(" ");
  return description === "" ? {} : { description };
}

function textsOf(values: readonly unknown[]): Json | undefined {
  const texts = values.filter((value) => typeof value === "string");
  return texts.length === 0 ? undefined : { type: "string", enum: texts };
}
function numbersOf(values: readonly unknown[], schemaType: unknown): Json | undefined {
  const numbers = values.filter((value) => typeof value === "number");
  if (numbers.length === 0) return undefined;
  const type = schemaType === "number" || !numbers.every(Number.isInteger) ? "number" : "integer";
  return { type, minimum: Math.min(...numbers), maximum: Math.max(...numbers), description: `One of ${numbers.join(", ")}.` };
}
function booleansOf(values: readonly unknown[]): Json | undefined {
  const booleans = values.filter((value) => typeof value === "boolean");
  return booleans.length === 0 ? undefined : { type: "boolean", description: `One of ${booleans.join(", ")}.` };
}
