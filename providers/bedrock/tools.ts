import { type ChatRequest, isJson, type Json } from "#contract";
import { inputSchema, mayPromise } from "../wires/anthropic/tools.ts";
import { cachePointOf, inner } from "./blocks.ts";
import { familyOf, mayBeClaude, traitsOf } from "./families.ts";
import { answerChoice, answerTool } from "./structured.ts";

/** `toolConfig`; Converse has no word for "call none", so then there are no tools. */
export function toolConfigOf(body: ChatRequest): Json | undefined {
  const offered = body.tool_choice === "none" ? [] : (body.tools ?? []).map((tool) => ({ ...tool }));
  const tools = [...offered.flatMap((tool) => toolOf(tool, body)), ...answerTool(body)];
  if (tools.length === 0) return undefined;
  const toolChoice = isOneByOne(body) ? undefined : chosen(body);
  return { tools, ...(toolChoice && { toolChoice }) };
}
const chosen = (body: ChatRequest): Json | undefined => answerChoice(body) ?? choiceOf(body.tool_choice);

/** Claude's own `tool_choice`, in place of Converse's, which has no word for "not in parallel". */
export function claudeChoiceOf(body: ChatRequest): Json | undefined {
  if (!isOneByOne(body) || toolConfigOf(body) === undefined) return undefined;
  const choice = chosen(body) ?? {};
  const own = isJson(choice.tool) ? { type: "tool", name: choice.tool.name } : { type: "any" in choice ? "any" : "auto" };
  return { ...own, disable_parallel_tool_use: true };
}
const isOneByOne = ({ model, parallel_tool_calls }: ChatRequest): boolean =>
  parallel_tool_calls === false && familyOf(model) === "anthropic";

/** Does the model know of any tool? Without one, a conversation may not hold calls and their results. */
export const hasTools = (body: ChatRequest): boolean =>
  toolConfigOf(body) !== undefined || isJson(body.toolConfig) || (body.tool_choice !== "none" && (body.tools ?? []).length > 0);

function toolOf(tool: Json, body: ChatRequest): Json[] {
  const { model } = body;
  if (mayBeClaude(model) && isClaudeTool(tool)) return []; // among the model's own fields
  if (isOwnForm(tool)) return [wireForm(tool)];
  // Amazon's models refuse a cache point among tools
  return [
    { toolSpec: specOf(inner(tool, "function"), mayPromise(body, traitsOf(model).structured)) },
    ...(model.includes("amazon") ? [] : cachePointOf(tool)),
  ];
}
function specOf({ name, description, parameters, strict: isStrict }: Json, promised: boolean): Json {
  const strict = promised && isStrict === true;
  const json = inputSchema(parameters, strict);
  return { name, ...(description ? { description } : {}), inputSchema: { json }, ...(strict && { strict }) };
}

/** The wire's own forms: a specification, a tool that Bedrock runs itself, a cache point. */
const isOwnForm = (tool: Json): boolean => isJson(tool.toolSpec) || isJson(tool.systemTool) || isJson(tool.cachePoint);
const wireForm = ({ type: _type, ...tool }: Json): Json => tool;

/** A tool of Anthropic's (`computer`, `bash_20250124` …) rather than a function. */
export const isClaudeTool = (tool: Json): boolean => !isOwnForm(tool) && !isJson(tool.function) && (tool.type ?? "function") !== "function";

const CHOICES: Readonly<Record<string, Json>> = { required: { any: {} }, auto: { auto: {} } };

function choiceOf(choice: unknown): Json | undefined {
  if (isJson(choice)) return { tool: { name: inner(choice, "function").name } };
  return CHOICES[String(choice)];
}
