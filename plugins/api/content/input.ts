import { type Json, isJson } from "#contract";
import { roleOf } from "./conversation.ts";
import { add, at, below, type Found } from "./found.ts";
import { readTold } from "./instructions.ts";
import { isOwnCall, ownArguments } from "./own-calls.ts";
import { findCall, readParts } from "./parts.ts";

/** What a response's model is told beside the items: the form of its answer, and what fills in a prompt that its provider keeps. */
export function readBesideItems({ text, prompt }: Json, found: Found): void {
  if (isJson(text) && text["format"] !== undefined) readTold(text["format"], "text.format", found);
  if (isJson(prompt)) readVariables(prompt["variables"], "prompt.variables", found);
}
/** Texts and parts, by names of the client's own. */
export function readVariables(variables: unknown, path: string, found: Found): void {
  if (!isJson(variables)) return;
  for (const [name, value] of Object.entries(variables)) readParts(value, at(below(path, name), "user", 0), found);
}

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

/** One item, by its type: a message, a reasoning, a tool call or a tool's output. Of a type that we do not know all of it is read. */
export function readItem(item: Json, path: string, index: number, found: Found): void {
  const type = typeof item["type"] === "string" ? item["type"] : "message";
  if (type === "reasoning") return readReasoning(item, path, index, found);
  if (type === "image_generation_call") return readImage(item, path, index, found);
  if (type.endsWith("_call_output")) return readParts(item["output"], at(`${path}.output`, "tool", index), found);
  if (type.endsWith("_call")) return readCall(item, path, index, found);
  if (type === "message") return readParts(item["content"], at(`${path}.content`, roleOf(item["role"]), index), found);
  const { role, ...rest } = item;
  readParts(rest, at(path, roleOf(role), index), found);
}

/** An image that a model made, and how it was told to make it. */
function readImage(item: Json, path: string, index: number, found: Found): void {
  const { result, revised_prompt: prompt } = item;
  const place = at(path, "assistant", index);
  if (typeof prompt === "string") add(found, place, "text", prompt, `${path}.revised_prompt`);
  if (typeof result !== "string") return;
  add(found, place, "image", result.startsWith("data:") ? result : `data:image/png;base64,${result}`, `${path}.result`);
}

function readReasoning(item: Json, path: string, index: number, found: Found): void {
  readParts(item["summary"], at(`${path}.summary`, "assistant", index), found);
  readParts(item["content"], at(`${path}.content`, "assistant", index), found);
}

/** `function_call {name, arguments}`, `custom_tool_call {name, input}`, `mcp_call {name, arguments, output}` … */
const argumentsIn = (item: Json): unknown =>
  isOwnCall(item) ? ownArguments(item) : item["type"] === "custom_tool_call" ? item["input"] : item["arguments"];
function readCall(item: Json, path: string, index: number, found: Found): void {
  findCall(found, { path, name: item["name"] ?? item["type"], args: argumentsIn(item), message: index });
  if (!isOwnCall(item) && item["output"] !== undefined) readParts(item["output"], at(`${path}.output`, "tool", index), found);
}
