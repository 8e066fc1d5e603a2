import type { Encoder, GuardrailResult, Json, Source } from "#contract";
import type { Chunk } from "../stream/chunks.ts";
import type { GuardrailReport } from "../call/guardrail-report.ts";

/** A stream with the guardrails' results before the answer and, when there are any, behind it. */
export class NotedChunks implements Source<Chunk> {
  private begun = false;
  private over = false;
  constructor(
    private readonly chunks: Source<Chunk>,
    private readonly report: GuardrailReport,
    private readonly encoder: Pick<Encoder, "note">,
    /** What is said before the answer comes behind its first chunk all the same. */
    private readonly behindStart = false,
  ) {}

  async read(): Promise<Chunk | undefined> {
    if (!this.begun) {
      this.begun = true;
      const { input } = this.report.results();
      if (input.length > 0) return this.beforeAnswer(input);
    }
    const chunk = await this.chunks.read();
    if (chunk !== undefined || this.over) return chunk;
    this.over = true;
    const { output } = this.report.results(); // complete only now
    return output.length > 0 ? this.note("after_request_hooks", output) : undefined;
  }
  cancel(): Promise<void> {
    return this.chunks.cancel();
  }
  private async beforeAnswer(input: readonly GuardrailResult[]): Promise<Chunk> {
    const note = this.note("before_request_hooks", input);
    const first = this.behindStart ? await this.chunks.read() : undefined;
    return first === undefined ? note : { wire: first.wire + note.wire, events: first.events };
  }
  private note(when: string, results: readonly GuardrailResult[]): Chunk {
    const extra: Json = { hook_results: { [when]: results } };
    return { wire: this.encoder.note(extra), events: [] };
  }
}
