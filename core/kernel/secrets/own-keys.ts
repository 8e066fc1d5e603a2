import { GATEWAY_KEY_LENGTH, hasKeyForm, isGatewayKey, type Vault } from "#contract";

/**
 * The gateway's own keys, as far as they are known without asking: those that were used in this process, its first ones,
 * and every one that was made with the check in it. None of them leaves in a header.
 */
export interface OwnKeys {
  /** A key that was accepted, or made, just now. */
  remember(key: string): void;
  /** Is one of them anywhere in this text: bare, behind a scheme, quoted, part of a word, percent-encoded or in base64? */
  foundIn(text: string): boolean;
  /** The text without them, to be shown. */
  hide(text: string): string;
}

/** The oldest are forgotten first; keys with the check are known all the same. */
const MAX_REMEMBERED = 10_000;
/** Longer ones are tokens of another issuer, and live shortly. */
const MAX_LENGTH = 256;
const MAX_CLEAN = 1_000;
const MAX_CLEAN_LENGTH = 4_096;
/** A shorter value may be a word of any header. */
const MIN_LENGTH = 16;
const PART = /[A-Za-z0-9_-]{16,}/g;
/** A key as it may be written, with what touches it. */
const WRITTEN = /[A-Za-z0-9_%+=-]{16,}/g;
const REDACTED = "[redacted]";
const BASE64 = /[A-Za-z0-9+/_-]{21,}/g;
const NO_BASE64 = /[^A-Za-z0-9+/_-]+/g;
/** The words of a longer text are decoded as one: each on its own would hold up everybody else. */
const MANY_WORDS = 16 * 1024;
/** Ids of requests and traces are another one each time; as base64 such a text is nothing that a key could be. */
const ID = /^[0-9a-f-]*$/;
/** Four letters are three bytes; in a word (of a URL's path, for one) they may begin anywhere. */
const BEGINNINGS = [0, 1, 2, 3];
const decoded = (part: string, from: number): string => Buffer.from(part.slice(from), "base64").toString("latin1");

export function ownKeys(vault: Pick<Vault, "digest">): OwnKeys {
  const remembered = new Set<string>();
  /** Those of them that an operator chose, or an earlier version made: they may begin and end anywhere in a word. */
  const odd = new Set<string>();
  /** Texts without any, of late: the credentials of providers come with every request. */
  const clean = new Set<string>();
  const isMade = (text: string): boolean => isGatewayKey(text, vault);
  const holdsKey = (text: string): boolean => {
    for (const key of odd) if (text.includes(key)) return true;
    return (text.match(PART) ?? []).some((part) => remembered.has(part)) || windowsOf(text).some(isMade);
  };
  const inBase64 = (text: string): boolean => {
    if (text.length > MANY_WORDS) return inAny(text.replace(NO_BASE64, ""));
    return (text.match(BASE64) ?? []).some((part) => !ID.test(part) && inAny(part));
  };
  const inAny = (part: string): boolean => BEGINNINGS.some((at) => holdsKey(decoded(part, at)));
  const foundIn = (text: string): boolean => {
    if (text.length < MIN_LENGTH || clean.has(text)) return false;
    const read = text.includes("%") ? unescaped(text) : text;
    if (remembered.has(text) || holdsKey(read) || inBase64(read)) return true;
    if (clean.size >= MAX_CLEAN) clean.clear();
    if (text.length <= MAX_CLEAN_LENGTH) clean.add(text);
    return false;
  };
  return {
    foundIn,
    hide(text) {
      if (!foundIn(text)) return text;
      if (text.length > MANY_WORDS) return REDACTED; // which of its words, would take long
      const left = text.replace(WRITTEN, (word) => (foundIn(word) ? REDACTED : word));
      return foundIn(left) ? REDACTED : left;
    },
    remember(key) {
      if (remembered.has(key) || key.length < MIN_LENGTH || key.length > MAX_LENGTH) return;
      if (remembered.size >= MAX_REMEMBERED) forgetOldest(remembered, odd);
      remembered.add(key);
      if (odd.size < MAX_ODD && hasKeyForm(key) && !isMade(key)) odd.add(key);
      clean.clear();
    },
  };
}

/** Each of them is looked for in every text that is new; a deployment has few. */
const MAX_ODD = 256;
function forgetOldest(...keySets: readonly Set<string>[]): void {
  const [oldest] = keySets[0] ?? [];
  for (const keys of keySets) keys.delete(oldest ?? "");
}

const ESCAPES = /(?:%[0-9a-f]{2})+/gi;
/** What is written as `%3A`, read byte by byte: a key has no letter beyond ASCII. */
const unescaped = (text: string): string =>
  text.replace(ESCAPES, (escapes) => Buffer.from(escapes.replaceAll("%", ""), "hex").toString("latin1"));

const WORD = /[A-Za-z0-9]{48,}/g;
/** So many candidates at most are digested beside the words that are as long as a key. */
const MAX_WINDOWS = 16;
/** What in the text is as long as a key and made of its letters: whole words, and of longer ones what begins or ends near an end. */
function windowsOf(text: string): readonly string[] {
  const words = text.match(WORD) ?? [];
  const windows = words.filter(({ length }) => length === GATEWAY_KEY_LENGTH);
  const most = windows.length + MAX_WINDOWS;
  for (const word of words) {
    const last = word.length - GATEWAY_KEY_LENGTH;
    for (let at = 0; last > 0 && at <= last - at && windows.length < most; at += 1)
      windows.push(windowAt(word, at), windowAt(word, last - at));
  }
  return windows;
}
const windowAt = (word: string, at: number): string => word.slice(at, at + GATEWAY_KEY_LENGTH);
