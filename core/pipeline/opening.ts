import { type Frame, GatewayError, type StreamMap, UpstreamFailure } from "#contract";
import { MAX_WHOLE, textOf, tooLarge } from "../egress/answer.ts";
import { textCost } from "../kernel/memory-cost.ts";
import { frameReader } from "./frames.ts";
import type { Chunks } from "./live.ts";

/**
 * What an answer to a request for a stream turns out to be, where its content type does not tell: the whole text of a
 * body, or the pieces of a stream, with those that were read to find out.
 */
export type Opening = { readonly whole: string; readonly pieces?: undefined } | { readonly whole?: undefined; readonly pieces: Chunks };

/**
 * JSON that is one body and lines of JSON both begin with a brace. With `lines`, it is a stream as soon as a line says
 * something that only a stream's line says; when it ended before, it is what it is as a whole. Without, the brace decides.
 */
export async function opened(reader: Chunks, lines: StreamMap | undefined, provider: string): Promise<Opening> {
  const read: Uint8Array[] = [];
  const probe = new Probe(lines);
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return probe.isStream(true) ? { pieces: behind(read, reader) } : { whole: textOf(read) };
    read.push(value);
    size += value.length;
    if (size > MAX_WHOLE) throw new GatewayError("UPSTREAM_INVALID", { provider, why: tooLarge(MAX_WHOLE) });
    probe.add(value);
    if (!probe.isStream(false)) {
      reader.keeps?.(textCost(size));
      continue;
    }
    reader.keeps?.(0);
    return { pieces: behind(read, reader) };
  }
}

/** Reads lines until it is known what they are. */
class Probe {
  private readonly frames = frameReader("json-lines");
  private readonly state: unknown;
  /** Its first byte that is no space; 0 before that. */
  private first = 0;
  private lines = 0;
  private said = false;
  /** A line was not the map's: more than a line, or a whole body. */
  private strange = false;
  constructor(private readonly map: StreamMap | undefined) {
    this.state = map?.start();
  }

  add(bytes: Uint8Array): void {
    this.first ||= bytes.find((byte) => byte > SPACE) ?? 0;
    if (this.map && !this.strange) for (const frame of this.frames.push(bytes)) this.hear(frame, this.map);
  }
  isStream(ended: boolean): boolean {
    if (this.map === undefined) return this.first !== 0 && this.first !== BRACE;
    if (ended && this.lines === 0 && !this.strange) for (const frame of this.frames.end()) this.hear(frame, this.map);
    return this.said || (ended && this.lines > 1 && !this.strange);
  }
  private hear(frame: Frame, map: StreamMap): void {
    this.lines += 1;
    try {
      // Some bodies name their model as a stream's first line does: that alone does not tell them apart.
      this.said ||= map.event(frame, this.state).some(({ type }) => type !== "start");
    } catch (thrown) {
      if (thrown instanceof UpstreamFailure) throw thrown;
      this.strange = true; // judged as a whole, when it is all there
    }
  }
}
const SPACE = 32;
const BRACE = 123;

/** A reader that gives again what was read of it. */
function behind(read: readonly Uint8Array[], reader: Chunks): Chunks {
  let at = 0;
  return {
    read() {
      const value = read[at++];
      return value === undefined ? reader.read() : Promise.resolve({ done: false, value });
    },
    cancel: () => reader.cancel(),
    unheard: () => reader.unheard?.(),
    keeps: (bytes) => reader.keeps?.(bytes),
  };
}
