import type { Json } from "#contract";

/** Writes the events of a stream and numbers them. */
export class EventWriter {
  private number = 0;
  /** Silent: of a whole answer, of which only the items are wanted. */
  constructor(private readonly silent = false) {}

  event(type: string, members: Json): string {
    return this.silent ? "" : frame(type, { type, sequence_number: this.number++, ...members });
  }
  /** Most of a stream: written without an object more than needed. `place` is the JSON of its other members. */
  delta(type: string, place: string, delta: string): string {
    if (this.silent) return "";
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.number++},${place},"delta":${JSON.stringify(delta)}}\n\n`;
  }
}

export const frame = (event: string, data: Json): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** The members of an object as JSON, without its braces. */
export const membersText = (members: Json): string => JSON.stringify(members).slice(1, -1);
