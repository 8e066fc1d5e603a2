import { isAscii } from "node:buffer";
import { nextTurn } from "#contract";
import { isWithinCharacter, utf8, WIDE } from "./utf8.ts";
import { takesLong } from "./work.ts";

/** Bytes that are parsed in one go. */
const PART = 256 * 1024;
/** Characters of one text: what joins, compares or searches more holds up everybody else. */
const MOST = 32 * 1024 * 1024;
/** The same when any of them takes two bytes in memory. */
export const MOST_WIDE = MOST / 2;
const BACKSLASH = 0x5c;
/** `\u6f22` is the longest escape. */
const LONGEST_ESCAPE = 6;

/** A text of JSON between its quotes, parsed part by part. */
export class LongText {
  private readonly parts: string[] = [];
  private chars = 0;
  private isWide = false;
  constructor(
    private readonly bytes: Uint8Array,
    private readonly from: number,
    private readonly to: number,
    private readonly part = PART,
  ) {}

  async parsed(): Promise<string> {
    for (let at = this.from; at < this.to; ) {
      const end = this.cut(at);
      const part = JSON.parse(`"${utf8(this.bytes, at, end)}"`) as string; // it stands in quotes
      this.add(part, part.length === end - at && isAscii(this.bytes.subarray(at, end)));
      at = end;
      await nextTurn();
    }
    return this.parts.join("");
  }
  private add(part: string, isNarrow: boolean): void {
    this.parts.push(part);
    this.chars += part.length;
    this.isWide ||= !isNarrow && WIDE.test(part);
    if (this.isWide && this.chars > MOST_WIDE) throw takesLong(MOST_WIDE, "characters of one text that is not all Latin-1");
    if (this.chars > MOST) throw takesLong(MOST, "characters of one text");
  }
  /** The end of a part: before a character and before an escape, never within one. */
  private cut(from: number): number {
    const { bytes } = this;
    let at = Math.min(from + this.part, this.to);
    if (at === this.to) return at;
    while (isWithinCharacter(bytes[at])) at -= 1;
    const near = at - LONGEST_ESCAPE + 1;
    const backslash = near + bytes.subarray(near, at).lastIndexOf(BACKSLASH);
    return backslash >= near && this.beginsEscape(backslash, from) ? backslash : at;
  }
  /** Of backslashes in a row each second one is escaped by the one before. */
  private beginsEscape(backslash: number, from: number): boolean {
    let first = backslash;
    while (first > from && this.bytes[first - 1] === BACKSLASH) first -= 1;
    return (backslash - first) % 2 === 0;
  }
}
