import type { Json } from "#contract";
import { membersText } from "./event-writer.ts";
import { type ItemPlace, type ItemStatus, itemAdded, itemDone, type OpenItem } from "./item.ts";

/** What the model thought, and what its provider wants back with it. */
export class ReasoningItem implements OpenItem {
  private summary: string | null = null;
  private readonly place: Json;
  private readonly deltaPlace: string;
  item: Json = {};

  constructor(
    private readonly at: ItemPlace,
    private encrypted?: string,
  ) {
    this.place = { item_id: at.id, output_index: at.index, summary_index: 0 };
    this.deltaPlace = membersText(this.place);
  }

  begin(): string {
    return itemAdded(this.at, this.body());
  }
  text(text: string): string {
    if (text === "") return "";
    const { writer } = this.at;
    const part = { type: "summary_text", text: "" };
    const opened = this.summary === null ? writer.event("response.reasoning_summary_part.added", { ...this.place, part }) : "";
    this.summary = (this.summary ?? "") + text;
    return opened + writer.delta("response.reasoning_summary_text.delta", this.deltaPlace, text);
  }
  /** Its last word. */
  encrypt(content: string): void {
    this.encrypted = content;
  }
  /** A thought is told whole or not at all: it has no status. */
  end(_status: ItemStatus): string {
    this.item = this.body();
    return this.summaryDone() + itemDone(this.at, this.item);
  }
  private summaryDone(): string {
    if (this.summary === null) return "";
    const { writer } = this.at;
    const part = { type: "summary_text", text: this.summary };
    return (
      writer.event("response.reasoning_summary_text.done", { ...this.place, text: this.summary }) +
      writer.event("response.reasoning_summary_part.done", { ...this.place, part })
    );
  }
  private body(): Json {
    return {
      id: this.at.id,
      type: "reasoning",
      summary: this.summary === null ? [] : [{ type: "summary_text", text: this.summary }],
      ...(this.encrypted !== undefined && { encrypted_content: this.encrypted }),
    };
  }
}
