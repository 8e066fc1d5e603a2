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

/** The text that came in these pieces, without a byte order mark; in bytes where it is long. */
export async function received(pieces: readonly Uint8Array[]): Promise<JsonText> {
  const bytes = await joined(pieces);
  return bytes.length > AT_ONCE ? withoutMark(bytes) : utf8(withoutMark(bytes));
}
/** A byte order mark says nothing in UTF-8. */
export const withoutMark = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** No more than so many characters from the beginning of a text. */
export const beginning = (text: JsonText, chars: number): string =>
  typeof text === "string" ? text.slice(0, chars) : new TextDecoder().decode(text.subarray(0, chars), { stream: true });

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
