import { type HeaderClasses, isJson, type Json, parseJson, type Target, type WireError } from "#contract";
import type { HeaderRecord } from "../../egress/header.ts";
import type { Resolved } from "../plan/targets.ts";
import { secretFieldsOf } from "../plan/target-schema.ts";

/*
 * The credentials that went out with a request, and what keeps them out of what is told of its answer: a provider may
 * repeat what it was sent, and a saved credential is neither the client's to see nor a log's to keep.
 */

/** As an answer might repeat them, the longest first: one may hold another. */
export type Secrets = readonly string[];
const NONE: Secrets = [];
const REDACTED = "[redacted]";
/** A shorter value may be a word of any text. */
export const MIN_LENGTH = 8;
/** Written alike in a text, in JSON and in a header. */
const PLAIN = /^[\w.~+-]*$/;

/** The target's own, and what its provider has signed the request with. */
export function secretsSent({ provider, target }: Resolved, headers: HeaderRecord, classes: HeaderClasses): Secrets {
  const own = secretsOf({ provider, target });
  return provider.sign ? longestFirst([...own, ...credentialsIn(headers, classes)]) : own;
}

/** A target's key and its secret fields. */
export function secretsOf({ provider, target }: Pick<Resolved, "provider" | "target">): Secrets {
  const fields = secretFieldsOf(provider.target);
  const { apiKey } = target;
  if (fields.length > 0 || !PLAIN.test(apiKey)) return longestFirst([...valuesOf(fields, target), ...formsOf(apiKey)]);
  return apiKey === "" ? NONE : [apiKey];
}

const valuesOf = (names: readonly string[], { fields }: Target): readonly string[] =>
  names.flatMap((name) => formsOf(textOf(fields[name])).filter(({ length }) => length >= MIN_LENGTH));

function credentialsIn(headers: HeaderRecord, classes: HeaderClasses): readonly string[] {
  const names = Object.keys(headers).filter((name) => classes.of(name).class === "credential");
  return names.flatMap((name) => formsOf(textOf(headers[name])).filter(({ length }) => length >= MIN_LENGTH));
}

/** A token may be given with its scheme, and repeated without. */
const textOf = (secret: unknown): string =>
  typeof secret === "string" ? secret.replace(/^bearer +/i, "") : (JSON.stringify(secret) ?? "");

/** As it is, as JSON holds it, and as those write it who escape slashes. */
function formsOf(secret: string): readonly string[] {
  if (PLAIN.test(secret)) return secret === "" ? NONE : [secret];
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, inJson.replaceAll("/", "\\/")];
}

export const longestFirst = (secrets: readonly string[]): Secrets => [...new Set(secrets)].sort((a, b) => b.length - a.length);

/** The text without them, as they are or in base64. */
export function withoutSecrets(text: string, secrets: Secrets): string {
  let left = text;
  for (const secret of secrets) left = withoutBase64(without(left, secret), secret);
  return left;
}
const without = (text: string, secret: string): string =>
  text.length >= secret.length && text.includes(secret) ? text.replaceAll(secret, REDACTED) : text;

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
const cores = new Map<string, readonly string[]>();
const MAX_CORES = 256;
function coresOf(secret: string): readonly string[] {
  const known = cores.get(secret);
  if (known) return known;
  if (cores.size >= MAX_CORES) cores.clear();
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
export const toldError = ({ message, type, param, code, extra }: WireError, secrets: Secrets): WireError => ({
  message: withoutSecrets(message, secrets),
  type: withoutLongSecrets(type, secrets),
  param: param && withoutLongSecrets(param, secrets),
  code: code && withoutLongSecrets(code, secrets),
  ...(extra && toldExtra(extra, secrets)),
});

/** Characters of it, as JSON, that are told. */
const MAX_EXTRA = 65_536;
/** The same text when it holds none; nothing when it is too long, or cannot be written or read without them. */
function toldExtra(extra: Readonly<Json>, secrets: Secrets): Pick<WireError, "extra"> {
  try {
    const text = JSON.stringify(extra);
    if (text.length > MAX_EXTRA) return {};
    const told = withoutLongSecrets(text, secrets);
    const read: unknown = told === text ? extra : parseJson(told);
    return isJson(read) ? { extra: read } : {};
  } catch {
    return {}; // a number was a credential, or it nests too deep
  }
}
