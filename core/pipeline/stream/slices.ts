import { nextTurn } from "#contract";
import { isHighSurrogate } from "../../json/written.ts";

/** Characters of a slice. */
const SLICE = 64 * 1024;
/** Slices that are given before others have their turn. */
const AT_ONCE = 4;
const encoder = new TextEncoder();

/** A long text in bytes, as they are asked for. */
export class Slices {
  private at = 0;
  private given = 0;
  constructor(private text: string) {}

  async next(): Promise<Uint8Array | undefined> {
    const from = this.at;
    if (from >= this.text.length) return undefined;
    this.given += 1;
    if (this.given % AT_ONCE === 0) await nextTurn();
    const splits = isHighSurrogate(this.text.charCodeAt(from + SLICE - 1)); // one character in two
    this.at = from + SLICE + (splits ? 1 : 0);
    return encoder.encode(this.text.slice(from, this.at));
  }
  cancel(): Promise<void> {
    this.text = "";
    return Promise.resolve();
  }
  /** Is this a text that is better given in slices? */
  static suit(text: string): boolean {
    return text.length > AT_ONCE * SLICE;
  }
}
