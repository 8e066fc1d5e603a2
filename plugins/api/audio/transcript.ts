import { GatewayError, InnerJson, isJson, type Json, nextTurn, type NoJsonAnswer } from "#contract";
import { saysTheSame } from "./same-words.ts";

/** Transcripts that are no JSON: texts and subtitles as they stand, events as the text that they spell. */
export const transcripts: NoJsonAnswer = {
  read: async (wire, type) => ({ text: isEvents(type) ? await textOf(await spelledIn(wire)) : wire }),
  write: async ({ text }, wire, type) => (isEvents(type) ? eventsOf(String(text), await spelledIn(wire)) : String(text)),
};

const isEvents = (type: string): boolean => type.includes("event-stream");

/** What the events of a transcript say. */
interface Spelled {
  readonly pieces: string[];
  /** Of each speaker's turn, whole. */
  readonly segments: string[];
  /** The last event with the whole text. */
  done: Json | undefined;
  /** What may come behind it. */
  isMarked: boolean;
}
/** Characters that are read before others have their turn, and what an event counts beside its own. */
const AT_ONCE = 64 * 1024;
const EVENT = 256;

async function spelledIn(wire: string): Promise<Spelled> {
  const spelled: Spelled = { pieces: [], segments: [], done: undefined, isMarked: false };
  let sincePause = 0;
  for (const data of dataLines(wire)) {
    read(data, spelled);
    sincePause += data.length + EVENT;
    if (sincePause < AT_ONCE) continue;
    sincePause = 0;
    await nextTurn();
  }
  return spelled;
}
/** What stands behind `data:` at the beginning of a line; other lines are crossed by a search. */
function* dataLines(wire: string): Generator<string> {
  for (let at = wire.startsWith(DATA) ? 0 : nextLine(wire, 0); at >= 0; ) {
    const end = wire.indexOf("\n", at);
    yield wire.slice(at + DATA.length, end < 0 ? wire.length : end).trim();
    at = end < 0 ? -1 : nextLine(wire, end);
  }
}
const DATA = "data:";
function nextLine(wire: string, from: number): number {
  const before = wire.indexOf(`\n${DATA}`, from);
  return before < 0 ? -1 : before + 1;
}

function read(data: string, spelled: Spelled): void {
  if (data.startsWith("[DONE]")) spelled.isMarked = true;
  const event = data.startsWith("{") ? parsed(data) : undefined;
  if (!isJson(event)) return;
  const { type, delta, text } = event;
  if (delta !== undefined) spelled.pieces.push(String(delta));
  if (typeof text !== "string") return;
  if (type !== DONE) return void spelled.segments.push(text);
  if (spelled.done !== undefined) spelled.segments.push(String(spelled.done["text"]));
  spelled.done = event;
}
/** An event that nobody can read in time is not passed unread. */
function parsed(data: string): unknown {
  try {
    return new InnerJson().parse(data);
  } catch (thrown) {
    if (GatewayError.is(thrown)) throw new SyntaxError("reading an event of it would hold up everybody else", { cause: thrown });
    return undefined; // nor can its client
  }
}

/** The text, and whatever the pieces, the speakers' turns and the last event say otherwise: a client may read any of them. */
async function textOf({ pieces, segments, done }: Spelled): Promise<string> {
  const different: string[] = [];
  for (const telling of [done === undefined ? "" : String(done["text"]), pieces.join(""), segments.join(" ")])
    if (telling.trim() !== "" && !(await isAmong(different, telling))) different.push(telling);
  return different.join("\n");
}
async function isAmong(tellings: readonly string[], telling: string): Promise<boolean> {
  for (const before of tellings) if (await saysTheSame(before, telling)) return true;
  return false;
}
const DONE = "transcript.text.done";

/** The changed text as one piece, and the last event with it; what else its members said (log probabilities) is gone. */
function eventsOf(text: string, { done, isMarked }: Spelled): string {
  const events: readonly Json[] = [
    { type: "transcript.text.delta", delta: text },
    { type: DONE, text, ...(done?.["usage"] !== undefined && { usage: done["usage"] }) },
  ];
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + (isMarked ? "data: [DONE]\n\n" : "");
}
