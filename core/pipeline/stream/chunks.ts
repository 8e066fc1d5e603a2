import type { Pieces } from "../../egress/answer.ts";
import { type Encoder, type Frame, type FrameFormat, GatewayError, type StreamEvent, type StreamMap, type WireError } from "#contract";
import { entering, markOfOwner } from "../../kernel/process/watchdog/marks.ts";
import { ArrivingFrames } from "./arriving-frames.ts";
import { Fold } from "./fold.ts";
import { clipped, OUTLINE, sizeOf } from "./kept-events.ts";
import { errorOf, type Live, type Summary } from "./live.ts";
import { markerOf } from "./marker.ts";
import type { PassThrough } from "./pass-through.ts";
import { type Secrets, toldError } from "../call/secrets-sent.ts";
import { Slices } from "./slices.ts";

/* Different dialects: the provider's frames become events, the events become the client's frames. */

const encoder = new TextEncoder();

export interface Translating {
  readonly reader: Pieces;
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
  const source = new ArrivingFrames(from.reader, from.format, { isMarked: from.map.ends !== undefined, mayBreak: true });
  const mark = markOfOwner(from.map);
  const state = from.map.start();
  try {
    for (let frames = await source.next(); frames; frames = await source.next()) {
      entering(mark);
      const chunk = chunkOf(frames, from, state, source);
      source.heard(chunk.events);
      if (chunk.events.length > 0) yield chunk;
    }
    if (!source.complete) throw new GatewayError("STREAM_INCOMPLETE", { provider: from.provider });
    yield { wire: from.encoder.end(), events: [] };
  } finally {
    await source.close();
  }
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

/** Reads passing bytes as chunks of their own dialect, for guardrails that must see the answer. */
export async function* decoded(from: PassThrough): AsyncGenerator<Chunk> {
  const { dialect, provider } = from;
  const marker = markerOf(dialect, from.encode);
  const source = new ArrivingFrames(from.reader, "sse", { isMarked: marker !== null, mayBreak: false }, from.first);
  const state = dialect.decode.start();
  let ended = false;
  try {
    for (let frames = await source.next(); frames; frames = await source.next()) {
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
      yield* chunks;
    }
    if (!source.complete) throw new GatewayError("STREAM_INCOMPLETE", { provider });
    yield { wire: ended ? "" : dialect.encode(from.encode).end(), events: [] };
  } finally {
    await source.close();
  }
}
const wireOf = ({ event, data }: Frame): string =>
  `${event === "" ? "" : `event: ${event}\n`}data: ${data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data}\n\n`;

/** Characters of a text of an event that is kept whenever it comes: a model's name. */
const SHORT = 256;

/** Pieces on their way to the client. */
export class ChunkStream implements Live {
  private readonly fold = new Fold();
  private passed = 0;
  private over = false;
  private failure: WireError | null = null;
  /** A long chunk on its way. */
  private slices: Slices | undefined;

  constructor(
    private readonly chunks: AsyncIterator<Chunk>,
    private readonly encode: Pick<Encoder, "error">,
    private readonly from: { readonly provider: string; readonly secrets: Secrets },
    /** What is said in this much of the answer is kept, for estimates: of one without an end not all can be. */
    private readonly keptBytes: number,
  ) {}

  async next(): Promise<Uint8Array | undefined> {
    const slice = this.slices && (await this.slices.next());
    if (slice !== undefined) return slice;
    while (!this.over) {
      const chunk = await this.take();
      if (chunk === undefined || chunk.wire === "") continue;
      if (!Slices.suit(chunk.wire)) return encoder.encode(chunk.wire);
      this.slices = new Slices(chunk.wire);
      return this.slices.next();
    }
    return undefined;
  }
  async cancel(): Promise<void> {
    this.over = true;
    await this.slices?.cancel();
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

  private remember(chunk: Chunk): void {
    const left = this.keptBytes - this.passed;
    for (const event of chunk.events) if (left > 0 || OUTLINE.has(event.type)) this.fold.add(clipped(event, Math.max(left, SHORT)));
    if (left > 0) this.passed += sizeOf(chunk);
  }
  private async take(): Promise<Chunk | undefined> {
    try {
      const { value, done } = await this.chunks.next();
      if (done) this.over = true;
      if (value) this.remember(value);
      return value ?? undefined;
    } catch (thrown) {
      this.over = true;
      this.failure = toldError(errorOf(thrown, this.from.provider), this.from.secrets);
      return { wire: this.encode.error(this.failure), events: [] };
    }
  }
}
