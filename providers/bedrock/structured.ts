import { type ChatRequest, isJson, type Json } from "#contract";
import { inner } from "./blocks.ts";
import { traitsOf } from "./families.ts";
import { closedSchema } from "../wires/anthropic/schema.ts";
import { ANSWER_TOOL } from "../wires/anthropic/tools.ts";

/** `outputConfig`, for models that have structured output. */
export function outputConfigOf(body: ChatRequest): Json | undefined {
  const format = traitsOf(body.model).structured ? formatOf(body) : undefined;
  if (!format) return undefined;
  const { schema, name, description } = format;
  const jsonSchema = { schema: JSON.stringify(closedSchema(schema)), ...texts({ name, description }) };
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}
const texts = (members: Json): Json => Object.fromEntries(Object.entries(members).filter(([, value]) => typeof value === "string"));

export function answerTool(body: ChatRequest): Json[] {
  const schema = answerSchema(body);
  if (!schema) return [];
  const inputSchema = { json: { type: "object", ...schema } };
  return [{ toolSpec: { name: ANSWER_TOOL, description: "Answer with this tool.", inputSchema } }];
}
/** There is no mode for an object of any form: structured output wants every member named. */
const answerSchema = (body: ChatRequest): Json | undefined =>
  body.response_format?.type === "json_object" ? {} : traitsOf(body.model).structured ? undefined : formatOf(body)?.schema;

export function answerChoice(body: ChatRequest): Json | undefined {
  const { forces } = traitsOf(body.model);
  if (answerTool(body).length === 0 || forces === "none") return undefined;
  return body.tools?.length || forces === "any" ? { any: {} } : { tool: { name: ANSWER_TOOL } };
}

interface Format extends Json {
  readonly schema: Json;
}
function formatOf({ response_format: format }: ChatRequest): Format | undefined {
  if (format?.type !== "json_schema") return undefined;
  const described = inner({ ...format }, "json_schema");
  return isJson(described.schema) ? { ...described, schema: described.schema } : undefined;
}
