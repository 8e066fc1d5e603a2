import { LRUCache } from "lru-cache";
import { isJson, type Json, parseJson, type WireError } from "#contract";

/* Given secrets, kept out of what is shown of an answer: the texts, headers and errors of whoever was sent them. */

/** As an answer might repeat them, the longest first: one may hold another. */
export type Secrets = readonly string[];
const REDACTED = "[redacted]";
/** A shorter value may be a word of any text. */
export const MIN_LENGTH = 8;

export const longestFirst = (secrets: readonly string[]): Secrets => [...new Set(secrets)].sort((a, b) => b.length - a.length);

/** The text without them, as they are or in base64. */
export function withoutSecrets(text: string, secrets: Secrets): string {
  let left = text;
  for (const secret of secrets) left = withoutBase64(without(left, secret), secret);
  return left;
}
function without(text: string, secret: string): string {
  if (text.length < secret.length || secret.length < SHORTEST || !text.includes(secret)) return text;
  return secret.length < MIN_LENGTH ? withoutWord(text, secret) : text.replaceAll(secret, REDACTED);
}
/** Three letters are guessed sooner than they are read, and stand in every sentence. */
const SHORTEST = 4;

/** Without it where it stands alone: elsewhere its letters are another word's. */
function withoutWord(text: string, secret: string): string {
  let left = "";
  let from = 0;
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
    if (at < from || isOfWord(text, at - 1) || isOfWord(text, at + secret.length)) continue;
    left += text.slice(from, at) + REDACTED;
    from = at + secret.length;
  }
  return from === 0 ? text : left + text.slice(from);
}
const isOfWord = (text: string, at: number): boolean => /^\w/.test(text.charAt(at));

/** The value of an answer's header without them, as they are or in base64; `null` where its name holds one. */
export function headerWithoutSecrets(name: string, value: string, secrets: Secrets): string | null {
  let left = value;
  for (const secret of secrets) {
    if (secret.length < MIN_LENGTH) continue;
    if (name.length >= secret.length && name.includes(secret.toLowerCase())) return null;
    left = withoutBase64(without(left, secret), secret);
  }
  return left;
}

/** Where most texts hold none, and any word may stand: without those that are long enough to be no word. */
export function withoutLongSecrets(text: string, secrets: Secrets): string {
  let left = text;
  for (const secret of secrets) if (secret.length >= MIN_LENGTH) left = without(left, secret);
  return left;
}

/** What is written in base64 with a secret in it, as `user:secret` is. */
function withoutBase64(text: string, secret: string): string {
  if (secret.length < MIN_LENGTH || text.length * 3 < secret.length * 4 - 9) return text;
  let left = text;
  for (const core of coresOf(secret)) left = withoutWordsWith(core, left);
  return left;
}
/** By hand: a pattern for what stands around the core takes the square of a long text's length. */
function withoutWordsWith(core: string, text: string): string {
  let left = "";
  let from = 0;
  for (let at = text.indexOf(core); at >= 0; at = text.indexOf(core, from)) {
    let begin = at;
    while (begin > from && isLetter(text, begin - 1)) begin -= 1;
    left += text.slice(from, begin) + REDACTED;
    from = at + core.length;
    while (from < text.length && isLetter(text, from)) from += 1;
  }
  return from === 0 ? text : left + text.slice(from);
}
const LETTERS: ReadonlySet<number> = new Set(
  Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_", (letter) => letter.charCodeAt(0)),
);
const isLetter = (text: string, at: number): boolean => LETTERS.has(text.charCodeAt(at));

/** Made once for each secret: a provider's key goes with many requests. */
const cores = new LRUCache<string, readonly string[]>({ max: 256 });
function coresOf(secret: string): readonly string[] {
  const cached = cores.get(secret);
  if (cached) return cached;
  const made = [...new Set(BEFORE.flatMap((before) => [coreBehind(before, secret, "base64"), coreBehind(before, secret, "base64url")]))];
  cores.set(secret, made);
  return made;
}
/** Letters of base64 are written for three bytes at a time. */
const BEFORE = [0, 1, 2] as const;
/** The letters that the secret alone decides: the first and the last hold bits of what stands beside it. */
function coreBehind(before: (typeof BEFORE)[number], secret: string, form: "base64" | "base64url"): string {
  const written = Buffer.from(`${" ".repeat(before)}${secret}`)
    .toString(form)
    .replace(/=+$/, "");
  return written.slice(before === 0 ? 0 : before + 1, -1);
}

/** A text that was cut off may end in the beginning of one. */
export function withoutBegunSecret(text: string, secrets: Secrets): string {
  for (const secret of secrets)
    for (let length = secret.length - 1; length >= MIN_LENGTH; length -= 1)
      if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + REDACTED;
  return text;
}

/** What a provider calls its error may hold them as well. */
export const redactedError = ({ message, type, param, code, extra }: WireError, secrets: Secrets): WireError => ({
  message: withoutSecrets(message, secrets),
  type: withoutLongSecrets(type, secrets),
  param: param && withoutLongSecrets(param, secrets),
  code: code && withoutLongSecrets(code, secrets),
  ...(extra && redactedExtra(extra, secrets)),
});

/** Characters of it, as JSON, that are shown. */
const MAX_EXTRA = 65_536;
/** The same text when it holds none; nothing when it is too long, or cannot be written or read without them. */
function redactedExtra(extra: Readonly<Json>, secrets: Secrets): Pick<WireError, "extra"> {
  try {
    const text = JSON.stringify(extra);
    if (text.length > MAX_EXTRA) return {};
    const shown = withoutLongSecrets(text, secrets);
    const read: unknown = shown === text ? extra : parseJson(shown);
    return isJson(read) ? { extra: read } : {};
  } catch {
    return {}; // a number was a credential, or it nests too deep
  }
}
