import { GatewayError, isJson, type Json, messageOf } from "#contract";

/** What a JSON text may be like, beside its length. */
export interface JsonLimits {
  readonly maxDepth: number;
  /**
   * Values and names of members: each costs time and memory many times its text, names most of all. DATA_VALUES unless
   * it says otherwise.
   */
  readonly maxValues?: number;
}

/** Deeper JSON is refused before anything walks it. */
export const MAX_DEPTH = 128;
/** Data plane: long conversations and batches of inputs have fewer. */
const DATA_VALUES = 500_000;
/** Control and admin planes, and configs in headers: what people write by hand or by script. */
export const CONTROL_VALUES = 20_000;
/** Bytes of a body on the control and admin planes, unless its route says otherwise. */
export const CONTROL_BODY_BYTES = 1024 * 1024;

/** Parses a JSON object within limits. */
export function jsonObject(text: string, limits: JsonLimits): Json {
  const value = boundedJson(text, limits);
  if (!isJson(value)) throw new GatewayError("BODY_NOT_JSON", { why: text === "" ? "it is empty" : "it must be an object" });
  return value;
}

/** A shorter text cannot cost much before it is parsed: it is judged afterwards, which is cheaper than reading it twice. */
const SCANNED_FROM = 16 * 1024;

/** Parses JSON, refusing what nests too deep or holds too much to be handled safely. A long text is judged before it is parsed. */
export function boundedJson(text: string, limits: JsonLimits): unknown {
  if (text.length >= SCANNED_FROM) {
    refuseShape(text, limits);
    return parsed(text, limits);
  }
  const value = parsed(text, limits);
  if (deeper(value, limits.maxDepth)) throw tooDeep(limits);
  return value;
}

const tooDeep = ({ maxDepth }: JsonLimits): GatewayError => new GatewayError("BODY_TOO_DEEP", { limit: maxDepth });

function parsed(text: string, limits: JsonLimits): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw tooDeep(limits);
    const why = messageOf(thrown).replace(/^JSON Parse error: /, "");
    throw new GatewayError("BODY_NOT_JSON", { why: why.slice(0, 120) }, { cause: thrown });
  }
}

function deeper(value: unknown, left: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (left === 0) return true;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) if (deeper(value[i], left - 1)) return true;
    return false;
  }
  for (const key in value) if (deeper((value as Json)[key], left - 1)) return true; // an object, by the lines above
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENS = 1;
const CLOSES = 2;
const SEPARATES = 3;
/** What a character outside strings means for depth and count. */
const MEANS = new Uint8Array(128);
for (const [characters, means] of [
  ["[{", OPENS],
  ["]}", CLOSES],
  [",:", SEPARATES],
] as const)
  for (const character of characters) MEANS[character.charCodeAt(0)] = means;

/**
 * Counts depth and values in one pass over the text, and ends at the first that is too many. Strings, which make up
 * most of a long body, are crossed by the runtime's own search. What is no JSON is the parser's business.
 */
function refuseShape(text: string, limits: JsonLimits): void {
  const { maxDepth, maxValues = DATA_VALUES } = limits;
  let depth = 0;
  let values = 1;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    const means = MEANS[code];
    if (code === QUOTE) i = stringEnd(text, i);
    else if (means === CLOSES) depth -= 1;
    else if (means === OPENS || means === SEPARATES) {
      values += 1;
      if (values > maxValues) throw new GatewayError("BODY_TOO_MANY_VALUES", { limit: maxValues });
      if (means === OPENS) depth += 1;
      if (depth > maxDepth) throw tooDeep(limits);
    }
  }
}

/** Where the string that begins at `from` ends; the end of the text when it does not. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}
