import { isJson, type Json, type JsonText, nextTurn } from "#contract";
import type { MaybePromise } from "../kernel/process/maybe-promise.ts";
import { joined } from "./utf8.ts";

/** Characters or bytes of a text; what is made of a shorter one is written in one go. */
const LONG = 256 * 1024;
export const isWrittenInTurns = (from: JsonText): boolean => from.length > LONG;
/** A body that was made of another. */
export const written = (body: Json, from: JsonText): MaybePromise<JsonText> =>
  isWrittenInTurns(from) ? writtenInTurns(body) : JSON.stringify(body);

/** Characters that are written before others have their turn. */
const PER_TURN = 256 * 1024;
/** Values inside so many others are written with what holds them. */
const MAX_LEVELS = 4;

/** What `JSON.stringify` makes of a body that may be long: member by member and piece by piece, with turns for others between them. */
export async function writtenInTurns(body: Json): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new Writer();
  await writer.write(body, MAX_LEVELS);
  return writer.end();
}
const encoder = new TextEncoder();

class Writer {
  private text = "";
  private readonly parts: Uint8Array[] = [];

  end(): Promise<Uint8Array<ArrayBuffer>> {
    this.encode();
    return joined(this.parts);
  }
  private encode(): void {
    this.parts.push(encoder.encode(this.text));
    this.text = "";
  }
  async write(value: unknown, levels: number): Promise<void> {
    if (typeof value === "string" && value.length > PER_TURN) return this.string(value);
    if (levels > 0 && Array.isArray(value)) return this.array(value, levels - 1);
    if (levels > 0 && isJson(value)) return this.object(value, levels - 1);
    this.text += JSON.stringify(value) ?? "null";
    if (this.text.length < PER_TURN) return undefined;
    this.encode();
    return nextTurn();
  }
  private async array(values: readonly unknown[], levels: number): Promise<void> {
    let before = "[";
    for (const value of values) {
      this.text += before;
      await this.write(value, levels);
      before = ",";
    }
    this.text += before === "[" ? "[]" : "]";
  }
  private async object(members: Json, levels: number): Promise<void> {
    let before = "{";
    for (const name of Object.keys(members)) {
      if (members[name] === undefined) continue;
      this.text += `${before}${JSON.stringify(name)}:`;
      await this.write(members[name], levels);
      before = ",";
    }
    this.text += before === "{" ? "{}" : "}";
  }
  private async string(value: string): Promise<void> {
    this.text += '"';
    for (let from = 0, to = 0; from < value.length; from = to) {
      to = from + PER_TURN;
      if (isHighSurrogate(value.charCodeAt(to - 1))) to += 1; // one character in two
      this.text += JSON.stringify(value.slice(from, to)).slice(1, -1);
      this.encode();
      await nextTurn();
    }
    this.text += '"';
  }
}

/** Is it the first half of a character? */
export const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
