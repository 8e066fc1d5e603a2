import type { BlockEvent } from "./content-blocks.ts";

/** Characters that may wait at a time; more than the longest answers that models give have all in all. */
const MOST = 4 * 1024 * 1024;
/** What an event takes beside its JSON. */
const EVENT = 256;

interface CallPieces {
  readonly events: BlockEvent[];
  size: number;
}

/** What came while a tool call was not complete: each call's pieces together, at the place of its first. */
export class WaitingBlocks {
  private readonly places = new Map<BlockEvent | number, CallPieces>();
  private size = 0;

  add(event: BlockEvent): void {
    const size = EVENT + JSON.stringify(event).length;
    this.size += size;
    if (this.size > MOST) throw new SyntaxError("a tool call in it does not end, and what comes behind it is too much to keep");
    const place = this.placeOf(event);
    place.events.push(event);
    place.size += size;
  }
  /** Takes what came first. */
  next(): readonly BlockEvent[] | undefined {
    for (const [key, { events, size }] of this.places) {
      this.places.delete(key);
      this.size -= size;
      return events;
    }
    return undefined;
  }
  private placeOf(event: BlockEvent): CallPieces {
    const key = event.type === "tool" ? event.index : event;
    const place = this.places.get(key) ?? { events: [], size: 0 };
    this.places.set(key, place);
    return place;
  }
}
