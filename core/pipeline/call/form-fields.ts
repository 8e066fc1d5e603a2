import { isAscii } from "node:buffer";
import { nextTurn } from "#contract";
import { MOST_WIDE } from "../../json/long-text.ts";
import { WIDE } from "../../json/utf8.ts";
import { takesLong } from "../../json/work.ts";
import type { FormPart } from "./form-parts.ts";

/** Bytes that are decoded before others have their turn. */
const PER_TURN = 256 * 1024;
/** What the text fields of a form say; of several with one name, the last. */
export async function textFields(bytes: Uint8Array, parts: readonly FormPart[]): Promise<Readonly<Record<string, string>>> {
  const fields: [name: string, text: string][] = [];
  let inTurn = 0;
  for (const { name, isFile, valueFrom, to } of parts) {
    if (isFile) continue;
    fields.push([name, await decoded(bytes.subarray(valueFrom, to))]);
    inTurn += Math.min(to - valueFrom, PER_TURN);
    if (inTurn < PER_TURN) continue;
    inTurn = 0;
    await nextTurn();
  }
  return Object.fromEntries(fields);
}

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
