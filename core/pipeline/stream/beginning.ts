import { type ByteSource, type Frame, GatewayError, type StreamEvent, type StreamMap } from "#contract";
import { eventCost } from "../../json/memory-cost.ts";
import { isLong, LONG, refuseSlow } from "../../json/long-json.ts";
import { firstFrameEnd, lastFrameEnd } from "./frame-ends.ts";
import { frameReader } from "./frames.ts";
import { ReadAgain } from "./read-again.ts";

/* Nothing is promised to the client before the first event of a stream is known to be good. */

/** Pings and one event of any size: what is read while the beginning of a stream is judged. */
const MAX_BEFORE_FIRST = 64 * 1024 * 1024;
/** Bytes of pings and comments kept for the client; when there are more, those that have ended are dropped. */
const MAX_BLANK = 16 * 1024;

/** The beginning of a stream, once something has been said in it. */
export interface JudgedStart {
  readonly first: Uint8Array;
  /** What comes behind it. */
  readonly reader: ByteSource;
  /** What was said in a beginning that is too long to be read again. */
  readonly events: readonly StreamEvent[] | null;
}

/** Reads until the first event, for a marker or a ping says nothing; an error as first event is thrown, so that it can be retried or fall back. */
export async function goodBeginning(reader: ByteSource, decode: StreamMap, provider: string): Promise<JudgedStart> {
  const beginning = new StartReader(decode);
  let read: Uint8Array[] = [];
  let size = 0;
  let kept = 0;
  for (;;) {
    const bytes = await reader.read();
    if (bytes) read.push(bytes);
    size += bytes?.length ?? 0;
    kept += bytes?.length ?? 0;
    if (size > MAX_BEFORE_FIRST)
      throw new GatewayError("UPSTREAM_INVALID", { provider, why: "its stream holds no event in its first 64 MB" });
    if (beginning.held > LONG) await beginning.readLong(bytes);
    else if (bytes) beginning.readNext(bytes);
    else beginning.end();
    if (beginning.events.length > 0) return handedOver(read, kept, reader, beginning.events);
    if (!bytes) throw new GatewayError("STREAM_EMPTY", { provider });
    if (beginning.held === 0) reader.unheard?.(); // comments and pings
    if (kept > MAX_BLANK) [read, kept] = behindBlank(read, kept, bytes);
    reader.keeps?.(eventCost(kept));
  }
}

function handedOver(read: readonly Uint8Array[], size: number, reader: ByteSource, events: readonly StreamEvent[]): JudgedStart {
  const [first = NOTHING, ...rest] = read;
  if (rest.length === 0) return { first, reader, events: null };
  if (size > LONG) return { first, reader: new ReadAgain(rest, reader), events };
  reader.keeps?.(0);
  return { first: Buffer.concat(read), reader, events: null };
}

/** What has not ended: it may be the beginning of an event. */
function behindBlank(read: Uint8Array[], kept: number, last: Uint8Array): [Uint8Array[], number] {
  const rest = last.subarray(lastFrameEnd(last));
  return rest.length === last.length || kept - rest.length <= MAX_BLANK ? [read, kept] : [rest.length === 0 ? [] : [rest], rest.length];
}
const NOTHING = new Uint8Array(0);

/** Frames that are read one by one before the rest of a piece is read in blocks of so many bytes: a piece may hold thousands of pings. */
const ONE_BY_ONE = 16;
const BLOCK = 1024;

/** The first frames of a stream. A first read may hold many: once one has said something, only an error behind it is of interest. */
class StartReader {
  private readonly frames = frameReader("sse");
  private readonly state: unknown;
  readonly events: StreamEvent[] = [];
  constructor(private readonly decode: StreamMap) {
    this.state = decode.start();
  }

  /** Characters of an event that has begun and not ended. */
  get held(): number {
    return this.frames.held;
  }
  readNext(bytes: Uint8Array): void {
    const error = Buffer.prototype.lastIndexOf.call(bytes, ERROR);
    for (let from = 0, to = 0, count = 0; from < bytes.length && !(this.events.length > 0 && from > error); from = to, count += 1) {
      to = firstFrameEnd(bytes, count < ONE_BY_ONE ? from : from + BLOCK);
      this.hear(this.frames.push(bytes.subarray(from, to)));
    }
  }
  /** The same where an event has become long. */
  async readLong(bytes: Uint8Array | undefined): Promise<void> {
    for (const frame of bytes ? this.frames.push(bytes) : this.frames.end()) {
      if (isLong(frame.data)) await refuseSlow(frame.data);
      this.hear([frame]);
    }
  }
  end(): void {
    this.hear(this.frames.end());
  }
  private hear(frames: readonly Frame[]): void {
    for (const frame of frames) for (const event of this.decode.event(frame, this.state)) this.events.push(event);
  }
}
const ERROR = Buffer.from("error");
