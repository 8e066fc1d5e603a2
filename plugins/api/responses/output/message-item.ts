import type { Json, TokenLogprob } from "#contract";
import { annotationOf } from "./annotation.ts";
import { membersText } from "./event-writer.ts";
import { type ItemPlace, type ItemStatus, itemAdded, itemDone, type OpenItem } from "./item.ts";

/** A part of the message that is being written. */
interface OpenPart {
  readonly kind: "text" | "refusal";
  readonly place: Json;
  /** The members of a delta beside its text, as JSON. */
  readonly deltaPlace: string;
  text: string;
  readonly citations: Json[];
  readonly logprobs: TokenLogprob[];
}
const DELTA = { text: "response.output_text.delta", refusal: "response.refusal.delta" } as const;

/** What the model says: texts with what they rest on, and refusals. */
export class MessageItem implements OpenItem {
  private readonly parts: Json[] = [];
  private part: OpenPart | null = null;
  item: Json = {};

  constructor(
    private readonly at: ItemPlace,
    private readonly strict: boolean,
  ) {}

  begin(): string {
    return itemAdded(this.at, this.body("in_progress"));
  }
  text(text: string, begins = false): string {
    const before = begins && this.part?.text !== "" ? this.endPart() : "";
    return text === "" ? before : before + this.add("text", text);
  }
  refusal(text: string): string {
    return this.add("refusal", text);
  }
  /** It may come before the text that rests on it. */
  citation(citation: Json): string {
    const opened = this.into("text");
    this.part?.citations.push(citation);
    return opened;
  }
  logprobs(tokens: readonly TokenLogprob[]): string {
    const opened = this.into("text");
    for (const token of tokens) this.part?.logprobs.push(token);
    return opened;
  }
  end(status: ItemStatus): string {
    const wire = this.endPart();
    this.item = this.body(status);
    return wire + itemDone(this.at, this.item);
  }

  private body(status: ItemStatus): Json {
    return { id: this.at.id, type: "message", status, role: "assistant", content: [...this.parts] };
  }
  private add(kind: OpenPart["kind"], text: string): string {
    const opened = this.into(kind);
    const { part } = this;
    if (part === null) return opened;
    part.text += text;
    return opened + this.at.writer.delta(DELTA[kind], part.deltaPlace, text);
  }
  private into(kind: OpenPart["kind"]): string {
    if (this.part?.kind === kind) return "";
    const before = this.endPart();
    const place = { item_id: this.at.id, output_index: this.at.index, content_index: this.parts.length };
    const deltaPlace = membersText(kind === "text" ? { ...place, logprobs: [] } : place);
    this.part = { kind, place, deltaPlace, text: "", citations: [], logprobs: [] };
    const part = kind === "text" ? { type: "output_text", annotations: [], logprobs: [], text: "" } : { type: "refusal", refusal: "" };
    return before + this.at.writer.event("response.content_part.added", { ...place, part });
  }
  private endPart(): string {
    const { part } = this;
    if (part === null) return "";
    this.part = null;
    const [wire, whole] = part.kind === "text" ? this.textDone(part) : this.refusalDone(part);
    this.parts.push(whole);
    return wire + this.at.writer.event("response.content_part.done", { ...part.place, part: whole });
  }
  private textDone({ place, text, citations, logprobs }: OpenPart): [wire: string, part: Json] {
    const annotations = citations.flatMap((citation) => annotationOf(citation, text.length, this.strict) ?? []);
    const { writer } = this.at;
    const cited = annotations.map((annotation, annotation_index) =>
      writer.event("response.output_text.annotation.added", { ...place, annotation_index, annotation }),
    );
    const done = writer.event("response.output_text.done", { ...place, text, logprobs });
    return [cited.join("") + done, { type: "output_text", annotations, logprobs, text }];
  }
  private refusalDone({ place, text }: OpenPart): [wire: string, part: Json] {
    return [this.at.writer.event("response.refusal.done", { ...place, refusal: text }), { type: "refusal", refusal: text }];
  }
}
