import { type Json, isJson } from "#contract";
import { roleOf } from "./conversation.ts";
import { findLater, type Found, at } from "./found.ts";
import { findCall, readParts } from "./parts.ts";

/** The member `input` of a responses request: a text, or items. */
export function readItems(input: unknown, found: Found): void {
  if (!Array.isArray(input)) return readParts(input, at("input", "user", 0), found);
  input.forEach((item: unknown, index) => {
    const path = `input[${index}]`;
    if (isJson(item) && isItem(item)) return readItem(item, path, index, found);
    readParts(item, at(path, "user", 0), found);
  });
}

/** Items of a responses request or answer name a role, or a type that is not a content part's. */
const isItem = (item: Json): boolean =>
  typeof item["role"] === "string" ||
  (typeof item["type"] === "string" &&
    (item["type"] === "message" || item["type"] === "reasoning" || /_call(_output)?$/.test(item["type"])));

/** One item: a message, a reasoning, a tool call or a tool's output. */
export function readItem(item: Json, path: string, index: number, found: Found): void {
  const type = typeof item["type"] === "string" ? item["type"] : "message";
  if (type === "reasoning") return readReasoning(item, path, index, found);
  if (type.endsWith("_call_output")) return readParts(item["output"], at(`${path}.output`, "tool", index), found);
  if (type.endsWith("_call")) return readCall(item, path, index, found);
  readParts(item["content"], at(`${path}.content`, roleOf(item["role"]), index), found);
}

function readReasoning(item: Json, path: string, index: number, found: Found): void {
  readParts(item["summary"], at(`${path}.summary`, "assistant", index), found);
  readParts(item["content"], at(`${path}.content`, "assistant", index), found);
}

/** `function_call {name, arguments}`, `custom_tool_call {name, input}`, `mcp_call {name, arguments, output}` … */
function readCall(item: Json, path: string, index: number, found: Found): void {
  const named = typeof item["name"] === "string";
  if (named) findCall(found, { path, name: item["name"], args: item["arguments"] ?? item["input"], message: index });
  else findLater(found, { path, role: "assistant", kind: "tool_call", message: index }, () => JSON.stringify(item));
  if (named && item["output"] !== undefined) readParts(item["output"], at(`${path}.output`, "tool", index), found);
}
