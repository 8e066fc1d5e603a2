import type { Dialect, EncodeOptions, Frame } from "#contract";
import { framesOf } from "./frames.ts";
import { firstFrameEnd, lastFrameEnd } from "./frame-ends.ts";

const encoder = new TextEncoder();

/** A dialect's terminal marker. Some servers leave it out; a complete answer gets it all the same. */
export class Marker {
  private readonly needle: Buffer;
  constructor(private readonly frame: Frame) {
    this.needle = Buffer.from(frame.event === "" ? frame.data : frame.event);
  }

  is(frame: Frame | undefined): boolean {
    const { event, data } = this.frame;
    return frame !== undefined && frame.event === event && (event !== "" || frame.data === data);
  }
  /** Index just behind the marker in whole frames; -1 when it is not there. One search of the bytes when it is not. */
  endIn(bytes: Uint8Array): number {
    for (let at = this.find(bytes, 0), to = 0; at >= 0; at = this.find(bytes, to)) {
      to = firstFrameEnd(bytes, at);
      if (this.is(framesOf(bytes.subarray(lastFrameEnd(bytes.subarray(0, at)), to)).at(-1))) return to;
    }
    return -1;
  }
  private find(bytes: Uint8Array, from: number): number {
    return Buffer.prototype.indexOf.call(bytes, this.needle, from); // a Buffer of its own for each chunk would cost more than the search
  }
}

/** Of each dialect once: it says the same at the end of each answer. */
export function markerOf(dialect: Dialect, encode: EncodeOptions): Marker | null {
  const known = MARKERS.get(dialect);
  if (known !== undefined) return known;
  const frame = framesOf(encoder.encode(dialect.encode(encode).end())).at(-1);
  const marker = frame === undefined ? null : new Marker(frame);
  MARKERS.set(dialect, marker);
  return marker;
}
const MARKERS = new WeakMap<Dialect, Marker | null>();
