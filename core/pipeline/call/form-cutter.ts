import { boundaryOf, type PartHead, partHead, unreadable } from "./form-headers.ts";

/** What of a form that passes has come: of a part, its head and pieces of its value; and what stands between the values. */
export type FormPiece =
  | { readonly kind: "between"; readonly bytes: Buffer }
  | { readonly kind: "part"; readonly head: PartHead }
  | { readonly kind: "value"; readonly bytes: Buffer }
  | { readonly kind: "end" };

const LINE = "\r\n";
const BLANK_LINE = "\r\n\r\n";
const DASHES = "--";
const MAX_HEAD = 16 * 1024;
const MAX_PARTS = 1_000;

/** Cuts a multipart form into its pieces as it comes. Its pieces, one behind the other, are its bytes again. */
export class FormCutter {
  private readonly line: Buffer;
  private at: "start" | "head" | "value" | "end" = "start";
  private left: Buffer = Buffer.alloc(0);
  private isNewValue = false;
  private parts = 0;

  constructor(contentType: string) {
    this.line = Buffer.from(`${LINE}${DASHES}${boundaryOf(contentType)}`, "latin1"); // a header's characters are bytes
  }

  cut(bytes: Uint8Array): FormPiece[] {
    this.left = Buffer.concat([this.left, bytes]);
    const pieces: FormPiece[] = [];
    while (this.step(pieces));
    return pieces;
  }
  /** The form has no more bytes. */
  end(): void {
    if (this.at !== "end") throw unreadable("its last boundary is missing");
  }

  /** Is there more to be cut of what is left? */
  private step(pieces: FormPiece[]): boolean {
    if (this.at === "start") return this.begin(pieces);
    if (this.at === "head") return this.head(pieces);
    if (this.at === "value") return this.value(pieces);
    if (this.left.toString("latin1").trim() !== "") throw unreadable("there are words behind its last boundary");
    this.between(this.left.length, pieces);
    return false;
  }
  private between(to: number, pieces: FormPiece[]): void {
    if (to > 0) pieces.push({ kind: "between", bytes: this.taken(to) });
  }
  private taken(to: number): Buffer {
    const bytes = this.left.subarray(0, to);
    this.left = this.left.subarray(to);
    return bytes;
  }

  private begin(pieces: FormPiece[]): boolean {
    const first = this.line.subarray(LINE.length);
    if (this.left.length < this.line.length) return false;
    const from = this.left.toString("latin1", 0, LINE.length) === LINE ? LINE.length : 0;
    if (!this.left.subarray(from).subarray(0, first.length).equals(first)) throw unreadable("it does not begin with its boundary");
    this.between(from + first.length, pieces);
    this.at = "head";
    return true;
  }

  private head(pieces: FormPiece[]): boolean {
    if (this.left.length < DASHES.length) return false;
    if (this.left.toString("latin1", 0, DASHES.length) === DASHES) return this.last(pieces);
    const end = this.left.indexOf(BLANK_LINE);
    if (end > MAX_HEAD || (end < 0 && this.left.length > MAX_HEAD)) throw unreadable("the head of a part has no end");
    if (end < 0) return false;
    const head = headIn(this.left.toString("utf8", 0, end));
    this.parts += 1;
    if (this.parts > MAX_PARTS) throw unreadable(`it has more than ${MAX_PARTS} parts`);
    this.between(end + BLANK_LINE.length, pieces);
    pieces.push({ kind: "part", head });
    this.at = "value";
    this.isNewValue = true;
    return true;
  }
  private last(pieces: FormPiece[]): boolean {
    this.between(DASHES.length, pieces);
    this.at = "end";
    return true;
  }

  private value(pieces: FormPiece[]): boolean {
    if (this.isNewValue && this.left.length < this.line.length) return false;
    const unlined = this.line.subarray(LINE.length);
    if (this.isNewValue && this.left.subarray(0, unlined.length).equals(unlined))
      throw unreadable("a part has no value, not even an empty one");
    this.isNewValue = false;
    const found = this.left.indexOf(this.line);
    const to = found < 0 ? this.left.length - this.line.length + 1 : found;
    if (to > 0) pieces.push({ kind: "value", bytes: this.taken(to) });
    if (found < 0) return false;
    pieces.push({ kind: "end" });
    this.between(this.line.length, pieces);
    this.at = "head";
    return true;
  }
}

/** The rest of the boundary's line, and the lines of the head. */
function headIn(text: string): PartHead {
  const begun = /^[ \t]*\r\n/.exec(text);
  if (!begun) throw unreadable("a line begins like its boundary, and is none");
  return partHead(text.slice(begun[0].length));
}
