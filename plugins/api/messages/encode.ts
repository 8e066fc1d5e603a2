import type { EncodeOptions, Encoder, Json, StreamEvent, Usage, WireError } from "#contract";
import { ContentBlocks, isBlockEvent, type Of } from "./content-blocks.ts";
import { errorBody } from "./failure.ts";
import { frame, typed } from "./frame.ts";
import { stopReasonOf } from "./stops.ts";
import { usageBody } from "./usage.ts";

/** The beginning of an answer whose provider did not tell of it. */
const UNNAMED = { type: "start" } as const;

/** Events -> the events of a message stream: blocks one behind the other, usage and the reason of the stop at the end. */
export class MessagesEncoder implements Encoder {
  private begun = false;
  private readonly blocks: ContentBlocks;
  private finish: Of<"finish"> | undefined;
  private usage: Usage | undefined;

  constructor(private readonly options: EncodeOptions) {
    this.blocks = new ContentBlocks(options.strict);
  }

  event(event: StreamEvent): string {
    if (event.type === "start") return this.begin(event);
    if (event.type === "usage") return this.keep(event.usage);
    if (event.choice !== undefined && event.choice !== 0) return ""; // a message is one answer
    if (event.type === "finish") return this.ending(event);
    if (!isBlockEvent(event)) return "";
    return this.begun ? this.blocks.event(event) : this.begin(UNNAMED) + this.blocks.event(event);
  }

  /** Of an answer that this encoder did not begin: the terminal marker alone. */
  end(): string {
    const stop = typed("message_stop", {});
    if (!this.begun) return stop;
    const { reason = "stop", native, stopSequence = null } = this.finish ?? {};
    const stop_reason = stopReasonOf({ finish: reason, native, calls: this.blocks.calls, refused: this.blocks.refused });
    const usage = this.options.usage ? { usage: usageBody(this.usage) } : {};
    return typed("message_delta", { delta: { stop_reason, stop_sequence: stopSequence, stop_details: null }, ...usage }) + stop;
  }

  /** An event that clients pass over. */
  note(extra: Json): string {
    return frame("hook_results", extra);
  }

  error(error: WireError): string {
    return frame("error", errorBody(error, IN_A_STREAM));
  }

  private begin({ id = this.options.id, model = this.options.model }: Of<"start">): string {
    if (this.begun) return "";
    this.begun = true;
    const usage = this.options.usage ? { usage: usageBody(this.usage) } : {};
    const message = { id, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null, ...usage };
    return typed("message_start", { message });
  }
  private keep(usage: Usage): string {
    this.usage = { ...this.usage, ...usage };
    return "";
  }
  private ending(finish: Of<"finish">): string {
    this.finish = finish;
    return this.begin(UNNAMED) + this.blocks.end();
  }
}
/** An error in mid-stream has no status of its own. */
const IN_A_STREAM = 500;
