import { type ChatRequest, isJson, type Json } from "#contract";
import { cacheOf, inner } from "./blocks.ts";
import { closedSchema } from "./schema.ts";
import type { ModelRequest } from "./traits.ts";

/**
 * The tool through which a model without structured output is made to answer in a schema; its input is the answer.
 * The name is the gateway's own, so that no client's tool can be taken for it.
 */
export const ANSWER_TOOL = "gateway_structured_answer";

export function toolsOf(body: ModelRequest): Json[] | undefined {
  const promised = mayPromise(body, body.traits.structured);
  const tools = [...(body.tools ?? []).map((tool) => toolOf({ ...tool }, promised)), ...webSearch(body), ...answerTool(body)];
  return tools.length > 0 ? tools : undefined;
}
/** Strict tools in one request; a request with more is refused, and goes without the promise. */
const MOST_STRICT = 20;
export const mayPromise = ({ tools = [] }: ChatRequest, structured: boolean): boolean =>
  structured && tools.filter((tool) => isJson(tool.function) && tool.function.strict === true).length <= MOST_STRICT;

const toolOf = (tool: Json, promised: boolean): Json =>
  (tool.type ?? "function") === "function" ? functionTool(tool, promised) : vendorTool(tool);

function functionTool({ type: _type, ...tool }: Json, promised: boolean): Json {
  const { name, description, parameters, strict, ...more } = inner(tool, "function");
  const { function: _function, ...marks } = tool;
  const schema = inputSchema(parameters, promised && strict === true);
  return { name, description: description ?? "", ...more, ...marks, input_schema: schema, ...(promised && strict === true && { strict }) };
}
/** What `web_search_options` asks for, as the vendor's own tool. */
function webSearch({ web_search_options: search }: ModelRequest): Json[] {
  if (!isJson(search)) return [];
  const { user_location: at } = search;
  const user_location = isJson(at) && { type: "approximate", ...(isJson(at.approximate) && at.approximate) };
  return [{ type: "web_search_20250305", name: "web_search", ...(user_location && { user_location }) }];
}
/** A tool's schema; where its input is promised to keep to it, in the form in which that can be promised. */
export function inputSchema(parameters: unknown, strict: boolean): Json {
  const schema = { type: "object", ...(isJson(parameters) && parameters) };
  return strict ? closedSchema(schema) : schema;
}
/** `{type: "computer", computer: {name: "computer_20251124", …}}`; the vendor's own form is left as it is. */
export function vendorTool(tool: Json): Json {
  const kind = String(tool.type);
  const options = tool[kind];
  if (!isJson(options)) return tool;
  return { ...options, name: kind, type: options.name, ...cacheOf(tool) };
}

const CHOICES: Readonly<Record<string, string>> = { required: "any", auto: "auto", none: "none" };

export function toolChoiceOf(body: ModelRequest): Json | undefined {
  const choice = chosen(body);
  if (body.parallel_tool_calls !== false || choice?.type === "none") return choice;
  return body.tools?.length ? { ...(choice ?? { type: "auto" }), disable_parallel_tool_use: true } : choice;
}
function chosen(body: ModelRequest): Json | undefined {
  if (answerSchema(body)) return body.tools?.length ? { type: "any" } : { type: "tool", name: ANSWER_TOOL };
  const choice = body.tools?.length ? body.tool_choice : undefined;
  if (typeof choice === "string") return CHOICES[choice] === undefined ? undefined : { type: CHOICES[choice] };
  return isJson(choice) ? { type: "tool", name: inner(choice, "function").name } : undefined;
}

function answerTool(body: ModelRequest): Json[] {
  const schema = answerSchema(body);
  return schema ? [{ name: ANSWER_TOOL, description: "Answer with this tool.", input_schema: { type: "object", ...schema } }] : [];
}
/** The wire has no mode for an object of any form: structured output wants every member named. */
const answerSchema = (body: ModelRequest): Json | undefined =>
  body.response_format?.type === "json_object" ? {} : body.traits.structured ? undefined : schemaOf(body);

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
