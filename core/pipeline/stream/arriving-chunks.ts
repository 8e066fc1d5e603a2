import {
  type ByteSource,
  type Encoder,
  type Frame,
  type FrameFormat,
  GatewayError,
  type MaybePromise,
  nextTurn,
  type Source,
  type StreamEvent,
  type StreamMap,
} from "#contract";
import { isLong } from "../../json/long-json.ts";
import { entering, markOfOwner } from "../../kernel/process/watchdog/marks.ts";
import { ArrivingFrames } from "./arriving-frames.ts";
import type { Chunk } from "./chunks.ts";
import { markerOf } from "./marker.ts";
import type { PassThrough } from "./pass-through.ts";

/** Chunks of the client's dialect, made of a stream's frames as they arrive. It breaks when they end too early. */
class ArrivingChunks implements Source<Chunk> {
  /** Those that were made and not asked for, the next one last. */
  private left: Chunk[] = [];
  private over = false;
  constructor(
    private readonly frames: ArrivingFrames,
    private readonly chunksOf: (frames: readonly Frame[]) => MaybePromise<Chunk[]>,
    private readonly end: () => Chunk,
  ) {}

  async read(): Promise<Chunk | undefined> {
    for (let chunk = this.left.pop(); ; chunk = this.left.pop()) {
      if (chunk !== undefined || this.over) return chunk;
      const frames = await this.frames.read();
      if (frames !== undefined) {
        const chunks = this.chunksOf(frames);
        const made = chunks instanceof Promise ? await chunks : chunks;
        if (!this.over) this.left = made.reverse(); // else cancelled meanwhile
      } else if (!this.over) return this.last();
    }
  }
  private last(): Chunk {
    this.over = true;
    return this.end();
  }
  cancel(): Promise<void> {
    this.over = true;
    this.left = [];
    return this.frames.cancel();
  }
  /** Waits for the first, which is then given again. */
  async begun(): Promise<this> {
    const first = await this.read();
    if (first !== undefined) this.left.push(first);
    return this;
  }
}

function incomplete(provider: string): never {
  throw new GatewayError("STREAM_INCOMPLETE", { provider });
}

export interface Translating {
  readonly reader: ByteSource;
  readonly map: StreamMap;
  readonly format: FrameFormat;
  readonly encoder: Encoder;
  readonly provider: string;
}

/** Different dialects: the provider's frames become events, the events become the client's frames. Waits for the first event. */
export function translated(from: Translating): Promise<Source<Chunk>> {
  const { map, encoder, provider } = from;
  const source = new ArrivingFrames(from.reader, from.format, { isMarked: map.ends !== undefined, mayBreak: true });
  const mark = markOfOwner(map);
  const state = map.start();
  const chunksOf = (frames: readonly Frame[]): MaybePromise<Chunk[]> => {
    entering(mark);
    if (holdsLong(frames)) return chunksInTurns(frames, from, state, source);
    const chunk = chunkOf(frames, from, state, source);
    source.heard(chunk.events);
    return chunk.events.length > 0 ? [chunk] : [];
  };
  const end = (): Chunk => (source.complete ? { wire: encoder.end(), events: [] } : incomplete(provider));
  return new ArrivingChunks(source, chunksOf, end).begun();
}

/** Up to the terminal marker. */
function chunkOf(frames: readonly Frame[], { map, encoder: to }: Translating, state: unknown, source: ArrivingFrames): Chunk {
  const events: StreamEvent[] = [];
  let wire = "";
  for (const frame of frames) {
    for (const event of map.event(frame, state)) {
      events.push(event);
      wire += to.event(event);
    }
    if (map.ends?.(frame, state)) {
      source.end();
      break;
    }
  }
  return { wire, events };
}

function holdsLong(frames: readonly Frame[]): boolean {
  for (const { data } of frames) if (isLong(data)) return true;
  return false;
}
/** The same of frames that are long: reading one is a turn of its own, and so is each long piece of what is written of it. */
async function chunksInTurns(frames: readonly Frame[], from: Translating, state: unknown, source: ArrivingFrames): Promise<Chunk[]> {
  const { map } = from;
  const chunks: Chunk[] = [];
  for (const frame of frames) {
    const events = map.event(frame, state);
    await nextTurn();
    entering(markOfOwner(map));
    for (const chunk of longChunks(events, from.encoder)) {
      chunks.push(chunk);
      await nextTurn();
    }
    source.heard(events);
    if (!map.ends?.(frame, state)) continue;
    source.end();
    break;
  }
  return chunks;
}

/** Thousands of small events are few chunks: each chunk that a client takes costs as much as writing some dozens of them. */
function* longChunks(events: readonly StreamEvent[], to: Encoder): Generator<Chunk> {
  let chunk = { wire: "", events: [] as StreamEvent[] };
  for (const event of events) {
    chunk.wire += to.event(event);
    chunk.events.push(event);
    if (!isLong(chunk.wire)) continue;
    yield chunk;
    chunk = { wire: "", events: [] };
  }
  if (chunk.events.length > 0) yield chunk;
}

/** Passing bytes as chunks of their own dialect, frame by frame, for guardrails that must see the answer. */
export function decoded(from: PassThrough): Source<Chunk> {
  const { dialect, provider, encode } = from;
  const marker = markerOf(dialect, encode);
  const source = new ArrivingFrames(from.reader, "sse", { isMarked: marker !== null, mayBreak: false }, from.first);
  const state = dialect.decode.start(true);
  let ended = false;
  const chunksOf = (frames: readonly Frame[]): Chunk[] => {
    const chunks: Chunk[] = [];
    for (const sent of frames) {
      if (sent.data === "") continue; // cut behind its `data:`, or a ping
      const frame = from.correct ? { ...sent, data: from.correct(sent.data) } : sent;
      const wire = from.hideUsage && dialect.isUsageFrame(frame.data) ? "" : wireOf(frame);
      chunks.push({ wire, events: dialect.decode.event(frame, state) });
      if (!marker?.is(frame)) continue;
      source.end();
      ended = true;
      break;
    }
    source.heard(chunks.flatMap(({ events }) => events));
    return chunks;
  };
  const end = (): Chunk => (source.complete ? { wire: ended ? "" : dialect.encode(encode).end(), events: [] } : incomplete(provider));
  return new ArrivingChunks(source, chunksOf, end);
}
const wireOf = ({ event, data }: Frame): string =>
  `${event === "" ? "" : `event: ${event}\n`}data: ${data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data}\n\n`;
