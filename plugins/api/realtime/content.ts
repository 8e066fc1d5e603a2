import { type BodyContent, isJson, type Json, type PlacedSegment } from "#contract";
import { at, type Found, type Place } from "../content/found.ts";
import { readItem, readVariables } from "../content/input.ts";
import { isType } from "../content/instructions.ts";
import { readLeaves } from "../content/leaves.ts";
import { namesOf } from "../content/names.ts";
import { PIECES } from "./events.ts";

/** An event is one message: whoever looks at the last one looks at all of it. */
const MESSAGE = 0;

/** Members of an item, and of its parts, that are words of the form, and sound and images. */
const WORDS_OF_ITEM = namesOf("type id object status role call_id phase");
const WORDS_OF_PART = namesOf("type audio format image_url detail");
const without = (of: Json, words: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(of).filter(([name, value]) => !words.has(name) || typeof value === "object"));

/** Members that tell a model something, of a session and of a response. */
const TOLD: readonly (readonly string[])[] = [
  ["instructions"],
  ["tools"],
  ["audio", "input", "transcription", "prompt"],
  ["input_audio_transcription", "prompt"],
];

function readTold(of: unknown, path: string, found: Found): void {
  for (const names of TOLD) {
    const value = names.reduce<unknown>((inside, name) => (isJson(inside) ? inside[name] : undefined), of);
    if (value !== undefined) readLeaves(value, at([path, ...names].join("."), "system", MESSAGE), found, isType);
  }
  if (isJson(of) && isJson(of["prompt"])) readVariables(of["prompt"]["variables"], `${path}.prompt.variables`, found);
}

const isCall = (type: unknown): boolean => typeof type === "string" && /_call(_output)?$/.test(type);
const roleOf = (role: unknown): "system" | "user" | "assistant" => (role === "system" || role === "assistant" ? role : "user");
/** A call, a call's output, or a message: texts, and transcripts of sound. */
function readConversationItem(item: unknown, path: string, found: Found): void {
  if (!isJson(item)) return;
  if (isCall(item["type"])) return readItem(item, path, MESSAGE, found);
  const { content, ...rest } = item;
  const role = roleOf(item["role"]);
  readLeaves(without(rest, WORDS_OF_ITEM), at(path, role, MESSAGE), found, isType);
  if (!Array.isArray(content)) return readLeaves(content, at(`${path}.content`, role, MESSAGE), found, isType);
  content.forEach((part: unknown, index) => readPart(part, at(`${path}.content[${index}]`, role, MESSAGE), found));
}
function readPart(part: unknown, place: Place, found: Found): void {
  readLeaves(isJson(part) ? without(part, WORDS_OF_PART) : part, place, found, isType);
}
function readItems(items: unknown, path: string, found: Found): void {
  if (Array.isArray(items)) items.forEach((item: unknown, index) => readConversationItem(item, `${path}[${index}]`, found));
}

function input({ type, session, item, response }: Json): readonly PlacedSegment[] {
  const found: Found = [];
  if (type === "session.update" || type === "transcription_session.update") readTold(session, "session", found);
  if (type === "conversation.item.create") readConversationItem(item, "item", found);
  if (type === "response.create" && isJson(response)) {
    readTold(response, "response", found);
    readItems(response["input"], "response.input", found);
  }
  return found;
}

/** Whatever of an event a model has said: a whole response, one of its items, or a piece. */
function output(event: Json): readonly PlacedSegment[] {
  const { type, response, item, part } = event;
  const found: Found = [];
  if (isJson(response)) readItems(response["output"], "response.output", found);
  if (isJson(item) && (item["role"] === "assistant" || item["type"] === "function_call")) readConversationItem(item, "item", found);
  if (isJson(part)) readPart(part, at("part", "assistant", MESSAGE), found);
  const told = PIECES[String(type).replace(/\.done$/, ".delta")];
  for (const name of told === undefined ? [] : ["delta", told])
    if (typeof event[name] === "string") readLeaves(event[name], at(name, "assistant", MESSAGE), found);
  return found;
}

export const content: BodyContent = {
  input,
  output,
  names: namesOf(
    "type item session response previous_item_id instructions tools prompt variables audio input transcription input_audio_transcription content text transcript role name arguments output",
  ),
  within: namesOf("session response item audio input transcription input_audio_transcription prompt"),
};
