import type { StreamEvent } from "#contract";
import type { Chunk } from "../stream/chunks.ts";
import { OUTLINE, Outline, sizeOf } from "../stream/kept-events.ts";

/** Characters that are joined before they are kept: an answer comes in thousands of small chunks, each an object and a text. */
const BLOCK = 64 * 1024;
/** Of this much of the answer the events are kept whole: who logs and estimates looks no further (PIPELINE_LIMITS.loggedBytes). */
const SAID = 256 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Block {
  readonly bytes: Uint8Array;
  readonly events: readonly StreamEvent[];
}

/** The wire of an answer that is held back, as few and small things as it can be: bytes. */
export class HeldWire {
  private readonly blocks: Block[] = [];
  private parts: string[] = [];
  private events: StreamEvent[] = [];
  private size = 0;
  private sizeSeen = 0;
  /** Of what came behind that. */
  private readonly outline = new Outline();

  add(chunk: Chunk): void {
    const { wire, events } = chunk;
    if (wire !== "") this.parts.push(wire);
    if (this.sizeSeen < SAID) {
      for (const event of events) this.events.push(event);
      this.sizeSeen += sizeOf(chunk);
    } else for (const event of events) if (OUTLINE.has(event.type)) this.outline.add(event);
    this.size += wire.length;
    if (this.size >= BLOCK) this.pack();
  }
  /** Its chunks again, each let go when the next is asked for. */
  *chunks(): Generator<Chunk, undefined> {
    this.events.push(...this.outline.events);
    this.pack();
    for (let block = this.blocks.shift(); block; block = this.blocks.shift())
      yield { wire: decoder.decode(block.bytes), events: block.events };
  }
  private pack(): void {
    this.blocks.push({ bytes: encoder.encode(this.parts.join("")), events: this.events });
    this.parts = [];
    this.events = [];
    this.size = 0;
  }
}
