import type { Json, StreamEvent } from "#contract";

type Reasoning = Extract<StreamEvent, { type: "reasoning" }>;

/** Numbers the `content_blocks` of one streamed choice: a new block begins when the kind changes or the last was closed. */
export class Blocks {
  private index = -1;
  private open: "text" | "thinking" | null = null;

  text(text: string): Json {
    return this.delta("text", { text });
  }
  reasoning({ text, signature, redacted }: Reasoning): Json {
    if (redacted !== undefined) return this.whole({ data: redacted });
    const block = this.delta("thinking", { ...(text !== "" && { thinking: text }), ...(signature !== undefined && { signature }) });
    if (signature !== undefined) this.open = null;
    return block;
  }

  private delta(kind: "text" | "thinking", delta: Json): Json {
    if (this.open !== kind) this.index++;
    this.open = kind;
    return { content_blocks: [{ index: this.index, delta }] };
  }
  private whole(delta: Json): Json {
    this.index++;
    this.open = null;
    return { content_blocks: [{ index: this.index, delta: { type: "redacted_thinking", ...delta } }] };
  }
}
