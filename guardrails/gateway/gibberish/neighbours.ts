import { SMALL_WORDS, type Kind } from "./small-words.ts";

/*
 * What stands beside what in a text, as numbers of buckets. Of a word three things count: itself where it is frequent, its
 * ending, and what kind of word it is. The weight of a bucket says how much rather a sentence has it than shuffled words.
 */

/** Words, numbers, the ends of sentences, and other signs. */
const TOKENS = /\p{L}+(?:[-._/@:][\p{L}\d]+)*['’]?|\d[\d.,:]*|[.!?…]+|[^\s\p{L}\d]/gu;

export const BUCKETS = 2 ** 14;

/** What a language's table knows of words. */
export interface Vocabulary {
  readonly frequent: ReadonlySet<string>;
  readonly endings: ReadonlySet<string>;
}

/** Hashes of what a word looks like, from what says most to what every word has. */
interface Looks {
  readonly itself: number;
  readonly ending: number;
  readonly kind: number;
}
const alike = (sign: string): Looks => ({ itself: hashOf(sign), ending: hashOf(sign), kind: hashOf(sign) });
const EDGE_LOOKS = alike("|");
const NUMBER_LOOKS = alike("#");
const SIGN_LOOKS = alike(",");

export const ENDING_CHARS = 2;
export const tokensOf = (text: string): readonly string[] => text.replaceAll("’", "'").match(TOKENS) ?? [];

/** Buckets of all neighbours in a text; what is there more than once is there more than once. */
export function neighboursIn(text: string, code: string, vocabulary: Vocabulary): readonly number[] {
  const kinds = SMALL_WORDS.get(code)?.kinds ?? new Map<string, Kind>();
  const row = rowOf(text, (token) => looksOf(token, { code, kinds, vocabulary }));
  const found: number[] = [];
  for (let at = 1; at < row.length; at += 1) addPair(found, row[at - 2], row[at - 1] ?? EDGE_LOOKS, row[at] ?? EDGE_LOOKS);
  return [...found, ...outOfPlace(text, kinds).flatMap((sign) => Array.from({ length: SIGN_WEIGHT }, () => bucketOf(9, hashOf(sign), 0)))];
}

function rowOf(text: string, look: (token: string) => Looks): readonly Looks[] {
  const row = [EDGE_LOOKS];
  for (const token of tokensOf(text)) {
    const isEnd = /^[.!?…]/.test(token);
    if (!isEnd) row.push(look(token));
    else if (row.at(-1) !== EDGE_LOOKS) row.push(EDGE_LOOKS);
  }
  if (row.at(-1) !== EDGE_LOOKS) row.push(EDGE_LOOKS);
  return row;
}

interface Known {
  readonly code: string;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly vocabulary: Vocabulary;
}
function looksOf(token: string, { code, kinds, vocabulary }: Known): Looks {
  if (/^\d/.test(token)) return NUMBER_LOOKS;
  if (!/^\p{L}/u.test(token)) return SIGN_LOOKS;
  const word = token.toLowerCase();
  const kind = kinds.get(word);
  const capital = token === word ? "" : code === "de" ? "N" : "C";
  const ending = kind ?? capital + endingOf(word, vocabulary);
  const endingHash = hashOf(ending);
  return {
    itself: vocabulary.frequent.has(word) ? hashOf(word) : endingHash,
    ending: endingHash,
    kind: hashOf(kind ?? `${capital}${word.length > SHORT ? "x" : "s"}`),
  };
}
/** Longer words have an ending. */
const SHORT = 3;
function endingOf(word: string, { endings }: Vocabulary): string {
  if (word.length <= SHORT) return "s";
  const ending = word.slice(-ENDING_CHARS);
  return endings.has(ending) ? `-${ending}` : "x";
}

function addPair(found: number[], before: Looks | undefined, first: Looks, second: Looks): void {
  found.push(
    bucketOf(1, first.ending, second.ending),
    bucketOf(2, first.itself, second.itself),
    bucketOf(3, first.kind, second.kind),
    bucketOf(4, first.itself, second.kind),
    bucketOf(5, first.kind, second.itself),
  );
  if (before === undefined) return;
  found.push(
    bucketOf(6, mixed(before.kind, first.kind), second.kind),
    bucketOf(7, before.itself, second.kind),
    bucketOf(8, before.kind, second.itself),
  );
}

/** FNV-1a. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash;
}
const mixed = (one: number, other: number): number => Math.imul((one << 5) ^ (one >>> 27) ^ other, 0x85ebca6b) ^ (other >>> 13);
function bucketOf(way: number, one: number, other: number): number {
  const hash = mixed(mixed(way, one), other);
  return ((hash ^ (hash >>> 15)) >>> 0) % BUCKETS;
}

const SIGN_WEIGHT = 3;
/** So many words are looked through for signs of a shuffled sentence. */
const MOST_SIGNS = 40;
const CAPITAL_INSIDE = /\p{L},?\s(\p{Lu}\p{Ll}*)(?!\p{L})/gu;
const END_INSIDE = /\p{L}{3}[.?!][\s"”»)]+\p{Ll}/u;
/** Capitals and full stops where a sentence has none: what is left of it when its words were shuffled as they stood. */
function outOfPlace(text: string, kinds: ReadonlyMap<string, Kind>): readonly string[] {
  const beginsSmall = /^["'«„¿¡]*\p{Ll}/u.test(text) && /\p{Lu}/u.test(text);
  const endInside = END_INSIDE.test(text);
  const capital = [...text.matchAll(CAPITAL_INSIDE)]
    .slice(0, MOST_SIGNS)
    .some(([, word = ""]) => !POLITE.has(word) && kinds.has(word.toLowerCase()));
  const signs = [
    endInside && "end",
    endInside && beginsSmall && "end small",
    endInside && !/[.?!…:]["”»)]*\s*$/.test(text) && "end open",
    capital && "capital",
    capital && beginsSmall && "capital small",
  ];
  return signs.filter((sign) => sign !== false);
}
/** They have a capital wherever they stand. */
const POLITE: ReadonlySet<string> = new Set(["I", "Sie", "Ihr", "Ihre", "Ihnen", "Ihren", "Ihrem", "Ihrer"]);
