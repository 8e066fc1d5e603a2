import type { Json, StreamEvent } from "#contract";

type Reasoning = Extract<StreamEvent, { type: "reasoning" }>;

/** Numbers the `content_blocks` of one streamed choice: a new block begins when the kind changes or the last was closed. */
export class Blocks {
  private index = -1;
  private open: "text" | "thinking" | null = null;

  text(text: string, begins?: boolean): Json {
    if (begins) this.open = null;
    return text === "" ? {} : this.delta("text", { text });
  }
  citation(citation: Json): Json {
    return this.delta("text", { citation });
  }
  reasoning({ text, signature, redacted }: Reasoning): Json {
    if (redacted !== undefined) return this.whole({ type: "redacted_thinking", data: redacted });
    const block = this.delta("thinking", { ...(text !== "" && { thinking: text }), ...(signature !== undefined && { signature }) });
    if (signature !== undefined) this.open = null;
    return block;
  }

  /** A block that comes in one piece. */
  whole(block: Json): Json {
    this.index++;
    this.open = null;
    return { content_blocks: [{ index: this.index, delta: block }] };
  }

  private delta(kind: "text" | "thinking", delta: Json): Json {
    if (this.open !== kind) this.index++;
    this.open = kind;
    return { content_blocks: [{ index: this.index, delta }] };
  }
}
