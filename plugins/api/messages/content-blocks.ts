import { isJson, type Json, type StreamEvent } from "#contract";
import { typed } from "./frame.ts";
import { JsonEnd } from "../content/json-end.ts";
import { ownBlock, ownCitation } from "./foreign.ts";
import { mediaBlock } from "./media.ts";
import { WaitingBlocks } from "./waiting-blocks.ts";
import { thinkingBlock, toolBlock } from "./write.ts";

export type Of<T extends StreamEvent["type"]> = Extract<StreamEvent, { type: T }>;
/** Events that become blocks, or pieces of one. */
export type BlockEvent = Of<"text" | "refusal" | "reasoning" | "tool" | "block" | "citation" | "media">;

const BLOCK_EVENTS: ReadonlySet<StreamEvent["type"]> = new Set([
  "text",
  "refusal",
  "reasoning",
  "tool",
  "block",
  "citation",
  "media",
] satisfies BlockEvent["type"][]);
/** This form has no place for others: how likely tokens were, what a provider says beside its answer. */
export const isBlockEvent = (event: StreamEvent): event is BlockEvent => BLOCK_EVENTS.has(event.type);

/** The block that is being written. */
interface OpenBlock {
  /** `whole`: it came in one piece; a number: a tool call. */
  readonly kind: "text" | "thinking" | "whole" | number;
  /** Of a tool call's arguments; blocks of others may end at any time. */
  readonly end: JsonEnd | null;
}

/** What an answer says, as blocks one behind the other: on this wire they do not overlap, though some providers write several calls at a time. */
export class ContentBlocks {
  private index = 0;
  private open: OpenBlock | null = null;
  private readonly waiting = new WaitingBlocks();
  private readonly begunCalls = new Set<number>();
  refused = false;

  constructor(private readonly strict: boolean) {}

  /** Has a tool been called? */
  get calls(): boolean {
    return this.begunCalls.size > 0;
  }
  event(event: BlockEvent): string {
    if (event.type === "tool" && this.open?.kind === event.index) return this.tool(event) + this.released();
    if (event.type === "tool" && this.begunCalls.has(event.index)) return ""; // blanks behind its arguments
    if (!this.isIncomplete) return this.written(event);
    this.waiting.add(event);
    return "";
  }
  /** Is the open block a tool call whose arguments have not come to their end? */
  private get isIncomplete(): boolean {
    return this.open?.end?.reached === false;
  }
  /** What waited for the call that has ended just now. */
  private released(): string {
    let wire = "";
    while (!this.isIncomplete) {
      const events = this.waiting.next();
      if (events === undefined) return wire;
      wire += this.allWritten(events);
    }
    return wire;
  }

  private allWritten(events: readonly BlockEvent[]): string {
    let wire = "";
    for (const event of events) wire += this.written(event);
    return wire;
  }
  private written(event: BlockEvent): string {
    if (event.type === "tool") return this.tool(event);
    if (event.type === "reasoning") return this.thought(event);
    if (event.type === "block") return this.own(ownBlock(event.block));
    if (event.type === "media") return this.into("whole", mediaBlock(event.url)) + this.close();
    if (event.type === "citation") return this.citation(ownCitation(event.citation));
    this.refused ||= event.type === "refusal";
    return this.text(event);
  }
  private text(event: Of<"text" | "refusal">): string {
    const before = event.type === "text" && event.begins && this.open?.kind === "text" ? this.close() : "";
    return event.text === "" ? before : before + this.inText({ type: "text_delta", text: event.text });
  }
  private citation(citation: Json | undefined): string {
    return citation === undefined ? "" : this.inText({ type: "citations_delta", citation });
  }
  /** Citations come before the text that rests on them. */
  private inText(delta: Json): string {
    const opened = this.open?.kind === "text" ? "" : this.into("text", { type: "text", text: "" });
    return opened + this.delta(delta);
  }
  private thought({ text, signature, redacted }: Of<"reasoning">): string {
    if (redacted !== undefined) return this.into("thinking", thinkingBlock({ text, redacted })) + this.close();
    const opened = this.open?.kind === "thinking" ? "" : this.into("thinking", NO_THOUGHT);
    const delta = text === "" ? "" : this.delta({ type: "thinking_delta", thinking: text });
    if (signature === undefined) return opened + delta;
    return opened + delta + this.delta({ type: "signature_delta", signature }) + this.close();
  }
  /** A block of the vendor's own comes in one piece; its input as the vendor sends it. */
  private own(block: Json | undefined): string {
    if (block === undefined) return "";
    if (!isJson(block.input)) return this.into("whole", block) + this.close();
    const opened = this.into("whole", { ...block, input: {} });
    return opened + this.delta({ type: "input_json_delta", partial_json: JSON.stringify(block.input) }) + this.close();
  }
  private tool({ index, id = "", name = "", arguments: piece = "", signature }: Of<"tool">): string {
    const mark = signature === undefined ? {} : { signature };
    const opened = this.open?.kind === index ? "" : this.into(index, toolBlock({ id, name, ...mark }, this.strict));
    this.begunCalls.add(index);
    if (piece === "") return opened;
    this.open?.end?.add(piece);
    return opened + this.delta({ type: "input_json_delta", partial_json: piece });
  }

  /** Another block, behind the end of the one before. */
  private into(kind: OpenBlock["kind"], content_block: Json): string {
    const before = this.close();
    this.open = { kind, end: typeof kind === "number" ? new JsonEnd() : null };
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
    let wire = "";
    for (let events = this.waiting.next(); events; events = this.waiting.next()) wire += this.allWritten(events);
    return wire + this.close();
  }
}
const NO_THOUGHT = thinkingBlock({ text: "" });
