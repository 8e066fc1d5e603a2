import type { Json } from "#contract";
import type { EventWriter } from "./event-writer.ts";

export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** Where an item stands among the others, and who writes of it. */
export interface ItemPlace {
  readonly writer: EventWriter;
  readonly id: string;
  readonly index: number;
}
export const itemAdded = ({ writer, index }: ItemPlace, item: Json): string =>
  writer.event("response.output_item.added", { output_index: index, item });
export const itemDone = ({ writer, index }: ItemPlace, item: Json): string =>
  writer.event("response.output_item.done", { output_index: index, item });

/** An item that is being written. Its end gives it whole. */
export interface OpenItem {
  readonly item: Json;
  end(status: ItemStatus): string;
}
