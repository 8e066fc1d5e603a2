import { isAscii } from "node:buffer";
import { nextTurn } from "#contract";
import { MOST_WIDE } from "../../json/long-text.ts";
import { WIDE } from "../../json/utf8.ts";
import { takesLong } from "../../json/work.ts";
import { type TextForm, unreadable } from "./form-headers.ts";
import type { FormPart } from "./form-parts.ts";

/** Bytes that are decoded before others have their turn. */
const PER_TURN = 256 * 1024;
/** What the text fields of a form say; the texts of a list (`name[]`) stand in one, a line each. */
export async function textFields(bytes: Uint8Array, parts: readonly FormPart[]): Promise<Readonly<Record<string, string>>> {
  const fields = new Map<string, string>();
  let inTurn = 0;
  for (const { name, isFile, valueFrom, to, text: written } of parts) {
    if (isFile) continue;
    const before = textBefore(fields, name);
    const value = bytes.subarray(valueFrom, to);
    refuseTwofold(value, written);
    const text = before + (await decoded(value));
    if (before && text.length > MOST_WIDE) throw takesLong(MOST_WIDE, "characters of one list of texts");
    fields.set(name, text);
    inTurn += Math.min(to - valueFrom, PER_TURN);
    if (inTurn < PER_TURN) continue;
    inTurn = 0;
    await nextTurn();
  }
  return Object.fromEntries(fields);
}

/** Of a field that is no list some readers take the first text, and some the last. */
function textBefore(fields: ReadonlyMap<string, string>, name: string): string {
  const before = fields.get(name);
  if (before === undefined) return "";
  if (name.endsWith("[]")) return `${before}\n`;
  throw unreadable(`it has the text field ${JSON.stringify(name.slice(0, 100))} twice, and its name does not end with [] as a list's does`);
}

/** Bytes that some read as other letters, or escapes that some resolve. */
function refuseTwofold(value: Uint8Array, { asciiOnly, isJson }: TextForm): void {
  if (asciiOnly && !isAscii(value)) throw unreadable("a part has letters beyond ASCII in a charset other than UTF-8");
  if (isJson && value.includes(BACKSLASH)) throw unreadable("a text that calls itself JSON has an escape, which not all resolve");
}
const BACKSLASH = 0x5c;

async function decoded(bytes: Uint8Array): Promise<string> {
  const decoder = new TextDecoder();
  if (bytes.length <= PER_TURN) return decoder.decode(bytes);
  const pieces: string[] = [];
  let length = 0;
  let isWide = false;
  for (let at = 0; at < bytes.length; at += PER_TURN) {
    const part = bytes.subarray(at, at + PER_TURN);
    const piece = decoder.decode(part, { stream: at + PER_TURN < bytes.length });
    pieces.push(piece);
    length += piece.length;
    isWide ||= !isAscii(part) && WIDE.test(piece);
    if (isWide && length > MOST_WIDE) throw takesLong(MOST_WIDE, "characters of one text that is not all Latin-1");
    await nextTurn();
  }
  return pieces.join("");
}
