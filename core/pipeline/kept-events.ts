import type { StreamEvent } from "#contract";

/* What events take of what is kept, and what is kept of those that come again and again. */

/** Events that say something of the answer, and nothing of what it says. */
export const OUTLINE: ReadonlySet<StreamEvent["type"]> = new Set(["start", "usage", "finish"]);

/** What an event takes beside its texts, in characters of the wire. */
const EVENT = 64;
const TEXTS = ["text", "signature", "redacted", "arguments", "id", "name", "model", "native"] as const;
interface Texts extends Partial<Record<(typeof TEXTS)[number], string>> {
  readonly type: StreamEvent["type"];
}

/** Characters of a chunk: of its wire, or of its events where those hold more, for what the client is not told is kept all the same. */
export function sizeOf({ wire, events }: { readonly wire: string; readonly events: readonly StreamEvent[] }): number {
  let size = 0;
  for (const event of events) size += eventSize(event);
  return Math.max(wire.length, size);
}
function eventSize(event: Texts): number {
  let size = EVENT;
  for (const text of TEXTS) size += event[text]?.length ?? 0;
  return size;
}

/** The latest of each event of the outline: a later one replaces what the earlier said. */
export class Outline {
  private readonly latest = new Map<string, StreamEvent>();

  add(event: StreamEvent): void {
    const key = event.type === "finish" ? `finish ${event.choice ?? 0}` : event.type;
    this.latest.set(key, joined(this.latest.get(key), event));
  }
  get events(): readonly StreamEvent[] {
    return [...this.latest.values()];
  }
}
function joined(earlier: StreamEvent | undefined, event: StreamEvent): StreamEvent {
  if (event.type === "usage" && earlier?.type === "usage") return { type: "usage", usage: { ...earlier.usage, ...event.usage } };
  return event.type === "start" ? { ...earlier, ...event } : event;
}
