import { type Json, isJson } from "#contract";
import { chatContent, list } from "./conversation.ts";
import { type Found, at } from "./found.ts";
import { readItem } from "./input.ts";
import { readParts } from "./parts.ts";
import { readRests } from "./told-beside.ts";

/** How whole answers are read, by the member that holds their content. An answer has one of them, or a refusal beside it. */
const HOLDERS: Readonly<Record<string, (value: unknown, found: Found) => void>> = {
  choices: (choices, found) => list(choices).forEach((choice, index) => readChoice(choice, index, found)),
  content: (content, found) => readParts(content, at("content", "assistant", 0), found),
  output: (output, found) => list(output).forEach((item, index) => isJson(item) && readOutput(item, `output[${index}]`, found)),
  /** Of a message, as guardrails see it; on the wire it is a text. */
  refusal: (refusal, found) => typeof refusal === "string" && readParts(refusal, at("refusal", "assistant", 0), found),
  text: (text, found) => typeof text === "string" && readParts(text, at("text", "assistant", 0), found),
};

export function answerParts(body: Json, found: Found): void {
  readRests(body, "", 0, found);
  for (const holder in HOLDERS) if (body[holder] !== undefined) HOLDERS[holder]?.(body[holder], found);
}

function readChoice(choice: unknown, index: number, found: Found): void {
  if (!isJson(choice)) return;
  const path = `choices[${index}]`;
  readRests(choice, path, index, found);
  if (isJson(choice["message"])) return chatContent(choice["message"], "assistant", `${path}.message`, index, found);
  readParts(choice["text"], at(`${path}.text`, "assistant", index), found);
}

/** All items of a responses answer are one answer. */
const readOutput = (item: Json, path: string, found: Found): void =>
  readItem(item["role"] === undefined ? { ...item, role: "assistant" } : item, path, 0, found);
