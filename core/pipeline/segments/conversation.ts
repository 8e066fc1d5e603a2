import type { Segment } from "#contract";
import { type Json, isJson } from "#contract";
import { type Found, at } from "./found.ts";
import { readParts, toolText } from "./parts.ts";

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const ROLES: Readonly<Record<string, Segment["role"]>> = {
  system: "system",
  developer: "system",
  assistant: "assistant",
  model: "assistant",
  tool: "tool",
  function: "tool",
};
export const roleOf = (role: unknown): Segment["role"] =>
  typeof role === "string" && Object.hasOwn(ROLES, role) ? (ROLES[role] ?? "user") : "user";

/** A message of the chat form: in a request, or as the `message` of a choice. */
export function chatMessage(message: unknown, path: string, index: number, found: Found): void {
  if (!isJson(message)) return;
  const role = roleOf(message["role"]);
  const reasoning = ["reasoning_content", "reasoning"].find((name) => typeof message[name] === "string");
  if (reasoning !== undefined)
    found.push({ path: `${path}.${reasoning}`, role, kind: "reasoning", text: String(message[reasoning]), message: index });
  readParts(message["content"], at(`${path}.content`, role, index), found);
  if (message["content_blocks"] !== undefined) blocks(message, path, index, found);
  readParts(message["refusal"], at(`${path}.refusal`, role, index), found);
  if (isJson(message["audio"])) readParts(message["audio"]["transcript"], at(`${path}.audio.transcript`, role, index), found);
  list(message["tool_calls"]).forEach((call, number) => chatToolCall(call, `${path}.tool_calls[${number}]`, index, found));
  if (isJson(message["function_call"])) functionCall(message["function_call"], `${path}.function_call`, index, found);
}

/** `content_blocks` repeat `content` and `reasoning_content`; only what those do not say is read from here. */
function blocks(message: Json, path: string, index: number, found: Found): void {
  const from = found.length;
  readParts(message["content_blocks"], at(`${path}.content_blocks`, roleOf(message["role"]), index), found);
  const said = { text: typeof message["content"] === "string", reasoning: typeof message["reasoning_content"] === "string" };
  const fresh = found
    .splice(from)
    .filter(({ kind }) => !(kind === "text" && said.text) && !(kind === "reasoning" && said.reasoning) && kind !== "tool_call");
  found.push(...fresh);
}

function chatToolCall(call: unknown, path: string, index: number, found: Found): void {
  if (!isJson(call)) return;
  if (isJson(call["function"])) return functionCall(call["function"], `${path}.function`, index, found);
  if (isJson(call["custom"]))
    found.push({
      path: `${path}.custom`,
      role: "assistant",
      kind: "tool_call",
      text: toolText(call["custom"]["name"], call["custom"]["input"]),
      message: index,
    });
}
const functionCall = (call: Json, path: string, index: number, found: Found): void =>
  void found.push({ path, role: "assistant", kind: "tool_call", text: toolText(call["name"], call["arguments"]), message: index });

/** A message of the messages form: tools stand among the content blocks. */
export function messagesMessage(message: unknown, path: string, index: number, found: Found): void {
  if (!isJson(message)) return;
  readParts(message["content"], at(`${path}.content`, roleOf(message["role"]), index), found);
}
