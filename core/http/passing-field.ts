import { boundaryOf, partHead, unreadable } from "../pipeline/call/form-headers.ts";

/** Bytes of a value that is looked for; a longer one is no name. */
const MAX_VALUE = 512;
const MAX_HEAD = 16 * 1024;
/** Dozens at most, where people send some. */
const MAX_PARTS = 1_000;
const LINE = "\r\n";
const BLANK_LINE = "\r\n\r\n";

/**
 * A text field of a multipart form, found in bytes that pass by: which model was asked for is known once the form has
 * been sent, without anybody holding it. A form that could name another to another reader is refused as it passes.
 */
export class PassingField {
  value: string | undefined;
  private readonly line: Buffer;
  /** The form before its first boundary, in a part's head, in the value of a part, or behind its end. */
  private at: "start" | "head" | "value" | "end" = "start";
  private isSought = false;
  private parts = 0;
  /** What of the bytes before may belong to what comes next; a line end stands before the first boundary as before any other. */
  private before: Buffer = Buffer.from(LINE);

  constructor(
    private readonly name: string,
    contentType: string,
  ) {
    this.line = Buffer.from(`${LINE}--${boundaryOf(contentType)}`, "latin1"); // a header's characters are bytes
  }

  add(piece: Uint8Array): void {
    if (this.at === "end") return;
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    if (this.passes(bytes)) return;
    let left: Buffer | null = Buffer.concat([this.before, bytes]);
    while (left) {
      this.before = left;
      left = this.at === "head" ? this.readHead(left) : this.readValue(left);
    }
  }
  /** The form has no more bytes. */
  end(): void {
    if (this.at !== "end") throw unreadable("its last boundary is missing");
  }

  /** Most of a form is a file: it is not copied. */
  private passes(bytes: Buffer): boolean {
    if (this.at !== "value" || this.isSought || bytes.length < this.line.length) return false;
    const seam = Buffer.concat([this.before, bytes.subarray(0, this.line.length)]);
    if (seam.includes(this.line) || bytes.includes(this.line)) return false;
    this.before = Buffer.from(bytes.subarray(1 - this.line.length));
    return true;
  }

  /** What is left behind the next boundary; `null` where that has not come yet. */
  private readValue(bytes: Buffer): Buffer | null {
    const found = bytes.indexOf(this.line);
    if (this.at === "start") this.judgeStart(bytes, found);
    else if (found === 0) throw unreadable("a part has no value, not even an empty one");
    if (found < 0) return this.keepTail(bytes);
    if (this.isSought) this.take(bytes.toString("utf8", LINE.length, found));
    this.at = "head";
    return bytes.subarray(found + this.line.length);
  }
  private judgeStart(bytes: Buffer, found: number): void {
    const mayBegin = bytes.length < this.line.length + LINE.length;
    if (found < 0 ? !mayBegin : found > 0 && bytes.toString("latin1", 0, found) !== LINE)
      throw unreadable("it does not begin with its boundary");
  }
  private keepTail(bytes: Buffer): null {
    if (this.at === "start") return null;
    if (bytes.length > MAX_VALUE + this.line.length + LINE.length) this.isSought = false;
    if (!this.isSought) this.before = Buffer.from(bytes.subarray(-this.line.length));
    return null;
  }
  private take(value: string): void {
    this.isSought = false;
    if (this.value !== undefined && this.value !== value) throw unreadable(`it says twice what its ${this.name} is`);
    if (value.length <= MAX_VALUE) this.value = value;
  }

  /** What is left behind a part's head; `null` where that has not come whole yet, or the form is over. */
  private readHead(bytes: Buffer): Buffer | null {
    if (bytes.length < LINE.length) return null;
    if (bytes.toString("latin1", 0, 2) === "--") {
      this.at = "end";
      return null;
    }
    const end = bytes.indexOf(BLANK_LINE);
    if (end < 0 && bytes.length > MAX_HEAD) throw unreadable(`the head of a part has no end within ${MAX_HEAD} bytes`);
    if (end < 0) return null;
    this.judgeHead(bytes.toString("utf8", 0, end));
    return bytes.subarray(end + LINE.length); // the line end before a boundary may be that of an empty value
  }
  /** The rest of the boundary's line, and the lines of the head. */
  private judgeHead(text: string): void {
    const begun = /^[ \t]*\r\n/.exec(text);
    if (!begun) throw unreadable("a line begins like its boundary, and is none");
    this.parts += 1;
    if (this.parts > MAX_PARTS) throw unreadable(`it has more than ${MAX_PARTS} parts`);
    const { name, isFile } = partHead(text.slice(begun[0].length));
    this.isSought = name === this.name && !isFile;
    this.at = "value";
  }
}
