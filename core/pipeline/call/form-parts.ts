import { nextTurn } from "#contract";
import { boundaryOf, type PartHead, partHead, unreadable } from "./form-headers.ts";

/*
 * A multipart form taken apart (RFC 7578, RFC 2046 5.1.1) without copying what it holds. What two readers could take for
 * two different forms is refused: what guardrails read must be what the provider reads.
 */

export interface FormPart extends PartHead {
  /** Where its head begins, and where its value does and ends. */
  readonly headFrom: number;
  readonly valueFrom: number;
  readonly to: number;
}

/** Dozens at most, where people send some. */
const MAX_PARTS = 1_000;

export async function formParts(bytes: Uint8Array, contentType: string): Promise<readonly FormPart[]> {
  const boundary = new Boundary(bytes, boundaryOf(contentType));
  const parts: FormPart[] = [];
  for (let behind = await boundary.first(); !boundary.isLast(behind); ) {
    if (parts.length === MAX_PARTS) throw unreadable(`it has more than ${MAX_PARTS} parts`);
    const headFrom = boundary.lineEnd(behind);
    const headTo = headEnd(boundary.form, headFrom);
    const valueFrom = headTo + BLANK_LINE.length;
    const to = await boundary.next(headFrom - LINE.length);
    if (to < valueFrom) throw unreadable("a part has no value, not even an empty one");
    parts.push({ ...partHead(boundary.form.toString("utf8", headFrom, headTo)), headFrom, valueFrom, to });
    behind = to + boundary.length;
  }
  return parts;
}

const LINE = "\r\n";
const BLANK_LINE = "\r\n\r\n";
const DASH = 0x2d;
/** Bytes that are searched before others have their turn. */
const PER_TURN = 1024 * 1024;

/** What stands between the parts: a line of its own. */
class Boundary {
  readonly form: Buffer;
  private readonly line: Buffer;
  private searched = 0;

  constructor(bytes: Uint8Array, boundary: string) {
    this.form = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.line = Buffer.from(`${LINE}--${boundary}`, "latin1"); // a header's characters are bytes
  }
  /** With the line end before it, which is not the part's. */
  get length(): number {
    return this.line.length;
  }
  /** Behind the first one, which begins the form: words before it, most readers pass over. */
  async first(): Promise<number> {
    const atStart = this.line.subarray(LINE.length);
    const at = await this.find(atStart, 0);
    if (at > 0 && this.form.toString("latin1", 0, at) !== LINE) throw wordsAround();
    return at + atStart.length;
  }
  /** Where the next one begins. */
  next(from: number): Promise<number> {
    return this.find(this.line, from);
  }
  private async find(line: Buffer, from: number): Promise<number> {
    for (let at = from; at < this.form.length; at += PER_TURN) {
      const found = this.form.subarray(at, at + PER_TURN + line.length).indexOf(line);
      this.searched += found < 0 ? PER_TURN : found;
      if (this.searched >= PER_TURN) await this.pause();
      if (found >= 0) return at + found;
    }
    throw unreadable("its last boundary is missing");
  }
  private pause(): Promise<void> {
    this.searched = 0;
    return nextTurn();
  }
  /** Does the one that ends here end the form? */
  isLast(behind: number): boolean {
    if (this.form[behind] !== DASH || this.form[behind + 1] !== DASH) return false;
    const end = this.padded(behind + 2);
    if (end < this.form.length && this.form.toString("latin1", this.lineEnd(end)).trim() !== "") throw wordsAround();
    return true;
  }
  /** Behind the line of the one that ends here. */
  lineEnd(behind: number): number {
    const at = this.padded(behind);
    if (this.form.toString("latin1", at, at + LINE.length) !== LINE) throw noBoundary();
    return at + LINE.length;
  }
  /** Behind the blanks that some put there. */
  private padded(behind: number): number {
    let at = behind;
    while (this.form[at] === 0x20 || this.form[at] === 0x09) at += 1;
    return at;
  }
}
const wordsAround = (): Error => unreadable("there are words before its first boundary, or behind its last");
const noBoundary = (): Error => unreadable("a line begins like its boundary, and is none");

/** Longer heads have no use. */
const MAX_HEAD = 16 * 1024;
/** The head of a part ends with a blank line; there may be nothing before it. */
function headEnd(form: Buffer, from: number): number {
  const found = form.subarray(from - LINE.length, from + MAX_HEAD).indexOf(BLANK_LINE);
  if (found < 0) throw unreadable(`the head of a part has no end within ${MAX_HEAD} bytes`);
  return from - LINE.length + found;
}
