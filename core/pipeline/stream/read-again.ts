import { type ByteSource, nextTurn } from "#contract";
import { eventCost } from "../../json/memory-cost.ts";

/** Pieces that are given before others have their turn. */
const AT_ONCE = 8;

/** A reader that gives again what was read of it, and counts what it has not given yet. */
export class ReadAgain implements ByteSource {
  private readonly left: Uint8Array[];
  private size: number;
  private kept = 0;
  private given = 0;
  constructor(
    read: readonly Uint8Array[],
    private readonly reader: ByteSource,
  ) {
    this.left = [...read].reverse();
    this.size = read.reduce((sum, { length }) => sum + length, 0);
    this.keeps(0);
  }

  read(): Promise<Uint8Array | undefined> {
    const bytes = this.left.pop();
    return bytes === undefined ? this.reader.read() : this.again(bytes);
  }
  private async again(bytes: Uint8Array): Promise<Uint8Array> {
    this.size -= bytes.length;
    this.keeps(this.kept);
    this.given += 1;
    if (this.given % AT_ONCE === 0) await nextTurn();
    return bytes;
  }
  cancel(): Promise<void> {
    this.left.length = this.size = 0;
    return this.reader.cancel();
  }
  unheard(): void {
    this.reader.unheard?.();
  }
  keeps(bytes: number): void {
    this.kept = bytes;
    this.reader.keeps?.(bytes + eventCost(this.size));
  }
}
