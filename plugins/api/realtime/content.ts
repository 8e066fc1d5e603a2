import { type BodyContent, isJson, type Json, type PlacedSegment } from "#contract";
import { at, type Found, type Place } from "../content/found.ts";
import { RESPONSE } from "../content/index.ts";
import { readItem, readVariables } from "../content/input.ts";
import { isType, NAMED } from "../content/instructions.ts";
import { readLeaves } from "../content/leaves.ts";
import { namesOf } from "../content/names.ts";
import { pieceIn, TEXTS } from "./tellings.ts";

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
    if (value !== undefined) readLeaves(value, at([path, ...names].join("."), "system", MESSAGE), found, isType, NAMED);
  }
  if (isJson(of) && isJson(of["prompt"])) readVariables(of["prompt"]["variables"], `${path}.prompt.variables`, found);
}

type Role = "system" | "user" | "assistant";
const roleOf = (role: unknown, otherwise: Role): Role => (role === "system" || role === "assistant" || role === "user" ? role : otherwise);
const CALL = /_call(_output)?$/;
/** Asks for a call to be allowed, and is one as far as anybody reads it. */
const ASKED_CALL = "mcp_approval_request";
/** A call, a call's output, or a message: texts, and transcripts of sound. `by` is who speaks where it does not say so. */
function readConversationItem(item: unknown, path: string, by: Role, found: Found): void {
  if (!isJson(item)) return;
  const { type, content, ...rest } = item;
  if (typeof type === "string" && (CALL.test(type) || type === ASKED_CALL)) return readCall(item, path, found);
  const role = roleOf(item["role"], by);
  readLeaves(without(rest, WORDS_OF_ITEM), at(path, role, MESSAGE), found, isType);
  if (!Array.isArray(content)) return readLeaves(content, at(`${path}.content`, role, MESSAGE), found, isType);
  content.forEach((part: unknown, index) => readPart(part, at(`${path}.content[${index}]`, role, MESSAGE), found));
}
function readCall(item: Json, path: string, found: Found): void {
  readItem(item["type"] === ASKED_CALL ? { ...item, type: "mcp_call" } : item, path, MESSAGE, found);
  readLeaves(item["error"], at(`${path}.error`, "tool", MESSAGE), found, isType);
}
function readPart(part: unknown, place: Place, found: Found): void {
  readLeaves(isJson(part) ? without(part, WORDS_OF_PART) : part, place, found, isType);
}
function readItems(items: unknown, path: string, by: Role, found: Found): void {
  if (Array.isArray(items)) items.forEach((item: unknown, index) => readConversationItem(item, `${path}[${index}]`, by, found));
}

function input({ type, session, item, response }: Json): readonly PlacedSegment[] {
  const found: Found = [];
  if (type === "session.update" || type === "transcription_session.update") readTold(session, "session", found);
  if (type === "conversation.item.create") readConversationItem(item, "item", "user", found);
  if (type === "response.create" && isJson(response)) {
    readTold(response, "response", found);
    readItems(response["input"], "response.input", "user", found);
  }
  return found;
}

/** Whatever of an event a model has said: a whole response, one of its items, or a piece. */
function output(event: Json): readonly PlacedSegment[] {
  const { type, response, item, part } = event;
  const found: Found = [];
  if (isJson(response)) readItems(response["output"], "response.output", "assistant", found);
  if (isJson(item) && !isClients(item)) readConversationItem(item, "item", "assistant", found);
  if (isJson(part)) readPart(part, at("part", "assistant", MESSAGE), found);
  const names = pieceIn(event) ? ["delta"] : String(type).startsWith("response.") ? TEXTS : [];
  for (const name of names) if (typeof event[name] === "string") readLeaves(event[name], at(name, "assistant", MESSAGE), found);
  return found;
}
/** Items that clients make, which the provider tells again. */
const isClients = ({ type, role }: Json): boolean =>
  role === "user" || role === "system" || /_(call_output|approval_response)$/.test(String(type));

export const content: BodyContent = {
  input,
  output,
  ...(RESPONSE.replaced && { replaced: RESPONSE.replaced }),
  repeats: { transcript: ["audio"] },
  names: namesOf(
    "type item session response previous_item_id instructions tools prompt variables audio input transcription input_audio_transcription content text transcript role name arguments output",
  ),
  namesInside: namesOf("session response item audio input transcription input_audio_transcription prompt"),
};
