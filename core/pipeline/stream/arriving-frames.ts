import {
  type ByteSource,
  type Frame,
  type FrameFormat,
  GatewayError,
  nextTurn,
  type Source,
  type StreamEvent,
  turnHasRoomFor,
} from "#contract";
import { eventCost } from "../../json/memory-cost.ts";
import { Finishes } from "./fold.ts";
import { isLong, LONG, refuseSlow } from "../../json/long-json.ts";
import { frameReader } from "./frames.ts";
import { drained } from "./drained.ts";

/** How long a complete answer is waited on for more, where its wire has no terminal marker: usage may follow the finish. */
const QUIET_MS = 250;

/** Bytes that are read of a stream before others have their turn. */
const PAUSE_BYTES = 32 * 1024;

/** How a wire says that an answer is over. */
export interface WireEnd {
  /** By a terminal marker, which is waited for. */
  readonly isMarked: boolean;
  /** A connection that breaks behind the finish broke nothing; where the client knows the marker too, it would miss it. */
  readonly mayBreak: boolean;
}
async function refuseSlowFrames(frames: readonly Frame[]): Promise<void> {
  for (const { data } of frames) if (isLong(data)) await refuseSlow(data);
}
const isTimeout = (thrown: unknown): boolean => GatewayError.is(thrown) && thrown.code === "TIMEOUT";

/** A stream's frames as they arrive, and what is known of its end. Its reader says what the frames held. */
export class ArrivingFrames implements Source<readonly Frame[]> {
  private readonly frames;
  private readonly finishes = new Finishes();
  private ended = false;
  private over = false;
  private sincePause = 0;
  /** When a complete answer without a marker is over, unless more of it comes: performance.now(). */
  private quietAt = 0;

  constructor(
    private readonly reader: ByteSource,
    format: FrameFormat,
    private readonly wire: WireEnd,
    private first?: Uint8Array,
  ) {
    this.frames = frameReader(format);
  }

  /** Every choice that began has finished. */
  get complete(): boolean {
    return this.finishes.all;
  }
  /** `undefined` behind the last. A connection that falls silent behind a complete answer broke nothing. */
  async read(): Promise<readonly Frame[] | undefined> {
    if (this.over) return undefined;
    const read = this.first ?? (await this.bytes());
    this.first = undefined;
    if (read === undefined) {
      if (this.over) return undefined; // cancelled while it was waited for
      void this.cancel(); // it may only be silent
      const last = this.frames.end();
      await refuseSlowFrames(last);
      return last;
    }
    const bytes = read.length > PAUSE_BYTES ? this.part(read) : read;
    this.sincePause += bytes.length;
    if (!turnHasRoomFor(bytes.length) || this.sincePause > PAUSE_BYTES) await this.pause();
    const mayBeLong = this.frames.held > LONG;
    const frames = this.frames.push(bytes);
    if (mayBeLong) await refuseSlowFrames(frames);
    this.reader.keeps?.(eventCost(this.frames.held));
    return frames;
  }
  /** What the frames of the last reading held. */
  heard(events: readonly StreamEvent[]): void {
    if (events.length === 0) return void (this.frames.held === 0 && this.reader.unheard?.()); // comments and pings
    for (const event of events) this.finishes.add(event);
    if (!this.wire.isMarked && this.complete) this.quietAt = performance.now() + QUIET_MS;
  }
  /** The terminal marker was among them: what comes behind it is nobody's. */
  end(): void {
    this.ended = this.over = true;
    drained(this.reader); // its connection may serve again
  }
  async cancel(): Promise<void> {
    this.over = true;
    if (!this.ended) await this.reader.cancel();
  }

  private part(read: Uint8Array): Uint8Array {
    this.first = read.subarray(PAUSE_BYTES);
    return read.subarray(0, PAUSE_BYTES);
  }
  /** An upstream that is always ahead would be read without a pause, and everybody else would wait. */
  private pause(): Promise<void> {
    this.sincePause = 0;
    return nextTurn();
  }
  private async bytes(): Promise<Uint8Array | undefined> {
    try {
      return this.quietAt === 0 ? await this.reader.read() : await this.readUntilQuiet();
    } catch (thrown) {
      if (this.complete && (this.wire.mayBreak || isTimeout(thrown))) return undefined;
      throw thrown;
    }
  }
  private readUntilQuiet(): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(undefined), this.quietAt - performance.now());
      this.reader
        .read()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }
}
