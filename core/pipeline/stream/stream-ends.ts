import { type Frame, type StreamEvent, type StreamMap, type Terminal, UpstreamFailure, type WireError } from "#contract";
import { Fold } from "./fold.ts";
import { framesOf } from "./frames.ts";
import { firstFrameEnd, lastFrameEnd } from "./frame-ends.ts";
import type { TerminalFrame } from "./frame-gate.ts";

/** Enough to hold the last events of an answer: the finish, the usage, the terminal marker. */
const TAIL_BYTES = 16_384;
/** Where it mostly stands; more of the tail is read only when it does not. */
const QUICK_TAIL_BYTES = [640, 2_048] as const;

/** What was read at the edges of a stream. */
export interface EdgeFold {
  readonly fold: Fold;
  /** The provider's own error event. */
  readonly error: WireError | null;
}

/** The beginning and the end of a stream whose bytes pass: what it says of itself stands there. */
export class StreamEnds {
  private readonly tail: Uint8Array[] = [];
  private tailBytes = 0;

  constructor(
    private first: Uint8Array,
    private readonly decode: StreamMap,
    private readonly terminal: Terminal | undefined,
    /** What was said in a beginning that is too long to be read again. */
    private readonly begun: readonly StreamEvent[] | null = null,
  ) {}

  /** A chunk passes; the first one too. */
  remember(chunk: Uint8Array): void {
    this.tail.push(chunk);
    this.tailBytes += chunk.length;
    if (this.tailBytes >= 2 * TAIL_BYTES) this.forget(); // not with each chunk
  }
  /** The last bytes of the last chunk came behind the answer's end. */
  dropLast(bytes: number): void {
    const last = this.tail.pop();
    if (last === undefined) return;
    const rest = last.subarray(0, last.length - bytes);
    if (last === this.first) this.first = rest;
    this.tail.push(rest);
    this.tailBytes -= bytes;
  }
  private forget(): void {
    for (let oldest = this.tail[0]; oldest && this.tailBytes - oldest.length >= TAIL_BYTES; oldest = this.tail[0]) {
      this.tail.shift();
      this.tailBytes -= oldest.length;
    }
  }
  /** The last frame that has passed, if it is one of usual size. */
  last(): Frame | undefined {
    return this.end(QUICK_TAIL_BYTES[0]).at(-1);
  }
  /**
   * Most answers say all in their first event and their last few frames, and reading more would hold up other requests.
   * A stream that never came to its end may hold choices that only the whole of its beginning tells of.
   */
  foldedEnds(ended: boolean, last: TerminalFrame | null): EdgeFold {
    if (this.terminal && last) return this.folded((reading) => this.readTerminal(reading, last));
    for (const bytes of QUICK_TAIL_BYTES) {
      const ends = this.read(bytes, !ended);
      if ((ends.fold.finished && ends.fold.usage) || ends.error) return ends;
    }
    this.forget();
    return this.read(this.tailBytes, true);
  }

  private read(bytes: number, wholeBeginning: boolean): EdgeFold {
    return this.folded((reading) => {
      if (!this.holdsAll(bytes)) this.readBeginning(reading, wholeBeginning);
      reading.add(this.end(bytes));
    });
  }
  /** The last event repeats the whole answer. */
  private readTerminal(reading: EdgeReading, last: TerminalFrame): void {
    this.readBeginning(reading, false);
    if ("frame" in last) reading.add(framesOf(last.frame).slice(-1));
    else reading.addAll(this.terminal?.ofLong(last.event, new TextDecoder().decode(last.tail)) ?? []);
  }
  private folded(read: (reading: EdgeReading) => void): EdgeFold {
    const reading = new EdgeReading(this.decode);
    try {
      read(reading);
    } catch (thrown) {
      if (UpstreamFailure.is(thrown)) return { fold: reading.fold, error: thrown.error };
      // a frame cut in its middle: the answer stays as far as it came
    }
    return { fold: reading.fold, error: null };
  }
  private readBeginning(reading: EdgeReading, whole: boolean): void {
    if (this.begun) return reading.addAll(this.begun);
    const end = lastFrameEnd(this.first);
    for (let from = 0, to = 0; from < end && (whole || !reading.began); from = to) {
      to = whole ? end : firstFrameEnd(this.first, from);
      reading.add(framesOf(this.first.subarray(from, to)));
    }
  }
  /** The whole frames in the last bytes. */
  private end(bytes: number): readonly Frame[] {
    const tail = this.lastBytes(bytes);
    return framesOf(this.holdsAll(bytes) ? tail : tail.subarray(firstFrameEnd(tail)));
  }
  private holdsAll(bytes: number): boolean {
    return this.tail[0] === this.first && this.tailBytes <= bytes;
  }
  private lastBytes(bytes: number): Uint8Array {
    const last = this.tail.at(-1);
    return (last && last.length >= bytes ? last : Buffer.concat(this.tail)).subarray(-bytes);
  }
}

class EdgeReading {
  readonly fold = new Fold();
  private readonly state: unknown;
  /** Something was said. */
  began = false;
  constructor(private readonly decode: StreamMap) {
    this.state = decode.start();
  }

  add(frames: readonly Frame[]): void {
    for (const frame of frames) this.addAll(this.decode.event(frame, this.state));
  }
  addAll(events: readonly StreamEvent[]): void {
    for (const event of events) this.fold.add(event);
    this.began ||= events.length > 0;
  }
}
