import { type Frame, GatewayError, type StreamMap } from "#contract";
import { eventCost } from "../kernel/memory-cost.ts";
import { firstFrameEnd } from "./frame-ends.ts";
import { frameReader } from "./frames.ts";
import type { Chunks } from "./live.ts";

/* Nothing is promised to the client before the first event of a stream is known to be good. */

/** Pings and one event of any size: what is held while the beginning of a stream is judged. */
const MAX_BEFORE_FIRST = 64 * 1024 * 1024;

/** Reads until the first event, for a marker or a ping says nothing; an error as first event is thrown, so that it can be retried or fall back. */
export async function goodBeginning(reader: Chunks, decode: StreamMap, provider: string): Promise<Uint8Array> {
  const beginning = new Beginning(decode);
  const read: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (value) read.push(value);
    size += value?.length ?? 0;
    if (size > MAX_BEFORE_FIRST)
      throw new GatewayError("UPSTREAM_INVALID", { provider, why: "its stream holds no event in its first 64 MB" });
    const began = done ? beginning.end() : beginning.saw(value);
    if (began) return joined(read, reader);
    if (done) throw new GatewayError("STREAM_EMPTY", { provider });
    reader.keeps?.(eventCost(size));
    if (!beginning.isOpen) reader.unheard?.(); // comments and pings
  }
}

function joined(read: readonly Uint8Array[], reader: Chunks): Uint8Array {
  if (read.length === 1 && read[0]) return read[0];
  reader.keeps?.(0);
  return Buffer.concat(read);
}

/** The first frames of a stream. A first read may hold many: once one has said something, only an error behind it is of interest. */
class Beginning {
  private readonly frames = frameReader("sse");
  private readonly state: unknown;
  private began = false;
  constructor(private readonly decode: StreamMap) {
    this.state = decode.start();
  }

  /** An event has begun and not ended. */
  get isOpen(): boolean {
    return this.frames.held > 0;
  }
  /** Something has been said. */
  saw(bytes: Uint8Array): boolean {
    const error = Buffer.prototype.lastIndexOf.call(bytes, ERROR);
    for (let from = 0, to = 0; from < bytes.length && !(this.began && from > error); from = to) {
      to = firstFrameEnd(bytes, from);
      this.hear(this.frames.push(bytes.subarray(from, to)));
    }
    return this.began;
  }
  end(): boolean {
    this.hear(this.frames.end());
    return this.began;
  }
  private hear(frames: readonly Frame[]): void {
    for (const frame of frames) if (this.decode.event(frame, this.state).length > 0) this.began = true;
  }
}
const ERROR = Buffer.from("error");
