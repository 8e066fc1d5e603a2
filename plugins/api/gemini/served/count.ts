import { isJson, type Json } from "#contract";
import { named, namedAll, objects, text } from "../wire.ts";
import { systemTurn, turnsOf } from "./turns.ts";
import { toolMembers } from "./tools.ts";

/** Chat messages are what both forms meet in: an adapter maps what it is given no further. */
const MAPPED = { mapped: true } as const;

/** What is to be counted, as a message request of Anthropic's form. */
export function messagesCount(body: Json): Json {
  const request = named(body);
  const of = isJson(request.generateContentRequest) ? named(request.generateContentRequest) : request;
  const [system] = systemTurn(of.systemInstruction);
  const tools = objects(toolMembers(of).tools).map((tool) => named(tool.function));
  return {
    ...(body.model !== undefined && { model: body.model }),
    messages: turnsOf(of.contents, MAPPED).map(messageOf),
    ...(system && { system: system.content }),
    ...(tools.length > 0 && { tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })) }),
  };
}

function messageOf({ role, content, tool_calls, tool_call_id }: Json): Json {
  if (role === "tool") return { role: "user", content: [{ type: "tool_result", tool_use_id: tool_call_id, content }] };
  const calls = objects(tool_calls).map(({ id, function: called }) => {
    const { name, arguments: args } = named(called);
    return { type: "tool_use", id, name, input: JSON.parse(String(args)) as unknown };
  });
  if (calls.length === 0 && typeof content === "string") return { role, content };
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : namedAll(content).map(blockOf);
  return { role, content: [...blocks.filter(({ text: words }) => words !== ""), ...calls] };
}

function blockOf(part: Json): Json {
  const url = text(named(part.imageUrl).url) ?? text(named(part.file).fileData) ?? text(named(part.file).fileUrl);
  if (url === undefined) return { type: "text", text: text(part.text) ?? "" };
  return { type: part.type === "image_url" ? "image" : "document", source: sourceOf(url) };
}
function sourceOf(url: string): Json {
  if (!url.startsWith("data:")) return { type: "url", url };
  const comma = url.indexOf(",");
  return { type: "base64", media_type: url.slice("data:".length, comma).split(";")[0], data: url.slice(comma + 1) };
}

export const countOf = ({ input_tokens }: Json): Json => ({ totalTokens: input_tokens });
