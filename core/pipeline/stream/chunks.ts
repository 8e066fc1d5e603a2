import type { Encoder, Source, StreamEvent, WireError } from "#contract";
import { Fold, saidIn } from "./fold.ts";
import { clipped, OUTLINE, sizeOf } from "./kept-events.ts";
import { errorOf, type Live, type Summary } from "./live.ts";
import { Slices } from "./slices.ts";
import { type Secrets, redactedError } from "../../kernel/secrets/redaction.ts";

const encoder = new TextEncoder();

/** Wire text of some of the client's frames, and the events in it. */
export interface Chunk {
  readonly wire: string;
  readonly events: readonly StreamEvent[];
}

/** Characters of a text of an event that is kept whenever it comes: a model's name. */
const SHORT = 256;

/** Chunks on their way to the client. */
export class ChunkStream implements Live {
  private readonly fold = new Fold();
  private passed = 0;
  private over = false;
  private failure: WireError | null = null;
  /** A long chunk on its way. */
  private slices: Slices | undefined;

  constructor(
    private readonly chunks: Source<Chunk>,
    private readonly encode: Pick<Encoder, "error">,
    private readonly from: { readonly provider: string; readonly secrets: Secrets },
    /** What is said in this much of the answer is kept, for estimates: of one without an end not all can be. */
    private readonly keptBytes: number,
  ) {}

  async read(): Promise<Uint8Array | undefined> {
    const slice = this.slices && (await this.slices.read());
    if (slice !== undefined) return slice;
    while (!this.over) {
      const chunk = await this.take();
      if (chunk === undefined || chunk.wire === "") continue;
      if (!Slices.suit(chunk.wire)) return encoder.encode(chunk.wire);
      this.slices = new Slices(chunk.wire);
      return this.slices.read();
    }
    return undefined;
  }
  async cancel(): Promise<void> {
    this.over = true;
    await this.slices?.cancel();
    await this.chunks.cancel();
  }
  summary(): Summary {
    const answer = this.fold.done();
    return {
      usage: answer.usage ?? null,
      model: answer.model ?? null,
      finished: this.fold.finished,
      error: this.failure,
      text: () => saidIn(answer),
    };
  }

  private remember(chunk: Chunk): void {
    const left = this.keptBytes - this.passed;
    for (const event of chunk.events) if (left > 0 || OUTLINE.has(event.type)) this.fold.add(clipped(event, Math.max(left, SHORT)));
    if (left > 0) this.passed += sizeOf(chunk);
  }
  private async take(): Promise<Chunk | undefined> {
    try {
      const chunk = await this.chunks.read();
      if (chunk === undefined) this.over = true;
      else this.remember(chunk);
      return chunk;
    } catch (thrown) {
      this.over = true;
      void this.chunks.cancel(); // nothing more of it is wanted
      this.failure = redactedError(errorOf(thrown, this.from.provider), this.from.secrets);
      return { wire: this.encode.error(this.failure), events: [] };
    }
  }
}
