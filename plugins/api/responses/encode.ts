import type { EncodeOptions, Encoder, FinishReason, Json, StreamEvent, Usage, WireError } from "#contract";
import { EventWriter, frame } from "./output/event-writer.ts";
import type { Of, OutputItems } from "./output/output-items.ts";
import { headOf, type ResponseHead, type ResponseState, responseBody, statusOf } from "./response.ts";
import { itemsOf } from "./write.ts";

/** The beginning of an answer whose provider did not tell of it. */
const UNNAMED = { type: "start" } as const;

/** Events -> the events of a response's stream, from `response.created` to `response.completed`. */
export class ResponsesEncoder implements Encoder {
  private readonly writer = new EventWriter();
  private items: OutputItems | undefined;
  private head: ResponseHead | undefined;
  private finish: FinishReason | undefined;
  private usage: Usage | undefined;

  constructor(private readonly options: EncodeOptions) {}

  event(event: StreamEvent): string {
    if (event.type === "start") return this.begin(event);
    if (event.type === "usage") return this.keep(event.usage);
    if (event.choice !== undefined && event.choice !== 0) return ""; // a response is one answer
    const begun = this.head === undefined ? this.begin(UNNAMED) : "";
    if (event.type === "finish") return begun + this.ending(event);
    return event.type === "beside" ? begun : begun + (this.items ??= itemsOf(this.options, this.writer)).event(event);
  }

  end(): string {
    const { finish, usage } = this;
    const begun = this.head === undefined ? this.begin(UNNAMED) : "";
    const status = statusOf(finish);
    return begun + this.responseEvent(`response.${status}`, { status, finish, usage: this.options.usage ? usage : undefined });
  }

  /** By its name an event of the gateway's; by its type the one that OpenAI's helpers pass over, which refuse types they do not know. */
  note(extra: Json): string {
    return frame("hook_results", { type: "keepalive", ...extra });
  }

  /** In an answer that this encoder began, the response has failed too: clients wait for its end. */
  error(error: WireError): string {
    const { code, message, param, extra } = error;
    const wire = this.writer.event("error", { code: code ?? error.type, message, param, ...extra });
    if (this.head === undefined) return wire;
    this.items?.end("incomplete");
    return wire + this.responseEvent("response.failed", { status: "failed", error });
  }

  private begin(start: Of<"start">): string {
    if (this.head !== undefined) return "";
    this.head = headOf(start, this.options);
    return (
      this.responseEvent("response.created", { status: "in_progress" }) +
      this.responseEvent("response.in_progress", { status: "in_progress" })
    );
  }
  private responseEvent(type: string, state: Omit<ResponseState, "output">): string {
    const head = this.head ?? headOf({}, this.options);
    return this.writer.event(type, { response: responseBody(head, { ...state, output: this.items?.items ?? [] }) });
  }
  private keep(usage: Usage): string {
    this.usage = { ...this.usage, ...usage };
    return "";
  }
  private ending({ reason }: Of<"finish">): string {
    this.finish = reason;
    return this.items?.end(statusOf(reason)) ?? "";
  }
}
