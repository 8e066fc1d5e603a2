import { join } from "node:path";
import { type Logger, messageOf } from "#contract";
import { Segment } from "./segment.ts";

/** Bytes on disk that all spools of a process share. */
export interface Budget {
  readonly limitBytes: number;
  usedBytes: number;
}
/** Where a spool's files stand, made when it is not there. */
export type FolderPlace = () => Promise<string>;

/** Records of one exporter that wait on disk, oldest first: plain data, one line of JSON each, in files that are only appended. */
export class Spool {
  private readonly segments: Segment[] = [];
  private current: Segment | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  /** Why nothing could be written the last time. */
  failure: string | null = null;
  /** What waits in folders of processes that give no sign of life, and is not this one's yet. */
  leftBytes = 0;
  private failedAt = 0;
  private reader: object | undefined;
  private isUndeletedTold = false;

  constructor(
    private readonly place: FolderPlace,
    private readonly budget: Budget,
    private readonly log: Logger,
  ) {}

  get bytes(): number {
    return this.segments.reduce((sum, segment) => sum + segment.unread, 0);
  }
  /** Three quarters are for whole records, the rest for records without bodies. */
  get isShort(): boolean {
    return this.budget.usedBytes > this.budget.limitBytes * 0.75;
  }
  /** After a failure it is not tried again at once. */
  get isUsable(): boolean {
    return this.failure === null || performance.now() - this.failedAt > AGAIN_AFTER_MS;
  }
  hasRoom(bytes: number): boolean {
    return this.budget.usedBytes + bytes <= this.budget.limitBytes;
  }

  /** Are they on disk now? */
  add(lines: Uint8Array): Promise<boolean> {
    return this.inTurn(async () => {
      try {
        const segment = await this.open();
        await segment.append(lines);
        if (this.segments.at(-1) !== segment) this.segments.push(segment);
        this.budget.usedBytes += lines.length;
        this.failure = null;
      } catch (thrown) {
        this.failure = messageOf(thrown);
        this.failedAt = performance.now();
        await this.current?.close().catch(() => undefined); // a fresh file is begun next time
        this.current = undefined;
      }
      return this.failure === null;
    });
  }

  /** One reads at a time: the old generation and the new one share a spool until the old one has ended. */
  isFreeFor(reader: object): boolean {
    return this.reader === undefined || this.reader === reader;
  }
  lend(reader: object): void {
    this.reader = reader;
  }
  giveBack(reader: object): void {
    if (this.reader === reader) this.reader = undefined;
  }

  /** The oldest records in slices; they stay until they are forgotten. A line that is half there, or was spoilt, is passed over. */
  async oldest(sliceBytes: number, slices: number): Promise<readonly Batch[]> {
    const segment = this.segments[0];
    if (segment === undefined) return [];
    const { unread, bytes: end } = segment;
    try {
      const lines = await segment.next(sliceBytes, slices);
      return lines.map((line) => ({
        segment,
        bytes: line.bytes,
        end: line.end,
        records: () => line.text.split("\n").flatMap(recordIn),
        lost: null,
      }));
    } catch (thrown) {
      return [{ segment, bytes: unread, end, records: () => [], lost: messageOf(thrown) }];
    }
  }
  /** Oldest first. */
  forget({ segment, end }: Batch): Promise<void> {
    return this.inTurn(async () => {
      segment.wasRead(end);
      const at = this.segments.indexOf(segment);
      if (segment.unread > 0 || at < 0) return;
      this.segments.splice(at, 1);
      if (this.current === segment) this.current = undefined;
      this.budget.usedBytes -= segment.bytes;
      await segment.remove().catch((thrown: unknown) => this.notDeleted(segment, thrown));
    });
  }
  /** Its records are where they belong; the next process writes them once more, which changes nothing. */
  private notDeleted({ path }: Segment, thrown: unknown): void {
    if (!this.isUndeletedTold) this.log("warn", "spool.not_deleted", { path, why: messageOf(thrown) });
    this.isUndeletedTold = true;
  }

  /** Files that another process left: they are older than what this one wrote. */
  adopt(found: readonly Segment[]): void {
    const segments = found.filter(({ bytes }) => bytes > 0); // one may have been killed before its first line
    this.segments.unshift(...segments);
    this.budget.usedBytes += segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }
  /** The folder is another process's now, with all that is in it. */
  lose(): void {
    for (const segment of this.segments.splice(0)) {
      this.budget.usedBytes -= segment.bytes;
      void segment.close().catch(() => undefined);
    }
    this.current = undefined;
  }
  close(): Promise<void> {
    return this.inTurn(async () => this.current?.close());
  }

  private async open(): Promise<Segment> {
    const dir = await this.place();
    if (this.current && this.current.bytes < this.segmentBytes) return this.current;
    await this.current?.close();
    return (this.current = new Segment(join(dir, `${segmentName()}${SUFFIX}`)));
  }
  /** What was written is given back to the disk a segment at a time. */
  private get segmentBytes(): number {
    return Math.min(MAX_SEGMENT_BYTES, this.budget.limitBytes / 8);
  }
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    return mine;
  }
}
export interface Batch {
  readonly segment: Segment;
  readonly bytes: number;
  /** Where in the segment it ends. */
  readonly end: number;
  /** Read when they are wanted: that takes a moment. */
  readonly records: () => readonly object[];
  /** Why the rest of a file could not be read: somebody deleted it, or the disk is broken. */
  readonly lost: string | null;
}
export const SUFFIX = ".jsonl";
const AGAIN_AFTER_MS = 1_000;
const MAX_SEGMENT_BYTES = 8 * 1024 * 1024;

/** In the order of time. */
const segmentName = (): string => `${Date.now().toString().padStart(15, "0")}-${crypto.randomUUID().slice(0, 8)}`;

function recordIn(line: string): readonly object[] {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === "object" && record !== null ? [record] : [];
  } catch {
    return []; // its writer was killed in the middle of it
  }
}
