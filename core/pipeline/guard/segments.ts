import type { Check, OperationId, Scope, Segment, SegmentKind, SegmentShape, Side } from "#contract";
import { type Json, operation } from "#contract";
import { answerParts } from "./segments/answer.ts";
import { chatMessage, list, messagesMessage } from "./segments/conversation.ts";
import { type Found, type Placed, at } from "./segments/found.ts";
import { readInput } from "./segments/input.ts";
import { readParts } from "./segments/parts.ts";

export type { Placed } from "./segments/found.ts";
export { PatchRefused, patched } from "./segments/patch.ts";

type Reader = (body: Json, found: Found) => void;

/** How each body shape is read: one row per `segments` value of the operation table. */
const READERS: Readonly<Record<SegmentShape, Reader>> = {
  chat: (body, found) => list(body["messages"]).forEach((message, index) => chatMessage(message, `messages[${index}]`, index, found)),
  messages(body, found) {
    readParts(body["system"], at("system", "system", BEFORE_ALL), found);
    list(body["messages"]).forEach((message, index) => messagesMessage(message, `messages[${index}]`, index, found));
  },
  prompt: (body, found) => members(body, ["prompt", "suffix", "negative_prompt"], found),
  input(body, found) {
    readParts(body["instructions"], at("instructions", "system", BEFORE_ALL), found);
    readInput(body["input"], found);
  },
  rerank(body, found) {
    members(body, ["query"], found);
    list(body["documents"]).forEach((document, index) => readParts(document, at(`documents[${index}]`, "user", 0), found));
  },
  form: (body, found) => members(body, ["prompt", "input", "text"], found),
  none: () => undefined,
};
/** System texts that stand outside the list of messages come before all of them. */
const BEFORE_ALL = -1;

const members = (body: Json, names: readonly string[], found: Found): void => {
  for (const name of names) readParts(body[name], at(name, "user", 0), found);
};

/** Every piece of content of a request, in the order of the body. */
export function segmentsOf(shape: SegmentShape, body: Json): readonly Placed[] {
  const found: Placed[] = [];
  READERS[shape](body, found);
  return found;
}

/** Conversations whose messages stand in a list and are read one by one. */
const MESSAGE_READERS: { readonly [S in SegmentShape]?: typeof chatMessage } = { chat: chatMessage, messages: messagesMessage };

/** The pieces of the last message that has any, without reading the conversation before it; else every piece. */
export function lastSegments(shape: SegmentShape, body: Json): readonly Placed[] {
  const read = MESSAGE_READERS[shape];
  const messages = read ? list(body["messages"]) : [];
  const found: Placed[] = [];
  for (let index = messages.length - 1; index >= 0 && found.length === 0; index -= 1)
    read?.(messages[index], `messages[${index}]`, index, found);
  return found.length > 0 ? found : segmentsOf(shape, body);
}

/** Every piece of content of a whole answer, whatever the operation's form. */
export function answerSegments(body: Json): readonly Placed[] {
  const found: Placed[] = [];
  answerParts(body, found);
  return found;
}

/** Operations whose answers hold content to judge; the others (vectors, scores, images, audio bytes) have none. */
const ANSWERED: ReadonlySet<OperationId> = new Set([
  "chatComplete",
  "complete",
  "messages",
  "createModelResponse",
  "createTranscription",
  "createTranslation",
]);

/** Is there content on this side of this operation? */
export const hasContent = (id: OperationId, side: Side): boolean =>
  side === "input" ? operation(id).segments !== "none" : ANSWERED.has(id);

/** The segments a check sees: of its kinds, in its scope. */
export function selected(all: readonly Placed[], wants: ReadonlySet<SegmentKind>, scope: Scope, side: Side): readonly Segment[] {
  const seen: Segment[] = [];
  if (all.length === 0 || wants.size === 0) return seen;
  for (const segment of side === "input" ? ASKED[scope](all) : ANSWER[scope](all))
    if (wants.has(segment.kind) || (segment.kind === "tool_result" && scope === "last_message" && wants.has("text"))) seen.push(segment);
  return seen;
}
// The documented text under test is the last message whatever its role, so a tool's result counts as text there.

export const wantsOf = (check: Pick<Check, "wants">): ReadonlySet<SegmentKind> => (check.wants ? new Set(check.wants) : TEXT_ONLY);
const TEXT_ONLY: ReadonlySet<SegmentKind> = new Set(["text"]);

type Within = (all: readonly Placed[]) => readonly Placed[];
const everything: Within = (all) => all;
const later = (number: number, { message }: Placed): number => Math.max(number, message);
const earlier = (number: number, { message }: Placed): number => Math.min(number, message);
function ofMessage(all: readonly Placed[], message: number): readonly Placed[] {
  const inside: Placed[] = [];
  for (const segment of all) if (segment.message === message) inside.push(segment);
  return inside;
}

const ASKED: Readonly<Record<Scope, Within>> = {
  last_message: (all) => ofMessage(all, all.reduce(later, BEFORE_ALL)),
  user_messages: (all) => all.filter(({ role }) => role === "user"),
  turn: thisTurn,
  all_messages: everything,
};
const ANSWER: Readonly<Record<Scope, Within>> = {
  last_message: (all) => ofMessage(all, all.reduce(earlier, Number.MAX_SAFE_INTEGER)),
  user_messages: everything,
  turn: everything,
  all_messages: everything,
};

/** Everything after the last assistant message. Assistant text at the very end is a prefill, written by the client: it is new too. */
function thisTurn(all: readonly Placed[]): readonly Placed[] {
  const lastAsked = all.findLastIndex(({ role }) => role !== "assistant");
  const before = all.slice(0, lastAsked + 1).findLastIndex(({ role }) => role === "assistant");
  return all.slice(before + 1);
}
