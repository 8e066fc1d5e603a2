import { constants } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";

/** One file of lines that are only appended; read from its beginning, and deleted when all of it was read. */
export class Segment {
  private handle: FileHandle | undefined;
  /** How far it was read. */
  private readTo = 0;

  constructor(
    readonly path: string,
    /** Length of what is known to be whole. */
    public bytes = 0,
  ) {}

  get unread(): number {
    return this.bytes - this.readTo;
  }

  /** Lines with their ends. A write that fails leaves no half of a line behind: the next one would be glued to it. */
  async append(lines: Uint8Array): Promise<void> {
    const handle = (this.handle ??= await open(this.path, APPEND, 0o600));
    try {
      for (let at = 0; at < lines.length; ) at += (await handle.write(lines, at)).bytesWritten;
    } catch (thrown) {
      await handle.truncate(this.bytes).catch(() => undefined); // then the reader skips the half
      throw thrown;
    }
    this.bytes += lines.length;
  }

  /** The next lines in slices of about this size, at least one line if there is one; nothing is forgotten before `wasRead`. */
  async next(sliceBytes: number, slices: number): Promise<readonly Lines[]> {
    const reading = await open(this.path, "r");
    try {
      const found: Lines[] = [];
      for (let from = this.readTo; from < this.bytes && found.length < slices; from += found.at(-1)?.bytes ?? this.bytes)
        found.push(await this.linesIn(reading, from, sliceBytes));
      return found;
    } finally {
      await reading.close();
    }
  }
  private async linesIn(reading: FileHandle, from: number, sliceBytes: number): Promise<Lines> {
    const left = this.bytes - from;
    for (let length = Math.min(sliceBytes, left); ; length = Math.min(2 * length, left)) {
      const { buffer, bytesRead } = await reading.read(Buffer.alloc(length), 0, length, from);
      const end = buffer.lastIndexOf("\n", bytesRead - 1) + 1;
      if (end > 0) return { text: buffer.toString("utf8", 0, end), bytes: end, end: from + end };
      if (length >= left) return { text: "", bytes: left, end: from + left }; // the rest is half a line: its writer was killed
    }
  }
  /** Up to this place; what was read twice counts once. */
  wasRead(end: number): void {
    this.readTo = Math.max(this.readTo, end);
  }

  /** No more is appended. */
  async close(): Promise<void> {
    const { handle } = this;
    this.handle = undefined;
    await handle?.close();
  }
  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }
}
export interface Lines {
  readonly text: string;
  readonly bytes: number;
  /** Where in the file they end. */
  readonly end: number;
}
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
