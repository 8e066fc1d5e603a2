/** Bytes cut into lines, as they come; each with the line end behind it. */
export class LineSplitter {
  private readonly begun: Uint8Array[] = [];
  private size = 0;

  /** Bytes of the line that has begun. */
  get waiting(): number {
    return this.size;
  }
  *lines(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(LINE_END, from);
      const to = end < 0 ? bytes.length : end + 1;
      this.begun.push(bytes.subarray(from, to));
      this.size += to - from;
      if (end >= 0) yield this.taken();
      from = to;
    }
  }
  /** The last line, which nothing may stand behind. */
  taken(): Uint8Array<ArrayBuffer> {
    this.size = 0;
    return Buffer.concat(this.begun.splice(0));
  }
}
const LINE_END = 0x0a;
