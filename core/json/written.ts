import { isJson, type Json, type JsonText, nextTurn, piecesOf } from "#contract";
import { joined } from "./utf8.ts";

/** Characters or bytes of a text; what is made of a shorter one is written in one go. */
const LONG = 256 * 1024;
export const isWrittenInTurns = (from: JsonText): boolean => from.length > LONG;
/** A body, or a list, that was made of another. */
export const written = (body: Json | readonly unknown[], from: JsonText): JsonText | Promise<JsonText> =>
  isWrittenInTurns(from) ? writtenInTurns(body) : JSON.stringify(body);

/** Characters that are written before others have their turn. */
const PER_TURN = 256 * 1024;
/** What has fewer values and characters is written in one go. */
const SMALL = 64 * 1024;

/** What `JSON.stringify` makes of a body that may be long: member by member and piece by piece, with turns for others between them. */
export async function writtenInTurns(body: Json | readonly unknown[]): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new Writer();
  await writer.write(body);
  return writer.end();
}
/** The same, or `null` where it would have more bytes: what is behind them is not written. */
export async function writtenWithin(body: Json, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (roomBeside(body, maxBytes) < 0) return null;
  const writer = new Writer(maxBytes);
  try {
    await writer.write(body);
    return await writer.end();
  } catch (thrown) {
    if (thrown instanceof TooLong) return null;
    throw thrown;
  }
}
class TooLong extends Error {}
const encoder = new TextEncoder();

class Writer {
  private text = "";
  private readonly parts: Uint8Array[] = [];
  private bytes = 0;

  constructor(private readonly maxBytes = Infinity) {}

  async end(): Promise<Uint8Array<ArrayBuffer>> {
    this.encode();
    return joined(this.parts);
  }
  private encode(): void {
    const part = encoder.encode(this.text);
    this.bytes += part.length;
    if (this.bytes > this.maxBytes) throw new TooLong();
    this.parts.push(part);
    this.text = "";
  }
  async write(value: unknown): Promise<void> {
    if (roomBeside(value, SMALL) < 0) {
      if (typeof value === "string") return this.string(value);
      if (Array.isArray(value)) return this.array(value);
      if (isJson(value)) return this.object(value);
    }
    this.text += JSON.stringify(value) ?? "null";
    if (this.text.length < PER_TURN) return undefined;
    this.encode();
    return nextTurn();
  }
  private async array(values: readonly unknown[]): Promise<void> {
    let before = "[";
    for (const value of values) {
      this.text += before;
      await this.write(value);
      before = ",";
    }
    this.text += before === "[" ? "[]" : "]";
  }
  private async object(members: Json): Promise<void> {
    let before = "{";
    for (const name of Object.keys(members)) {
      if (members[name] === undefined) continue;
      this.text += `${before}${JSON.stringify(name)}:`;
      await this.write(members[name]);
      before = ",";
    }
    this.text += before === "{" ? "{}" : "}";
  }
  private async string(value: string): Promise<void> {
    this.text += '"';
    for (const piece of piecesOf(value, PER_TURN)) {
      this.text += JSON.stringify(piece).slice(1, -1);
      this.encode();
      await nextTurn();
    }
    this.text += '"';
  }
}

/** How much of `room` is left beside the values and characters of this; less than 0 when it is too small, and the rest is not looked at. */
export function roomBeside(value: unknown, room: number): number {
  if (typeof value === "string") return room - value.length;
  if (typeof value !== "object" || value === null) return room - 1;
  let left = room - 1;
  if (Array.isArray(value)) for (let at = 0; at < value.length && left >= 0; at += 1) left = roomBeside(value[at], left);
  else
    for (const name in value) {
      left = roomBeside((value as Json)[name], left - name.length); // an object, by the lines above
      if (left < 0) break;
    }
  return left;
}
