import { GatewayError, type JsonText, MAX_JSON_LEVELS, nextTurn, parseJson } from "#contract";
import { parsedInGroups } from "./groups.ts";
import { type JsonLimits, JsonScan } from "./scan.ts";
import { WIDE } from "./utf8.ts";
import { takesLong } from "./work.ts";
import type { LongValue } from "./scanned.ts";

export type { JsonLimits };

/* Parsing a text is one step, in which nobody else is served: a long one of an upstream's is judged before. */

/** A shorter text cannot hold enough to be dear. */
export const LONG = 64 * 1024;
/** Characters that are judged in one go. */
const SLICE = 256 * 1024;

/** An event or a conversation: logprobs of thousands of tokens, images and documents have their place in it. */
export const CONVERSATION: JsonLimits = { maxDepth: MAX_JSON_LEVELS, maxValues: 1_000_000, maxContainers: 200_000, maxWorkMs: 40 };
/** An answer that is made into another: each of its parts is folded and written anew, in one turn. */
export const TRANSLATED: JsonLimits = { ...CONVERSATION, maxContainers: 20_000 };
/** Vectors: 2,048 of 3,072 numbers each. */
export const VECTORS: JsonLimits = {
  maxDepth: MAX_JSON_LEVELS,
  maxValues: 6_400_000,
  maxNames: 50_000,
  maxContainers: 50_000,
  maxWorkMs: 400, // parsed group by group
};

export const isLong = (text: JsonText): boolean => text.length > LONG;

/** What was seen of a long text before it is parsed. */
interface ScannedJson {
  /** Which of its values are too long to be parsed in one go. */
  readonly values: readonly LongValue[];
  /** Names of members in it, repeated ones too. */
  readonly names: number;
}

/** Throws when parsing a long text would keep others waiting. */
export async function judged(text: JsonText, limits: JsonLimits): Promise<ScannedJson> {
  const scan = new JsonScan(limits, { inOneGo: typeof text === "string" });
  const slice = typeof text === "string" ? charactersOf(text) : bytesOf(text);
  for (let at = 0; at < text.length; at += SLICE) {
    await nextTurn();
    scan.read(slice(at));
  }
  await nextTurn();
  return { values: scan.end(), names: scan.names };
}
const charactersOf = (text: string) => (at: number) => text.slice(at, at + SLICE);
/** Bytes seen as characters: what the scan looks for is ASCII. */
function bytesOf(bytes: Uint8Array): (at: number) => string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return (at) => buffer.toString("latin1", at, at + SLICE);
}

/** What a long text says, and how many names of members it has: bytes are parsed in turns. Throws a SyntaxError, or what `judged` throws. */
export async function longJson(text: JsonText, limits: JsonLimits): Promise<{ readonly value: unknown; readonly names: number }> {
  const { values, names } = await judged(text, limits);
  const value: unknown = typeof text === "string" ? JSON.parse(text) : await parsedInGroups(text, values);
  return { value, names };
}

/** Throws a SyntaxError when parsing an upstream's long text would keep others waiting. */
export async function refuseSlow(text: string, limits = CONVERSATION): Promise<void> {
  await judged(text, limits)
    .then(() => refuseWide(text))
    .catch(asSyntaxError);
}

/** Characters of a text that is parsed in one go, when any of them takes two bytes in memory. */
const MOST_WIDE = 4 * 1024 * 1024;
async function refuseWide(text: string): Promise<void> {
  if (text.length <= MOST_WIDE) return;
  for (let at = 0; at < text.length; at += SLICE) {
    if (WIDE.test(text.slice(at, at + SLICE))) throw takesLong(MOST_WIDE, "characters that are not all Latin-1");
    await nextTurn();
  }
}

/** What an upstream's long text says, or a SyntaxError: also for how deep it nests. */
export const upstreamJson = (text: JsonText, limits = CONVERSATION): Promise<unknown> =>
  longJson(text, limits).then(({ value }) => value, asSyntaxError);

function asSyntaxError(thrown: unknown): never {
  throw GatewayError.is(thrown) ? new SyntaxError(why(thrown), { cause: thrown }) : thrown;
}

/** The scan's errors speak of a request. */
function why({ code, details, message }: GatewayError): string {
  if (code === "BODY_TOO_DEEP") return `it is nested deeper than ${details["limit"]} levels`;
  if (code === "BODY_TOO_MANY_VALUES") return `it holds more than ${details["limit"]} ${details["of"]}`;
  return code === "BODY_TAKES_LONG"
    ? `parsing it would hold up everybody else, mostly for its ${details["count"]} or more ${details["what"]}`
    : message;
}

/** What a short text says; `undefined` where it says nothing, or is long: its reader knows what was expected. */
export function shortJson(text: JsonText): unknown {
  try {
    return typeof text !== "string" || isLong(text) ? undefined : parseJson(text);
  } catch {
    return undefined;
  }
}
