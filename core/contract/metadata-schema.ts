import { type Static, Type } from "@sinclair/typebox";
import { GatewayError } from "./errors.ts";
import { isJson, type Json } from "./json.ts";

const Text = Type.String({ maxLength: 128 });
const Property = Type.Object(
  {
    type: Type.Literal("string"),
    title: Type.Optional(Type.String({ maxLength: 255 })),
    description: Type.Optional(Type.String({ maxLength: 1_024 })),
    enum: Type.Optional(Type.Array(Text, { minItems: 1, maxItems: 100, description: "The values that there may be." })),
    default: Type.Optional(Text),
  },
  { additionalProperties: false },
);
/** What an organisation asks of metadata: a JSON Schema (draft-07) of texts, and no more of it than this. */
export const MetadataSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String({ maxLength: 255 })),
    type: Type.Literal("object"),
    properties: Type.Optional(Type.Record(Text, Property, { maxProperties: 100, description: "What is asked of each value." })),
    required: Type.Optional(Type.Array(Text, { maxItems: 100, uniqueItems: true, description: "Names that must be there." })),
    additionalProperties: Type.Optional(Type.Literal(true)),
  },
  { additionalProperties: false, description: "JSON Schema of metadata: an object of texts." },
);
type MetadataSchema = Static<typeof MetadataSchema>;
/** Whose metadata is judged. */
export type MetadataOf = "api_key" | "workspace";

/** The metadata as an organisation's settings want it, defaults filled in; throws with the path of what they refuse. */
export function judgedMetadata(settings: Json, of: MetadataOf, metadata: unknown, path: string): Json {
  const schemas = settings["metadata_schemas"];
  const schema = isJson(schemas) && isJson(schemas[of]) ? (schemas[of] as unknown as MetadataSchema) : undefined; // judged when it was written
  const given = isJson(metadata) ? metadata : {};
  if (!schema) return given;
  const { properties = {}, required = [] } = schema;
  const defaults = Object.entries(properties).flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]]));
  const whole: Json = { ...Object.fromEntries(defaults), ...given };
  const missing = required.find((name) => !Object.hasOwn(whole, name));
  if (missing !== undefined) throw refused(`the metadata ${missing} is missing, which the organisation asks for`, `${path}.${missing}`);
  for (const [name, { enum: allowed }] of Object.entries(properties))
    if (allowed && Object.hasOwn(whole, name) && !allowed.includes(String(whole[name])))
      throw refused(`the metadata ${name} is none of ${allowed.join(", ")}`, `${path}.${name}`);
  return whole;
}
const refused = (why: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The request is not valid: ${why}.` }, { param });
