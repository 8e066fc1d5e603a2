import type { EncodeOptions, Encoder, Json, StreamEvent, Usage, WireError } from "#contract";
import { usageBody } from "../content/usage.ts";

const frame = (body: Json): string => `data: ${JSON.stringify(body)}\n\n`;

/** Events -> text_completion frames. Usage waits for the end, where the dialect puts it. */
export class CompletionEncoder implements Encoder {
  private head: Json;
  private usage: Usage | undefined;

  constructor(private readonly options: EncodeOptions) {
    this.head = { id: options.id, object: "text_completion", created: options.created, model: options.model };
  }

  event(event: StreamEvent): string {
    if (event.type === "text") return this.chunk(event.choice, event.text, null);
    if (event.type === "finish") return this.chunk(event.choice, "", (this.options.strict ? undefined : event.native) ?? event.reason);
    if (event.type === "usage") this.usage = { ...this.usage, ...event.usage };
    if (event.type === "start") this.begin(event);
    return ""; // thoughts and tool calls have no place here
  }

  end(): string {
    const usage = this.options.usage && this.usage ? frame({ ...this.head, choices: [], usage: usageBody(this.usage) }) : "";
    return `${usage}data: [DONE]\n\n`;
  }

  /** A frame without choices, which clients pass over. */
  note(extra: Json): string {
    return frame({ ...this.head, choices: [], ...extra });
  }

  error({ message, type, param, code }: WireError): string {
    return frame({ error: { message, type, param, code } });
  }

  private begin({ id, model, created }: Extract<StreamEvent, { type: "start" }>): void {
    this.head = {
      ...this.head,
      ...(id !== undefined && { id }),
      ...(created !== undefined && { created }),
      ...(model !== undefined && { model }),
    };
  }
  private chunk(index = 0, text: string, finish_reason: string | null): string {
    return frame({ ...this.head, choices: [{ text, index, logprobs: null, finish_reason }], ...(this.options.usage && { usage: null }) });
  }
}
