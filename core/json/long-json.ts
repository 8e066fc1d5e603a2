import { GatewayError, MAX_JSON_LEVELS, nextTurn, parseJson } from "#contract";
import { parsedInGroups } from "./groups.ts";
import { type JsonLimits, JsonScan, type LongList } from "./scan.ts";

export type { JsonLimits };

/* Parsing a text is one step, in which nobody else is served: a long one of an upstream's is judged before. */

/** A shorter text cannot hold enough to be dear. */
export const LONG = 64 * 1024;
/** Characters that are judged before others have their turn. */
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
  maxWorkMs: 400, // shortJson group by group
};

export const isLong = (text: string): boolean => text.length > LONG;

/** Throws a SyntaxError when parsing a long text would keep others waiting; says where it can be cut. */
export async function refuseSlow(text: string, limits = CONVERSATION): Promise<LongList | null> {
  await nextTurn(); // joining what it came in took its time too
  const scan = new JsonScan(text, limits);
  while (!judged(scan)) await nextTurn();
  return scan.longList;
}

/** What a long text says, judged before: also for how deep it nests. A long list in it is shortJson in turns. */
export async function parsedLong(text: string, limits?: JsonLimits): Promise<unknown> {
  const list = await refuseSlow(text, limits);
  await nextTurn();
  return parsedInGroups(text, list);
}

/** Reads a slice more; says whether it was the last. */
function judged(scan: JsonScan): boolean {
  try {
    return scan.read(SLICE);
  } catch (thrown) {
    throw GatewayError.is(thrown) ? new SyntaxError(why(thrown), { cause: thrown }) : thrown;
  }
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
export function shortJson(text: string): unknown {
  try {
    return isLong(text) ? undefined : parseJson(text);
  } catch {
    return undefined;
  }
}
