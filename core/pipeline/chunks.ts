import { type Encoder, type Frame, type FrameFormat, GatewayError, type StreamEvent, type StreamMap, type WireError } from "#contract";
import { entering, markOfOwner } from "../kernel/watchdog/marks.ts";
import { Fold } from "./collect.ts";
import { type FrameReader, frameReader } from "./frames.ts";
import { type Chunks, errorOf, type Live, type Summary } from "./live.ts";
import { isEnd, type Passing } from "./passing.ts";

/* Different dialects: the provider's frames become events, the events become the client's frames. */

const encoder = new TextEncoder();

export interface Translating {
  readonly reader: Chunks;
  readonly map: StreamMap;
  readonly format: FrameFormat;
  readonly encoder: Encoder;
  readonly provider: string;
}
/** Wire text of some of the client's frames, and the events in it. */
export interface Chunk {
  readonly wire: string;
  readonly events: readonly StreamEvent[];
}

/** Reads a provider's stream as chunks of the client's dialect; throws when it breaks or ends too early. */
export async function* translated(from: Translating): AsyncGenerator<Chunk> {
  const frames = frameReader(from.format);
  const mark = markOfOwner(from.map);
  const state = from.map.start();
  const fold = new Fold();
  try {
    for (;;) {
      const { value, done } = await from.reader.read().catch((thrown: unknown) => {
        if (!fold.finished) throw thrown;
        return { value: undefined, done: true as const }; // a connection that breaks behind the end broke nothing
      });
      entering(mark);
      const chunk = chunkOf(done ? frames.end() : frames.push(value), from, state, fold);
      if (chunk.events.length > 0) yield chunk;
      if (done) break;
    }
    if (!fold.finished) throw new GatewayError("STREAM_INCOMPLETE", { provider: from.provider });
    yield { wire: from.encoder.end(), events: [] };
  } finally {
    await from.reader.cancel().catch(() => undefined); // no more of it is wanted, whatever ended this
  }
}

function chunkOf(frames: readonly Frame[], from: Translating, state: unknown, fold: Fold): Chunk {
  const events = frames.flatMap((frame) => from.map.event(frame, state));
  let wire = "";
  for (const event of events) {
    fold.add(event);
    wire += from.encoder.event(event);
  }
  return { wire, events };
}

/** Reads passing bytes as chunks of their own dialect, for guardrails that must see the answer. */
export async function* decoded(reader: FramedChunks, from: Omit<Passing, "reader" | "first">): AsyncGenerator<Chunk> {
  const { dialect, provider, hideUsage, correct } = from;
  const state = dialect.decode.start();
  const fold = new Fold();
  let last: Frame | undefined;
  try {
    for await (const frames of reader) {
      for (const sent of frames) {
        if (sent.data === "") continue; // cut behind its `data:`, or a ping
        const frame = correct ? { ...sent, data: correct(sent.data) } : sent;
        const events = dialect.decode.event(frame, state);
        for (const event of events) fold.add(event);
        last = frame;
        yield { wire: hideUsage && dialect.isUsageFrame(frame.data) ? "" : wireOf(frame), events };
      }
    }
    if (!fold.finished) throw new GatewayError("STREAM_INCOMPLETE", { provider });
    yield { wire: isEnd(last, from) ? "" : from.dialect.encode(from.encode).end(), events: [] };
  } finally {
    await reader.return?.(undefined);
  }
}
export type FramedChunks = AsyncGenerator<readonly Frame[]>;

export async function* framed(reader: Chunks, first: Uint8Array): FramedChunks {
  const frames: FrameReader = frameReader("sse");
  try {
    yield frames.push(first);
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield frames.push(read.value);
    yield frames.end();
  } finally {
    await reader.cancel().catch(() => undefined); // ditto
  }
}
const wireOf = ({ event, data }: Frame): string =>
  `${event === "" ? "" : `event: ${event}\n`}${data
    .split("\n")
    .map((line) => `data: ${line}\n`)
    .join("")}\n`;

/** Chunks on their way to the client. */
export class ChunkStream implements Live {
  private readonly fold = new Fold();
  private over = false;
  private failure: WireError | null = null;

  constructor(
    private readonly chunks: AsyncIterator<Chunk>,
    private readonly encode: Pick<Encoder, "error">,
    private readonly provider: string,
  ) {}

  async next(): Promise<Uint8Array | undefined> {
    while (!this.over) {
      const chunk = await this.take();
      if (chunk !== undefined && chunk.wire !== "") return encoder.encode(chunk.wire);
    }
    return undefined;
  }
  async cancel(): Promise<void> {
    this.over = true;
    await this.chunks.return?.();
  }
  summary(): Summary {
    const answer = this.fold.done();
    return {
      usage: answer.usage ?? null,
      model: answer.model ?? null,
      finished: this.fold.finished,
      error: this.failure,
      text: () =>
        answer.choices
          .map(
            (choice) =>
              choice.text + choice.tools.map((tool) => tool.arguments).join("") + choice.reasoning.map((part) => part.text).join(""),
          )
          .join(""),
    };
  }

  private async take(): Promise<Chunk | undefined> {
    try {
      const { value, done } = await this.chunks.next();
      if (done) this.over = true;
      for (const event of value?.events ?? []) this.fold.add(event);
      return value ?? undefined;
    } catch (thrown) {
      this.over = true;
      this.failure = errorOf(thrown, this.provider);
      return { wire: this.encode.error(this.failure), events: [] };
    }
  }
}
