import type { RequestLines } from "#contract";
import { FormCutter, type FormPiece } from "../../call/form-cutter.ts";
import { unreadable } from "../../call/form-headers.ts";
import { LineSplitter } from "./splitter.ts";

/** What of a form goes on: bytes as they came, or a line that is to be judged first. */
export interface Passing {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its number, of a line. */
  readonly line: number | null;
}
/** More of a form does not wait for the field that says what its file is for: it is then judged as if it held requests. */
const MOST_WAITING = 8 * 1024 * 1024;
const LONGEST_VALUE = 512;

/** A form that passes, cut into what goes on as it came and the lines of its file, where these are requests. */
export class FormLines {
  private readonly cutter: FormCutter;
  private readonly splitter = new LineSplitter();
  private number = 0;
  /** In which part it is. */
  private part: "file" | "purpose" | "other" = "other";
  private purpose: string | undefined;
  private value = "";
  /** What came before it was known what the file is for. */
  private undecided: (FormPiece & { readonly of: "file" | "other" })[] = [];
  private waitingBytes = 0;
  private holdsRequests: boolean | undefined;

  constructor(
    contentType: string,
    private readonly lines: RequestLines,
    /** Throws where a line is too long. */
    private readonly judgeLength: (bytes: number, line: number) => void,
  ) {
    this.cutter = new FormCutter(contentType);
  }

  /** Bytes that came and have not gone on. */
  get waiting(): number {
    return this.waitingBytes + this.splitter.waiting;
  }
  *push(bytes: Uint8Array): Generator<Passing> {
    for (const piece of this.cutter.cut(bytes)) yield* this.read(piece);
  }
  *end(): Generator<Passing> {
    this.cutter.end();
    yield* this.decided(true);
  }

  private *read(piece: FormPiece): Generator<Passing> {
    if (piece.kind === "part") return this.beginPart(piece.head.name, piece.head.isFile);
    if (this.part === "purpose") this.readPurpose(piece);
    this.keep(piece);
    const isKnown = this.purpose !== undefined;
    if (isKnown || this.waitingBytes > MOST_WAITING) yield* this.decided(isKnown ? this.purpose === this.lines.value : true);
  }
  private beginPart(name: string, isFile: boolean): void {
    this.part = name === this.lines.field && !isFile ? "purpose" : isFile || name === this.lines.part ? "file" : "other";
  }
  private readPurpose(piece: FormPiece): void {
    if (piece.kind === "value") this.value += piece.bytes.toString("utf8");
    if (this.value.length > LONGEST_VALUE) throw unreadable(`its field ${this.lines.field} is too long`);
    if (piece.kind !== "end") return;
    if (this.purpose !== undefined && this.purpose !== this.value) throw unreadable(`it says twice what its ${this.lines.field} is`);
    this.purpose = this.value;
    this.value = "";
  }
  private keep(piece: FormPiece): void {
    this.undecided.push({ ...piece, of: this.part === "file" ? "file" : "other" });
    if ("bytes" in piece) this.waitingBytes += piece.bytes.length;
  }

  /** Once it is known what the file is for, or nobody waits for it any longer. */
  private *decided(holdsRequests: boolean): Generator<Passing> {
    this.holdsRequests ??= holdsRequests;
    const pieces = this.undecided;
    this.undecided = [];
    this.waitingBytes = 0;
    for (const piece of pieces) yield* this.passed(piece);
  }
  private *passed(piece: FormPiece & { readonly of: "file" | "other" }): Generator<Passing> {
    if (piece.kind === "part") return;
    const isJudged = piece.of === "file" && this.holdsRequests === true && piece.kind !== "between";
    if (!isJudged) {
      if ("bytes" in piece) yield asItCame(piece.bytes);
      return;
    }
    if (piece.kind === "value") for (const line of this.splitter.lines(piece.bytes)) yield* this.line(line);
    else if (this.splitter.waiting > 0) yield* this.line(this.splitter.taken());
    if (this.splitter.waiting > 0) this.judgeLength(this.splitter.waiting, this.number + 1);
  }
  private *line(bytes: Uint8Array<ArrayBuffer>): Generator<Passing> {
    this.number += 1;
    this.judgeLength(bytes.length, this.number);
    yield bytes.some((byte) => byte > BLANK) ? { bytes, line: this.number } : asItCame(bytes);
  }
}
const BLANK = 0x20;
const asItCame = (bytes: Uint8Array): Passing => ({ bytes: new Uint8Array(bytes), line: null });
