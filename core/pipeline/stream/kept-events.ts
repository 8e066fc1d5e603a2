import type { StreamEvent } from "#contract";

/* What events take of what is kept, and what is kept of those that come again and again. */

/** Events that say something of the answer, and nothing of what it says. */
export const OUTLINE: ReadonlySet<StreamEvent["type"]> = new Set(["start", "usage", "finish"]);

/** What an event takes beside its texts, in characters of the wire. */
const EVENT = 64;
const TEXTS = ["text", "signature", "redacted", "arguments", "id", "name", "model", "native", "stopSequence", "url"] as const;
/** Members that are made of others, of events that are few. */
const NESTED = ["block", "citation", "members", "tokens"] as const;
const HOLDS_NESTED: ReadonlySet<StreamEvent["type"]> = new Set(["block", "citation", "beside", "logprobs"]);
interface Texts extends Partial<Record<(typeof TEXTS)[number], string>>, Partial<Record<(typeof NESTED)[number], unknown>> {
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
  if (HOLDS_NESTED.has(event.type)) for (const name of NESTED) size += event[name] === undefined ? 0 : JSON.stringify(event[name]).length;
  return size;
}

/** The event with so many characters of each of its texts at most: one alone may be as long as an upstream likes. */
export function clipped<E extends StreamEvent>(event: E, chars: number): E {
  if (eventSize(event) <= chars + EVENT) return event;
  const texts: Texts = event;
  if (HOLDS_NESTED.has(event.type)) return { ...event, ...EMPTY[event.type] };
  const short = TEXTS.flatMap((name) => (texts[name] === undefined ? [] : [[name, copied(texts[name], chars)] as const]));
  return { ...event, ...Object.fromEntries(short) };
}
/** What is left of an event whose content cannot be cut. */
const EMPTY: Partial<Record<StreamEvent["type"], object>> = {
  block: { block: {} },
  citation: { citation: {} },
  beside: { members: {} },
  logprobs: { tokens: [] },
};
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
