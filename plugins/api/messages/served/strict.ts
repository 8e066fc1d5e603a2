import { isJson, type Json } from "#contract";

/** May this schema be asked for strictly, that is: is every object in it closed, with all its members required? Others are asked for all the same, less strictly. */
export function isStrict(schema: Json): boolean {
  return Object.entries(schema).every(([keyword, value]) => isStrictBelow(keyword, value)) && (!isObject(schema) || isClosed(schema));
}
const isObject = ({ type, properties }: Json): boolean => type === "object" || isJson(properties);

function isClosed({ properties, required, additionalProperties }: Json): boolean {
  if (additionalProperties !== false || !Array.isArray(required)) return false;
  const needed = new Set<unknown>(required);
  return Object.keys(isJson(properties) ? properties : {}).every((name) => needed.has(name));
}

const SCHEMAS = new Set(["properties", "$defs", "definitions"]);
function isStrictBelow(keyword: string, value: unknown): boolean {
  if (SCHEMAS.has(keyword)) return isJson(value) && Object.values(value).every((below) => isJson(below) && isStrict(below));
  if (keyword === "items") return isJson(value) && isStrict(value);
  if (keyword === "anyOf") return Array.isArray(value) && value.every((below) => isJson(below) && isStrict(below));
  return keyword !== "oneOf" && keyword !== "allOf";
}
