import { isJson, type Json } from "#contract";

/** A tool that a request offers its model, in any of the request's dialects. */
export interface OfferedTool {
  readonly type: string;
  /** Its function's name, or its own; its type where it has neither. */
  readonly name: string;
}

/** Tools of chat, messages, responses and Gemini requests, and the older `functions` of chat. */
export function toolsOf(body: Json): readonly OfferedTool[] {
  const tools = listOf(body["tools"]).filter(isJson).flatMap(offered);
  return [
    ...tools,
    ...listOf(body["functions"])
      .filter(isJson)
      .map((json) => named("function", json)),
  ];
}

function offered(tool: Json): readonly OfferedTool[] {
  const { function: inside, type } = tool;
  if (isJson(inside)) return [named(textOr("function", type), inside)];
  if (typeof type === "string") return [named(type, tool)];
  if (typeof tool["name"] === "string") return [named("custom", tool)]; // a client's own tool of a messages request
  return Object.keys(tool).flatMap((member) => ofMember(member, tool[member]));
}
/** Gemini's tools have members for their types, and one for all functions. */
const ofMember = (member: string, value: unknown): readonly OfferedTool[] =>
  member === "functionDeclarations" || member === "function_declarations"
    ? listOf(value)
        .filter(isJson)
        .map((json) => named("function", json))
    : [{ type: member, name: member }];

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : isJson(value) ? [value] : []);
const textOr = (otherwise: string, value: unknown): string => (typeof value === "string" ? value : otherwise);
const named = (type: string, { name }: Json): OfferedTool => ({ type, name: textOr(type, name) });
