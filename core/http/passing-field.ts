/** Bytes of a field's name and value together that are looked for. */
const MAX_BYTES = 1024;

/**
 * A text field of a multipart form, found in bytes that pass by: which model was asked for is known once the form has
 * been sent, without anybody holding it. The last of its name counts.
 */
export class PassingField {
  value: string | undefined;
  private readonly head: Buffer;
  private readonly end: Buffer;
  /** The last bytes of the pieces before: a field may begin in one piece and end in the next. */
  private before: Buffer = Buffer.alloc(0);

  constructor(name: string, contentType: string) {
    const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? [];
    const boundary = quoted ?? plain ?? "";
    this.head = Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`);
    this.end = Buffer.from(`\r\n--${boundary}`);
  }

  add(piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    this.look(Buffer.concat([this.before, bytes.subarray(0, MAX_BYTES)]));
    if (bytes.length > MAX_BYTES) this.look(bytes);
    this.before = Buffer.concat([this.before, bytes.subarray(-MAX_BYTES)]).subarray(-MAX_BYTES);
  }
  private look(bytes: Buffer): void {
    const found = bytes.lastIndexOf(this.head);
    if (found < 0) return;
    const from = found + this.head.length;
    const to = bytes.indexOf(this.end, from);
    if (to >= 0 && to - from <= MAX_BYTES / 2) this.value = bytes.toString("utf8", from, to);
  }
}
