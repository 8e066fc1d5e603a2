import { GatewayError, isJson, type Json, type JsonText, nextTurn } from "#contract";
import type { Held } from "../../kernel/process/memory-budget.ts";
import { isLong, shortJson, upstreamJson } from "../../json/long-json.ts";
import { textCost } from "../../json/memory-cost.ts";
import { joined, received, utf8 } from "../../json/utf8.ts";
import { MAX_WHOLE } from "../../json/whole.ts";
import type { Reply } from "../call/reply.ts";

/* Lists in answers that do not call themselves JSON: lines of it, or JSON under another name. */

/** One of its lines, or all of it. */
export interface TextThing {
  readonly text: JsonText;
  readonly thing: Json | readonly unknown[];
}

/** All of an answer that was on its way through. */
export async function wholeText({ content, headers }: Reply, held: Held): Promise<JsonText> {
  const pieces: Uint8Array[] = [];
  if (content.kind !== "bytes" || content.bytes === null) return "";
  let size = 0;
  for (let piece = await content.bytes.read(); piece; piece = await content.bytes.read()) {
    size += piece.length;
    if (size > MAX_WHOLE) throw unreadable(headers);
    held.grow(textCost(piece.length));
    pieces.push(piece);
  }
  return received(pieces);
}

/** What is listed in it. Throws ANSWER_SHARED for what nobody can read: it may hold anybody's things. */
export async function textThings(text: JsonText, { headers }: Reply): Promise<readonly TextThing[]> {
  const lines = await linesIn(text);
  if (lines) return lines;
  const thing = await upstreamJson(text).catch(() => undefined);
  if (!isJson(thing) && !Array.isArray(thing)) throw unreadable(headers);
  return [{ text, thing }];
}
const unreadable = (headers: Reply["headers"]): GatewayError =>
  new GatewayError("ANSWER_SHARED", { type: (headers["content-type"] ?? "of no type").slice(0, 100) });

/** More are no list that anybody reads. */
const MOST_LINES = 20_000;
/** Lines that are read before others have their turn. */
const PER_TURN = 200;

/** `null` where a line is no object of its own. */
async function linesIn(text: JsonText): Promise<readonly TextThing[] | null> {
  const things: TextThing[] = [];
  for (const line of eachLine(text)) {
    if (line.trim() === "") continue;
    const thing = isLong(line) ? await upstreamJson(line).catch(() => undefined) : shortJson(line);
    if (!isJson(thing) || things.length === MOST_LINES) return null;
    things.push({ text: line, thing });
    if (things.length % PER_TURN === 0) await nextTurn();
  }
  return things;
}
function* eachLine(text: JsonText): Generator<string> {
  const bytes = bytesOf(text);
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(NEW_LINE, from);
    const to = found < 0 ? bytes.length : found;
    yield utf8(bytes, from, to);
    from = to + 1;
  }
}
const NEW_LINE = 0x0a;
const bytesOf = (text: JsonText): Uint8Array => (typeof text === "string" ? Buffer.from(text) : text);

/** One of its things as if it were all of the answer. */
export const asReply = (reply: Reply, { text, thing }: TextThing): Reply => ({
  ...reply,
  content: { kind: "whole", text, body: isJson(thing) ? thing : null, usage: null },
});
/** The answer with what is left of it, a line each, and an end of line where it had one. */
export async function withThings(reply: Reply, left: readonly TextThing[], before: JsonText): Promise<Reply> {
  const text = await joined(left.flatMap(({ text }, at) => (at === 0 ? [bytesOf(text)] : [LINE_END, bytesOf(text)])));
  const whole = left.length > 0 && bytesOf(before).at(-1) === NEW_LINE ? await joined([text, LINE_END]) : text;
  return { ...reply, content: { kind: "whole", text: whole, body: null, usage: null } };
}
const LINE_END = Uint8Array.of(NEW_LINE);
