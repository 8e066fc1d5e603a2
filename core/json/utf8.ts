import { isUtf8 } from "node:buffer";
import { type JsonText, nextTurn } from "#contract";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of these bytes. */
export const utf8 = (bytes: Uint8Array, from = 0, to = bytes.length): string => decoder.decode(bytes.subarray(from, to));

/** Characters of which one makes a text take two bytes for each. */
export const WIDE = /[^\0-\xff]/;

/** Is it a byte within a character, which does not begin one? */
export const isWithinCharacter = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Bytes that are copied before others have their turn. */
const COPIED = 4 * 1024 * 1024;

/** Bytes that may be decoded in one go, while nobody else is served. */
export const AT_ONCE = 1024 * 1024;

/**
 * The text that came in these pieces, without a byte order mark; in bytes where it is long. What is no UTF-8 becomes
 * U+FFFD, in a long text as in a short one.
 */
export async function received(pieces: readonly Uint8Array[]): Promise<JsonText> {
  const bytes = withoutMark(await joined(pieces));
  if (bytes.length <= AT_ONCE) return utf8(bytes);
  return isUtf8(bytes) ? bytes : repaired(bytes);
}

/** Bytes that are decoded in one go where many may be no UTF-8: the runtime takes long for those. */
const REPAIRED = 256 * 1024;
async function repaired(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const from = new TextDecoder("utf-8", { ignoreBOM: true });
  const to = new TextEncoder();
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += REPAIRED) {
    parts.push(to.encode(from.decode(bytes.subarray(at, at + REPAIRED), { stream: true })));
    await nextTurn();
  }
  return joined([...parts, to.encode(from.decode())]);
}
/** A byte order mark says nothing in UTF-8. */
export const withoutMark = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** The beginning of a text: so many characters of it, or what so many bytes say where it is kept in bytes. */
export const beginning = (text: JsonText, length: number): string =>
  typeof text === "string" ? text.slice(0, length) : new TextDecoder().decode(text.subarray(0, length), { stream: true });

/** All bytes in one piece. */
export async function joined(parts: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  let next = COPIED;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
    if (at < next) continue;
    next = at + COPIED;
    await nextTurn();
  }
  return whole;
}

/** Has a text at most so many characters? It is bytes of UTF-8 seen as characters, of which each may take three. */
export function hasFewCharacters(slice: string, from: number, to: number, most: number): boolean {
  if (to - from <= most) return true;
  if (to - from > 3 * most) return false;
  let chars = 0;
  for (let at = Math.max(from, 0); at < to; at += 1) if ((slice.charCodeAt(at) & 0xc0) !== 0x80) chars += 1;
  return chars <= most;
}
