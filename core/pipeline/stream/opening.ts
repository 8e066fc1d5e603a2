import { type ByteSource, type Frame, GatewayError, type JsonText, type StreamMap, UpstreamFailure } from "#contract";
import { textCost } from "../../json/memory-cost.ts";
import { received } from "../../json/utf8.ts";
import { isLong, refuseSlow } from "../../json/long-json.ts";
import { frameReader } from "./frames.ts";
import { ReadAgain } from "./read-again.ts";
import { MAX_WHOLE, tooLarge } from "../../json/whole.ts";

/**
 * What an answer to a request for a stream turns out to be, where its content type does not tell: the whole text of a
 * body, or the pieces of a stream, with those that were read to find out.
 */
export type Opening =
  | { readonly whole: JsonText; readonly pieces?: undefined }
  | { readonly whole?: undefined; readonly pieces: ByteSource };

/**
 * JSON that is one body and lines of JSON both begin with a brace. With `lines`, it is a stream as soon as a line says
 * something that only a stream's line says; when it ended before, it is what it is as a whole. Without, the brace decides.
 */
export async function opened(reader: ByteSource, lines: StreamMap | undefined, provider: string): Promise<Opening> {
  const read: Uint8Array[] = [];
  const probe = new Probe(lines);
  let size = 0;
  for (;;) {
    const bytes = await reader.read();
    if (bytes === undefined)
      return (await probe.isStreamAfterAll()) ? { pieces: new ReadAgain(read, reader) } : { whole: await received(read) };
    read.push(bytes);
    size += bytes.length;
    if (size > MAX_WHOLE) throw new GatewayError("UPSTREAM_INVALID", { provider, why: tooLarge(MAX_WHOLE) });
    const lines = probe.add(bytes);
    if (lines.length > 0) await probe.hear(lines);
    if (!probe.isStream) {
      reader.keeps?.(textCost(size));
      continue;
    }
    return { pieces: new ReadAgain(read, reader) };
  }
}

/** Reads lines until it is known what they are. */
class Probe {
  private readonly frames = frameReader("json-lines");
  private readonly state: unknown;
  /** Its first byte that is no space; 0 before that. */
  private first = 0;
  private lines = 0;
  private saidSomething = false;
  /** A line was not the map's: more than a line, or a whole body. */
  private strange = false;
  constructor(private readonly map: StreamMap | undefined) {
    this.state = map?.start();
  }

  /** The lines that end in it. */
  add(bytes: Uint8Array): readonly Frame[] {
    this.first ||= bytes.find((byte) => byte > SPACE) ?? 0;
    return this.map && !this.strange ? this.frames.push(bytes) : NO_LINES;
  }
  get isStream(): boolean {
    return this.map === undefined ? this.first !== 0 && this.first !== BRACE : this.saidSomething;
  }
  /** The same when all has come. */
  async isStreamAfterAll(): Promise<boolean> {
    if (this.map && this.lines === 0 && !this.strange) await this.hear(this.frames.end());
    return this.isStream || (this.lines > 1 && !this.strange);
  }
  async hear(lines: readonly Frame[]): Promise<void> {
    for (const line of lines) if (this.map) await this.hearLine(line, this.map);
  }
  private async hearLine(frame: Frame, map: StreamMap): Promise<void> {
    this.lines += 1;
    try {
      if (isLong(frame.data)) await refuseSlow(frame.data);
      // Some bodies name their model as a stream's first line does: that alone does not tell them apart.
      this.saidSomething ||= map.event(frame, this.state).some(({ type }) => type !== "start");
    } catch (thrown) {
      if (UpstreamFailure.is(thrown)) throw thrown;
      this.strange = true; // judged as a whole, when it is all there
    }
  }
}
const NO_LINES: readonly Frame[] = [];
const SPACE = 32;
const BRACE = 123;
