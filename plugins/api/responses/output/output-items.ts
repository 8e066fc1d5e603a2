import { type Json, type PackedThought, packThought, signatureFor, type StreamEvent } from "#contract";
import { isOutputItem } from "../../content/output-item.ts";
import { WIRE } from "../read-items.ts";
import { type CallHead, type CallItem, CustomCallItem, FunctionCallItem } from "./call-item.ts";
import type { EventWriter } from "./event-writer.ts";
import { itemId } from "./item-id.ts";
import { type ItemPlace, type ItemStatus, itemAdded, itemDone, type OpenItem } from "./item.ts";
import { MessageItem } from "./message-item.ts";
import { ReasoningItem } from "./reasoning-item.ts";

export type Of<T extends StreamEvent["type"]> = Extract<StreamEvent, { type: T }>;
/** Events that bring something into the output. */
export type Content = Exclude<StreamEvent, Of<"start" | "usage" | "finish" | "beside">>;
type Add = { readonly [T in Content["type"]]: (event: Of<T>) => string };

/** What the items of an answer depend on beside its events. */
export interface ItemsOf {
  readonly writer: EventWriter;
  /** What the ids of the items are made of. */
  readonly seed: string;
  readonly strict: boolean;
  /** The answer was another operation's: what its provider wants back is packed. */
  readonly translated: boolean;
  /** Names of the client's custom tools. */
  readonly customTools: ReadonlySet<string>;
}

/** The output of an answer, made of its events: its items in order, and the wire text that tells of them. */
export class OutputItems {
  private textChars = 0;
  private readonly begun: OpenItem[] = [];
  private message: MessageItem | null = null;
  private reasoning: ReasoningItem | null = null;
  /** Calls that began, by their number in the events. */
  private readonly calls = new Map<number, CallItem>();
  /** Those of them that are under way: each new item asks whether they have ended. */
  private readonly open = new Map<number, CallItem>();

  constructor(private readonly of: ItemsOf) {}

  /** Those that have ended, in their order. */
  get items(): readonly Json[] {
    return this.begun.map(({ item }) => item);
  }
  event(event: Content): string {
    this.textChars += lengthOf(event);
    if (this.textChars > MOST)
      throw new SyntaxError(
        `it says more than ${MOST} characters, log probabilities counted as ${OF_A_LOGPROB} each, which the events of its end would repeat`,
      );
    return (this.add[event.type] as (event: Content) => string)(event); // the key selects the handler of its own type
  }
  /** Whatever is under way ends so. */
  end(status: ItemStatus): string {
    const wire = this.endMessageOrReasoning(status);
    return wire + this.endCalls(() => true, status);
  }

  private readonly add: Add = {
    text: ({ text, begins }) => (text === "" && this.message === null ? "" : this.inMessage((message) => message.text(text, begins))),
    refusal: ({ text }) => this.inMessage((message) => message.refusal(text)),
    citation: ({ citation }) => this.inMessage((message) => message.citation(citation)),
    logprobs: ({ tokens }) => this.inMessage((message) => message.logprobs(tokens)),
    reasoning: (event) => this.thought(event),
    tool: (event) => this.call(event),
    media: ({ url }) => this.image(url),
    block: ({ block }) => (isOutputItem(block) ? this.whole(block) : ""),
  };

  private inMessage(say: (message: MessageItem) => string): string {
    if (this.message !== null) return say(this.message);
    const before = this.endComplete();
    const message = new MessageItem(this.place("msg"), this.of.strict);
    this.message = this.opened(message);
    return before + message.begin() + say(message);
  }
  private thought({ text, signature, redacted }: Of<"reasoning">): string {
    if (redacted !== undefined) return this.hidden({ redacted });
    const delta = this.inReasoning(text);
    if (signature === undefined) return delta;
    this.reasoning?.encrypt(this.of.translated ? packThought({ signature }) : (signatureFor(WIRE, signature) ?? signature));
    return delta + this.endMessageOrReasoning("completed");
  }
  private inReasoning(text: string): string {
    if (this.reasoning !== null) return this.reasoning.text(text);
    const before = this.endComplete();
    // clients leave a thought behind that has nothing for its provider
    const reasoning = new ReasoningItem(this.place("rs"), this.of.translated ? packThought({}) : undefined);
    this.reasoning = this.opened(reasoning);
    return before + reasoning.begin() + reasoning.text(text);
  }
  /** Nothing to read for the client; the next turn needs it. */
  private hidden(thought: PackedThought): string {
    const before = this.endComplete();
    const item = this.opened(new ReasoningItem(this.place("rs"), packThought(thought)));
    return before + item.begin() + item.end("completed");
  }

  private call({ index, id = "", name = "", arguments: piece = "", signature }: Of<"tool">): string {
    const existing = this.calls.get(index);
    const signed = signature === undefined ? "" : this.hidden({ signature, call: existing?.callId ?? id });
    if (existing !== undefined) return signed + (this.open.get(index)?.arguments(piece) ?? ""); // ended: blanks behind its arguments
    const before = this.endComplete();
    const call = this.opened(this.callItem({ call_id: id, name }));
    this.calls.set(index, call);
    this.open.set(index, call);
    return signed + before + call.begin() + call.arguments(piece);
  }
  private callItem(head: CallHead): CallItem {
    return this.of.customTools.has(head.name) ? new CustomCallItem(this.place("ctc"), head) : new FunctionCallItem(this.place("fc"), head);
  }

  private image(url: string): string {
    const head = IMAGE_HEAD.exec(url)?.[0];
    if (head === undefined) return "";
    const result = url.slice(head.length);
    const type = "image_generation_call";
    return this.whole({ type, status: "completed", result }, { type, status: "in_progress" }); // megabytes, told once
  }
  /** An item that comes in one piece: of the provider's own tools, or an image. */
  private whole(item: Json, begun = item): string {
    const before = this.endComplete();
    const at = this.place("ig");
    const own = { id: at.id, ...item };
    this.opened({ item: own, end: () => "" });
    return before + itemAdded(at, { id: at.id, ...begun }) + itemDone(at, own);
  }

  private place(prefix: string): ItemPlace {
    const index = this.begun.length;
    return { writer: this.of.writer, id: itemId(prefix, { seed: this.of.seed, index }), index };
  }
  private opened<T extends OpenItem>(item: T): T {
    if (this.begun.length === MOST_ITEMS) throw new SyntaxError(`it holds more than ${MOST_ITEMS} items`);
    this.begun.push(item);
    return item;
  }
  /** Before another item begins: what is complete ends. */
  private endComplete(): string {
    return this.endMessageOrReasoning("completed") + this.endCalls(({ isWhole }) => isWhole, "completed");
  }
  private endMessageOrReasoning(status: ItemStatus): string {
    const open = this.message ?? this.reasoning;
    this.message = null;
    this.reasoning = null;
    return open?.end(status) ?? "";
  }
  private endCalls(which: (call: CallItem) => boolean, status: ItemStatus): string {
    let wire = "";
    for (const [index, call] of this.open) {
      if (!which(call)) continue;
      this.open.delete(index);
      wire += call.end(status);
    }
    return wire;
  }
}
/**
 * Characters that an answer may say in all, images apart; the longest that models give have a quarter of it. The end of a
 * text writes it three times, and the end of the answer again, in one turn each.
 */
const MOST = 2_500_000;
/** What a log probability counts: some 90 characters are written of it, four times, and each is an object that is gone through. */
const OF_A_LOGPROB = 100;
/** Items of an answer; its end writes all of them. */
const MOST_ITEMS = 4_096;
function lengthOf(event: Content): number {
  if (event.type === "text" || event.type === "refusal") return event.text.length;
  if (event.type === "logprobs") return event.tokens.reduce((sum, { top_logprobs: others }) => sum + (1 + others.length) * OF_A_LOGPROB, 0);
  if (event.type === "reasoning") return event.text.length + (event.signature ?? event.redacted ?? "").length;
  return event.type === "tool" ? (event.arguments ?? "").length + (event.signature ?? "").length : 0;
}

const IMAGE_HEAD = /^data:image\/[^;,]+;base64,/;
