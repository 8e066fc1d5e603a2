import { isJson, type Json, type StreamEvent } from "#contract";
import { typed } from "./frame.ts";
import { thinkingBlock, toolBlock } from "./write.ts";

export type Of<T extends StreamEvent["type"]> = Extract<StreamEvent, { type: T }>;
export type Content = Of<"text" | "refusal" | "reasoning" | "tool" | "block" | "citation">;

const CONTENT: ReadonlySet<StreamEvent["type"]> = new Set([
  "text",
  "refusal",
  "reasoning",
  "tool",
  "block",
  "citation",
] satisfies Content["type"][]);
/** What this form has no place for says nothing. */
export const isContent = (event: StreamEvent): event is Content => CONTENT.has(event.type);

/** The block that is being written. */
interface OpenBlock {
  /** `own`: of the vendor; a number: a tool call. */
  readonly kind: "text" | "thinking" | "own" | number;
  /** What a tool call has as its arguments so far. */
  input: string;
}

/** What an answer says, as blocks one behind the other. */
export class ContentBlocks {
  private index = 0;
  private open: OpenBlock | null = null;
  /** What came while a tool call was not complete: blocks do not overlap on this wire. */
  private waiting: Content[] = [];
  private readonly begunCalls = new Set<number>();
  refused = false;

  constructor(private readonly strict: boolean) {}

  /** Has a tool been called? */
  get calls(): boolean {
    return this.begunCalls.size > 0;
  }
  event(event: Content): string {
    const goesOn = event.type === "tool" && this.open?.kind === event.index;
    if (goesOn || (this.waiting.length === 0 && !this.isIncomplete())) return this.written(event);
    this.waiting.push(event);
    return "";
  }
  /** Is the open block a tool call whose arguments are no JSON yet? Some providers write several at a time. */
  private isIncomplete(): boolean {
    return typeof this.open?.kind === "number" && !isWhole(this.open.input);
  }

  private written(event: Content): string {
    if (event.type === "tool") return this.tool(event);
    if (event.type === "reasoning") return this.thought(event);
    if (event.type === "block") return this.own(event.block);
    if (event.type === "citation") return this.inText({ type: "citations_delta", citation: event.citation });
    this.refused ||= event.type === "refusal";
    return this.text(event);
  }
  private text(event: Of<"text" | "refusal">): string {
    const before = event.type === "text" && event.begins && this.open?.kind === "text" ? this.close() : "";
    return event.text === "" ? before : before + this.inText({ type: "text_delta", text: event.text });
  }
  /** Citations come before the text that rests on them. */
  private inText(delta: Json): string {
    const opened = this.open?.kind === "text" ? "" : this.into("text", { type: "text", text: "" });
    return opened + this.delta(delta);
  }
  private thought({ text, signature, redacted }: Of<"reasoning">): string {
    if (redacted !== undefined) return this.into("thinking", thinkingBlock({ text, redacted })) + this.close();
    const opened = this.open?.kind === "thinking" ? "" : this.into("thinking", NO_THOUGHT);
    const said = text === "" ? "" : this.delta({ type: "thinking_delta", thinking: text });
    if (signature === undefined) return opened + said;
    return opened + said + this.delta({ type: "signature_delta", signature }) + this.close();
  }
  /** A block of the vendor's own comes in one piece; its input as the vendor sends it. */
  private own(block: Json): string {
    if (!isJson(block.input)) return this.into("own", block) + this.close();
    const opened = this.into("own", { ...block, input: {} });
    return opened + this.delta({ type: "input_json_delta", partial_json: JSON.stringify(block.input) }) + this.close();
  }
  private tool({ index, id = "", name = "", arguments: piece = "", signature }: Of<"tool">): string {
    const isOpen = this.open?.kind === index;
    if (!isOpen && this.begunCalls.has(index)) return ""; // blanks behind its arguments
    this.begunCalls.add(index);
    const mark = signature === undefined ? {} : { signature };
    const opened = isOpen ? "" : this.into(index, toolBlock({ id, name, ...mark }, this.strict));
    if (piece === "") return opened;
    if (this.open) this.open.input += piece;
    return opened + this.delta({ type: "input_json_delta", partial_json: piece });
  }

  /** Another block, behind the end of the one before. */
  private into(kind: OpenBlock["kind"], content_block: Json): string {
    const before = this.close();
    this.open = { kind, input: "" };
    return before + typed("content_block_start", { index: this.index, content_block });
  }
  /** Most of a stream: written without an object more than needed. */
  private delta(delta: Json): string {
    return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.index},"delta":${JSON.stringify(delta)}}\n\n`;
  }
  private close(): string {
    if (this.open === null) return "";
    this.open = null;
    return typed("content_block_stop", { index: this.index++ });
  }
  /** What waited, and the end of the last block. */
  end(): string {
    const { waiting } = this;
    this.waiting = [];
    let wire = "";
    for (const event of ordered(waiting)) wire += this.written(event);
    return wire + this.close();
  }
}
const NO_THOUGHT = thinkingBlock({ text: "" });

/** Each tool call's pieces together, at the place of its first. */
function ordered(events: readonly Content[]): readonly Content[] {
  const places = new Map<Content | number, Content[]>();
  for (const event of events) {
    const key = event.type === "tool" ? event.index : event;
    const place = places.get(key);
    if (place) place.push(event);
    else places.set(key, [event]);
  }
  return [...places.values()].flat();
}

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
