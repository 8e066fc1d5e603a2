import type { Segment } from "#contract";
import { type Json, isJson } from "#contract";
import { type Found, at, put } from "./found.ts";
import { findCall, readParts } from "./parts.ts";
import { detailsBeside, isSaidBy, readCitations } from "./told-beside.ts";
import { text } from "./wire.ts";

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : NOTHING);
const NOTHING: readonly unknown[] = [];

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

type Role = Segment["role"];

/** A message of the chat form: in a request, or as the `message` of a choice. */
export function chatMessage(message: unknown, path: string, index: number, found: Found): void {
  if (isJson(message)) chatContent(message, roleOf(message["role"]), path, index, found);
}

/**
 * What is not there costs nothing: of most of these members a message has one. What may repeat another member stands before it,
 * because a patch of that one removes it.
 */
export function chatContent(message: Json, role: Role, path: string, index: number, found: Found): void {
  if (message["content_blocks"] !== undefined) blocks(message, role, path, index, found);
  readReasoning(message, role, path, index, found);
  if (role === "assistant" && Array.isArray(message["annotations"]))
    readCitations(message["annotations"], `${path}.annotations`, index, found);
  readMember(message, "content", role, path, index, found);
  if (message["images"] !== undefined) readMember(message, "images", role, path, index, found);
  readMember(message, "refusal", role, path, index, found);
  if (isJson(message["audio"])) readMember(message["audio"], "transcript", role, `${path}.audio`, index, found);
  const calls = list(message["tool_calls"]);
  for (let number = 0; number < calls.length; number += 1) chatToolCall(calls[number], `${path}.tool_calls[${number}]`, index, found);
  if (isJson(message["function_call"])) functionCall(message["function_call"], `${path}.function_call`, index, found);
}

function readMember(from: Json, name: string, role: Role, path: string, index: number, found: Found): void {
  const content = from[name];
  if (content !== undefined && content !== null) readParts(content, at(`${path}.${name}`, role, index), found);
}

function readReasoning(message: Json, role: Role, path: string, index: number, found: Found): void {
  const { reasoning, reasoning_content: content } = message;
  for (const detail of detailsBeside(message, path)) put(found, { ...detail, role, kind: "reasoning", message: index });
  for (const name of REASONING) {
    const text = message[name];
    if (typeof text === "string" && (name === "reasoning_content" || reasoning !== content))
      put(found, { path: `${path}.${name}`, role, kind: "reasoning", text, message: index });
  }
}
/** Two names for the same thing, which is read once. */
const REASONING = ["reasoning", "reasoning_content"] as const;

/** `content_blocks` repeat `content`, `reasoning_content` and `images`; only what those do not say is read from here. */
function blocks(message: Json, role: Role, path: string, index: number, found: Found): void {
  const from = found.length;
  readMember(message, "content_blocks", role, path, index, found);
  const pieces = found.splice(from);
  const isRepeated = {
    text: isSaidBy(ofKind(pieces, "text"), [text(message["content"])]),
    reasoning: isSaidBy(ofKind(pieces, "reasoning"), [text(message["reasoning_content"])]),
    image: message["images"] !== undefined,
  };
  for (const piece of pieces) if (!(piece.kind in isRepeated && isRepeated[piece.kind as keyof typeof isRepeated])) put(found, piece);
}
const ofKind = (pieces: Found, kind: Segment["kind"]): Found => pieces.filter((piece) => piece.kind === kind);

function chatToolCall(call: unknown, path: string, index: number, found: Found): void {
  if (!isJson(call)) return;
  if (isJson(call["function"])) return functionCall(call["function"], `${path}.function`, index, found);
  if (isJson(call["custom"]))
    findCall(found, { path: `${path}.custom`, name: call["custom"]["name"], args: call["custom"]["input"], message: index });
}
const functionCall = (call: Json, path: string, index: number, found: Found): void =>
  findCall(found, { path, name: call["name"], args: call["arguments"], message: index });

/** A message of the messages form: tools stand among the content blocks. */
export function messagesMessage(message: unknown, path: string, index: number, found: Found): void {
  if (isJson(message)) readMember(message, "content", roleOf(message["role"]), path, index, found);
}
