import type { BodyContent, Json, PlacedSegment } from "#contract";
import { answerParts } from "./answer.ts";
import { chatMessage, list, messagesMessage } from "./conversation.ts";
import { failureIn } from "./failure.ts";
import { at, type Found } from "./found.ts";
import { BEFORE_ALL, OTHERS_SYSTEM, readInstructions, readTextsAt } from "./instructions.ts";
import { readBesideItems, readItems } from "./input.ts";
import { readLeaves } from "./leaves.ts";
import { NAMES, OBJECTS } from "./names.ts";
import { isOwnCall, withArguments } from "./own-calls.ts";
import { readParts } from "./parts.ts";
import { RESTS } from "./told-beside.ts";
import { withoutBrokenSignatures } from "./signatures.ts";
import { holdsTokens, members, readFormTexts, readPrompts } from "./prompts.ts";

/* What the bodies of the specification's operations hold. No plugin: what the `api` plugins share. */

type Reader = (body: Json, found: Found) => void;
const reading =
  (read: Reader) =>
  (body: Json): readonly PlacedSegment[] => {
    const found: Found = [];
    read(body, found);
    return found;
  };
/** Whatever the operation's form: an answer has its content in one of few members. */
const output = reading(answerParts);

type ReadMessage = typeof chatMessage;
/** Conversations whose messages stand in a list and are read one by one. */
const messagesBy =
  (read: ReadMessage): Reader =>
  (body, found) =>
    list(body["messages"]).forEach((message, index) => read(message, `messages[${index}]`, index, found));

/** From the end, until a message says something; a body without one is read whole. */
const lastBy =
  (read: ReadMessage, whole: Reader) =>
  (body: Json): readonly PlacedSegment[] => {
    const messages = list(body["messages"]);
    const found: Found = [];
    for (let index = messages.length - 1; index >= 0 && found.length === 0; index -= 1)
      read(messages[index], `messages[${index}]`, index, found);
    return found.length > 0 ? found : reading(whole)(body);
  };

/** Members of answers that repeat what stands in another, or vouch for it. */
const ANSWER_REPEATS: BodyContent["repeats"] = {
  content: ["content_blocks", "encrypted_content"],
  summary: ["encrypted_content"],
  output: ["output_text"],
  thinking: ["signature"],
  reasoning_content: ["content_blocks", "reasoning", "reasoning_details"],
  reasoning: ["content_blocks", "reasoning_details"],
  transcript: ["data"],
  choices: RESTS,
  text: ["logprobs", "segments", "words"],
  message: ["logprobs", ...RESTS],
};
/** Lists of answers that rest on a text, which clients of some forms go through without looking whether they are there. */
const ANSWER_RESTS: BodyContent["rests"] = {
  content: ["annotations", "citations"],
  text: ["annotations", "citations"],
};
/** A tool call keeps the form in which it has its arguments: a value, or its JSON. */
function replacedCall(part: Json, changed: Json): Json {
  if (isOwnCall(part) && "arguments" in changed) return withArguments(part, changed["arguments"]);
  const name = changed["name"] ?? part["name"];
  if (part["type"] === "custom_tool_call") return { ...part, name, input: asText(changed["arguments"]) };
  if ("input" in part && part["type"] !== "function_call") return { ...part, name, input: changed["arguments"] ?? {} };
  return "arguments" in part ? { ...part, name, arguments: asText(changed["arguments"]) } : changed;
}
const asText = (args: unknown): string => (typeof args === "string" ? args : JSON.stringify(args ?? {}));
/** The member that may hold a text as numbers of tokens. */
const tokensIn =
  (name: string) =>
  (body: Json): string | undefined =>
    holdsTokens(body[name]) ? name : undefined;
/** An answer without a dialect says itself when it is a failure. */
const ANSWERED = { failed: failureIn } satisfies BodyContent;
const PATCHED = {
  repeats: ANSWER_REPEATS,
  rests: ANSWER_RESTS,
  replaced: replacedCall,
  rewritten: withoutBrokenSignatures,
  names: NAMES,
  namesInside: OBJECTS,
} satisfies BodyContent;

const readChat: Reader = (body, found) => {
  readInstructions(body, found);
  readTextsAt(body, OTHERS_SYSTEM, found);
  messagesBy(chatMessage)(body, found);
};
const readMessages: Reader = (body, found) => {
  readInstructions(body, found);
  readTextsAt(body, FORMATS_OF_MESSAGES, found);
  readTextsAt(body, OTHERS_SYSTEM.slice(1), found); // its own is read below
  readParts(body["system"], at("system", "system", BEFORE_ALL), found);
  messagesBy(messagesMessage)(body, found);
};

const FORMATS_OF_MESSAGES = [["output_config", "format"], ["output_format"]] as const;

/** Chat completions. */
export const CHAT: BodyContent = { ...PATCHED, input: reading(readChat), lastInput: lastBy(chatMessage, readChat), output };
/** Messages: the system text beside the list, tools among the content blocks. */
export const MESSAGES: BodyContent = { ...PATCHED, input: reading(readMessages), lastInput: lastBy(messagesMessage, readMessages), output };
/** Completions and images: a prompt. */
export const PROMPT: BodyContent = { ...PATCHED, ...ANSWERED, input: reading(readPrompts), tokens: tokensIn("prompt") };
export const COMPLETION: BodyContent = { ...PROMPT, output };
/** Speech: how to speak is said by the same client as what to speak. */
export const SPEECH: BodyContent = { ...PATCHED, ...ANSWERED, input: reading(members(["instructions", "input"])) };
/** The member `input`: texts to embed or classify. */
export const INPUT: BodyContent = { ...PATCHED, ...ANSWERED, json: true, input: reading(members(["input"])), tokens: tokensIn("input") };
export const RESPONSE: BodyContent = {
  ...PATCHED,
  names: new Set([...NAMES, "output", "result", "revised_prompt", "summary"]), // of its items
  namesInside: new Set([...OBJECTS, "prompt"]),
  input: reading((body, found) => {
    readInstructions(body, found);
    readTextsAt(body, OTHERS_SYSTEM, found);
    readParts(body["instructions"], at("instructions", "system", BEFORE_ALL), found);
    readBesideItems(body, found);
    readItems(body["input"], found);
  }),
  output,
};
export const EMBEDDING: BodyContent = { ...INPUT, vectors: true };
export const RERANK: BodyContent = {
  ...PATCHED,
  names: new Set(["query", "documents", "model"]), // documents have members of any name, and all of them are read
  ...ANSWERED,
  json: true,
  input: reading((body, found) => {
    members(["query"])(body, found);
    list(body["documents"]).forEach((document, index) => readLeaves(document, at(`documents[${index}]`, "user", 0), found));
  }),
};
/** The texts among a multipart form's fields. */
export const FORM: BodyContent = { ...PATCHED, ...ANSWERED, input: reading(readFormTexts) };
export const TRANSCRIPT: BodyContent = { ...FORM, output };
