import { boundaryOf, partHead, unreadable } from "./form-headers.ts";

const MAX_HEAD = 16 * 1024;
/** Dozens at most, where people send some. */
const MAX_PARTS = 1_000;
const LINE = "\r\n";
const BLANK_LINE = "\r\n\r\n";
/** Bytes of a text that is too long, that are shown. */
const BEGINNING = 256;

/** Which text fields of a form somebody looks for, and who is told of each. */
export interface FieldSearch {
  /** Bytes of a value that are held; of a longer one its beginning is told. */
  readonly mostBytes: number;
  seeks(name: string): boolean;
  found(field: PassedField): void;
  /** Is told of each part as its head has come. */
  passes?(name: string, isFile: boolean): void;
}
/** A text field that has passed; of a text that is longer than is read, its beginning. */
export interface PassedField {
  readonly name: string;
  readonly text: string;
  readonly isWhole: boolean;
}
export const passedField = (name: string, text: string, most: number): PassedField => {
  const isWhole = text.length <= most;
  return { name, text: isWhole ? text : text.slice(0, BEGINNING), isWhole };
};

/**
 * Text fields of a multipart form, found in bytes that pass by, without anybody holding the form. A form that could mean
 * something else to another reader is refused as it passes.
 */
export class PassingForm {
  private called = "";
  private readonly line: Buffer;
  /** The form before its first boundary, in a part's head, in the value of a part, or behind its end. */
  private at: "start" | "head" | "value" | "end" = "start";
  private isSought = false;
  private parts = 0;
  /** What of the bytes before may belong to what comes next; a line end stands before the first boundary as before any other. */
  private before: Buffer = Buffer.from(LINE);

  constructor(
    contentType: string,
    private readonly search: FieldSearch,
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
    if (this.isSought && bytes.length > this.search.mostBytes + this.line.length + LINE.length) this.skipLong(bytes);
    if (!this.isSought) this.before = Buffer.from(bytes.subarray(-this.line.length));
    return null;
  }
  private skipLong(bytes: Buffer): void {
    this.isSought = false;
    this.search.found({ name: this.called, text: bytes.toString("utf8", LINE.length, BEGINNING), isWhole: false });
  }
  private take(value: string): void {
    this.isSought = false;
    this.search.found(passedField(this.called, value, this.search.mostBytes));
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
    this.search.passes?.(name, isFile);
    this.isSought = !isFile && this.search.seeks(name);
    this.called = name;
    this.at = "value";
  }
}
