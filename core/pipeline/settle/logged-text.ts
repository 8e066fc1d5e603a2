import type { JsonText } from "#contract";
import { beginning } from "../../json/utf8.ts";

/** What a log keeps of a text. */
export interface LoggedText {
  readonly text: string | null;
  /** There may be more of it. */
  readonly isCut: boolean;
}
const NO_TEXT: LoggedText = { text: null, isCut: false };
const encoder = new TextEncoder();
/** Bytes that one unit of a text takes at most. */
const WIDEST = 3;

/** Its beginning, of no more bytes than the limit. */
export function logged(text: JsonText | null, limit: number): LoggedText {
  if (text === null) return NO_TEXT;
  if (typeof text !== "string") return { text: beginning(text, limit), isCut: text.length >= limit };
  return text.length * WIDEST < limit ? { text, isCut: false } : cutAt(text, limit);
}
function cutAt(text: string, limit: number): LoggedText {
  const { read, written } = encoder.encodeInto(text, new Uint8Array(limit));
  return read === text.length ? { text, isCut: written === limit } : { text: copyOf(text.slice(0, read)), isCut: true };
}

/** So many characters of a text; a slice would keep the whole of it in memory for as long as the record waits. */
export const shortened = (text: string, chars: number): string => (text.length > chars ? copyOf(text.slice(0, chars)) : text);
const copyOf = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");

/** The fields of a form as JSON, as far as the limit may reach: they may be far longer. */
export function fieldsText(fields: Readonly<Record<string, string>>, limit: number): string {
  let text = "{";
  for (const [name, value] of Object.entries(fields)) {
    if (text.length >= limit) return text;
    text += `${text === "{" ? "" : ","}${JSON.stringify(shortened(name, limit))}:${JSON.stringify(shortened(value, limit))}`;
  }
  return `${text}}`;
}
