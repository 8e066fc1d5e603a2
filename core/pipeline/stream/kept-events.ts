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

/** The event with so many characters of each of its texts at most: one alone may be as long as an upstream likes. */
export function clipped<E extends StreamEvent>(event: E, chars: number): E {
  if (eventSize(event) <= chars + EVENT) return event;
  const texts: Texts = event;
  const short = TEXTS.flatMap((name) => (texts[name] === undefined ? [] : [[name, copied(texts[name], chars)] as const]));
  return { ...event, ...Object.fromEntries(short) };
}
/** The beginning as a text of its own: a part of a text holds all of it in memory. */
const copied = (text: string, chars: number): string => (text.length <= chars ? text : Buffer.from(text.slice(0, chars)).toString());

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
