import { type ChatRequest, isJson, type Json } from "#contract";
import { inner } from "./blocks.ts";
import { closedSchema } from "./schema.ts";
import { isThinking } from "./thinking.ts";
import type { ModelRequest } from "./traits.ts";

/**
 * The tool through which a model without structured output is made to answer in a schema; its input is the answer.
 * The name is the gateway's own, so that no client's tool can be taken for it.
 */
export const ANSWER_TOOL = "gateway_structured_answer";

export function toolsOf(body: ModelRequest): Json[] | undefined {
  const tools = [...(body.tools ?? []).map((tool) => toolOf({ ...tool })), ...answerTool(body)];
  return tools.length > 0 ? tools : undefined;
}
function toolOf(tool: Json): Json {
  const kind = String(tool.type ?? "function");
  return kind === "function" ? functionTool(tool) : vendorTool(kind, tool);
}
function functionTool({ type: _type, ...tool }: Json): Json {
  const { name, description, parameters, strict: _strict, ...more } = inner(tool, "function");
  const { function: _function, ...marks } = tool;
  const input_schema = { type: "object", ...(isJson(parameters) && parameters) };
  return { name, description: description ?? "", input_schema, ...more, ...marks };
}
/** `{type: "computer", computer: {name: "computer_20251124", …}}`; the vendor's own form is left as it is. */
function vendorTool(kind: string, tool: Json): Json {
  const options = tool[kind];
  return isJson(options) ? { ...options, name: kind, type: options.name } : tool;
}

const CHOICES: Readonly<Record<string, string>> = { required: "any", auto: "auto", none: "none" };

export function toolChoiceOf(body: ModelRequest): Json | undefined {
  const choice = chosen(body);
  if (body.parallel_tool_calls !== false || choice?.type === "none") return choice;
  return body.tools?.length ? { ...(choice ?? { type: "auto" }), disable_parallel_tool_use: true } : choice;
}
function chosen(body: ModelRequest): Json | undefined {
  const schema = answerSchema(body);
  // a forced tool is refused while thinking; then the tool is offered, not forced
  if (schema && !isThinking(body)) return body.tools?.length ? { type: "any" } : { type: "tool", name: ANSWER_TOOL };
  const choice = body.tools?.length ? body.tool_choice : undefined;
  if (typeof choice === "string") return CHOICES[choice] === undefined ? undefined : { type: CHOICES[choice] };
  return isJson(choice) ? { type: "tool", name: inner(choice, "function").name } : undefined;
}

function answerTool(body: ModelRequest): Json[] {
  const schema = answerSchema(body);
  return schema ? [{ name: ANSWER_TOOL, description: "Answer with this tool.", input_schema: { type: "object", ...schema } }] : [];
}
const answerSchema = (body: ModelRequest): Json | undefined => (body.traits.structured ? undefined : schemaOf(body));

/** `output_config.format`, for models that have structured output. */
export function formatOf(body: ModelRequest): Json | undefined {
  const schema = body.traits.structured ? schemaOf(body) : undefined;
  return schema && { type: "json_schema", schema: closedSchema(schema) };
}
function schemaOf({ response_format: format }: ChatRequest): Json | undefined {
  if (format?.type !== "json_schema") return undefined;
  const { schema } = inner({ ...format }, "json_schema");
  return isJson(schema) ? schema : undefined;
}
