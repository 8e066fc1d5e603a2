import type { Dialect, EncodeOptions, Frame } from "#contract";
import { framesOf } from "./frames.ts";
import { firstFrameEnd, lastFrameEnd } from "./frame-ends.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A dialect's terminal marker. Some servers leave it out; a complete answer gets it all the same. */
export class Marker {
  private readonly needles: readonly Buffer[];
  /** `names`: the events that end a stream, where there are several; else it is always this frame. */
  constructor(
    private readonly frame: Frame,
    private readonly names?: readonly string[],
  ) {
    this.needles = (names ?? [frame.event === "" ? frame.data : frame.event]).map((needle) => Buffer.from(needle));
  }

  is(frame: Frame | undefined): boolean {
    if (frame === undefined) return false;
    if (this.names) return this.names.some((name) => frame.event === name || (frame.event === "" && frame.data.includes(`"${name}"`)));
    const { event, data } = this.frame;
    return frame.event === event && (event !== "" || frame.data === data);
  }
  /** Index just behind the marker in whole frames; -1 when it is not there. One search of the bytes for each name when it is not. */
  endIn(bytes: Uint8Array): number {
    let end = -1;
    for (const needle of this.needles) {
      const found = this.endOf(needle, end < 0 ? bytes : bytes.subarray(0, end));
      if (found >= 0) end = found;
    }
    return end;
  }
  /** The terminal event whose frame begins so; of those that may be too long to be read whole. */
  eventOf(beginning: Uint8Array): string | null {
    const text = decoder.decode(beginning);
    const eventName = /(?:^|[\r\n])event: ?([^\r\n]*)/.exec(text)?.[1];
    return this.names?.find((name) => (eventName === undefined ? text.includes(`"${name}"`) : eventName === name)) ?? null;
  }
  private endOf(needle: Buffer, bytes: Uint8Array): number {
    for (let at = find(bytes, needle, 0), to = 0; at >= 0; at = find(bytes, needle, to)) {
      to = firstFrameEnd(bytes, at);
      if (this.is(framesOf(bytes.subarray(lastFrameEnd(bytes.subarray(0, at)), to)).at(-1))) return to;
    }
    return -1;
  }
}
/** A Buffer of its own for each chunk would cost more than the search. */
const find = (bytes: Uint8Array, needle: Buffer, from: number): number => Buffer.prototype.indexOf.call(bytes, needle, from);

/** Of each dialect once: it says the same at the end of each answer. */
export function markerOf(dialect: Dialect, encode: EncodeOptions): Marker | null {
  const cached = MARKERS.get(dialect);
  if (cached !== undefined) return cached;
  const frame = framesOf(encoder.encode(dialect.encode(encode).end())).at(-1);
  const marker = frame === undefined ? null : new Marker(frame, dialect.terminal?.events);
  MARKERS.set(dialect, marker);
  return marker;
}
const MARKERS = new WeakMap<Dialect, Marker | null>();
