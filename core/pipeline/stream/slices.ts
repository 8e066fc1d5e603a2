import { endOfPiece, type JsonText, type MaybePromise, nextTurn, type Source } from "#contract";

/** Characters of a slice. */
const SLICE = 64 * 1024;
/** Slices that are given before others have their turn. */
const AT_ONCE = 4;
const encoder = new TextEncoder();

/** A long text in bytes, as they are asked for. */
export class Slices implements Source<Uint8Array> {
  private at = 0;
  private given = 0;
  constructor(private text: MaybePromise<JsonText>) {}

  async read(): Promise<Uint8Array | undefined> {
    const text = await this.text;
    if (this.at >= text.length) return undefined;
    this.given += 1;
    if (this.given % AT_ONCE === 0) await nextTurn();
    return typeof text === "string" ? encoder.encode(this.slice(text)) : text.subarray(this.at, (this.at += SLICE));
  }
  private slice(text: string): string {
    const from = this.at;
    this.at = endOfPiece(text, from, SLICE);
    return text.slice(from, this.at);
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
