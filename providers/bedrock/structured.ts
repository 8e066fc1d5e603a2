import { type ChatRequest, isJson, type Json } from "#contract";
import { inner } from "./blocks.ts";
import { traitsOf } from "./families.ts";
import { closedSchema } from "./schema.ts";
import { isClaudeThinking } from "./thinking.ts";

/**
 * The tool through which a model without structured output is made to answer in a schema; its input is the answer.
 * The name is the gateway's own, so that no client's tool can be taken for it.
 */
export const ANSWER_TOOL = "gateway_structured_answer";

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
  const format = traitsOf(body.model).structured ? undefined : formatOf(body);
  if (!format) return [];
  const inputSchema = { json: { type: "object", ...format.schema } };
  return [{ toolSpec: { name: ANSWER_TOOL, description: "Answer with this tool.", inputSchema } }];
}
/** A demanded tool is refused while Claude thinks; then the tool is offered only. */
export function answerChoice(body: ChatRequest): Json | undefined {
  const { forces } = traitsOf(body.model);
  if (answerTool(body).length === 0 || forces === "none" || isClaudeThinking(body)) return undefined;
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
