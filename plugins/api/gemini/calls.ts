import { isJson, type Json, type StreamEvent } from "#contract";
import { addPiece, type Args, emptyArgs } from "./partial-args.ts";
import { objects, text } from "./wire.ts";

/**
 * Function calls of one candidate. A call comes whole, or in fragments: the first has the name, the following have
 * pieces of its arguments, and the one without `willContinue` is the last. Pieces may go back to an earlier place, so
 * arguments are told when complete.
 */
export class CallReader {
  /** Calls begun. */
  count = 0;
  private open: Args | null = null;
  private readonly choice: { readonly choice?: number };
  constructor(candidate: number) {
    this.choice = candidate === 0 ? {} : { choice: candidate };
  }

  read(call: Json, signature: string | undefined): readonly StreamEvent[] {
    const name = text(call.name);
    const events = name === undefined ? [] : [...this.end(), this.begin(call, name, signature)];
    if (this.open === null) return events;
    for (const piece of objects(call.partialArgs)) addPiece(this.open, piece);
    if (isJson(call.args)) Object.assign(this.open, call.args);
    return call.willContinue === true ? events : [...events, ...this.end()];
  }
  /** A call that was left open is complete as it stands. */
  end(): readonly StreamEvent[] {
    if (this.open === null) return [];
    const args = JSON.stringify(this.open);
    this.open = null;
    return [{ type: "tool", index: this.count - 1, arguments: args, ...this.choice }];
  }
  private begin(call: Json, name: string, signature: string | undefined): StreamEvent {
    this.open = emptyArgs();
    const index = this.count++;
    const id = text(call.id) ?? `call_${index}`;
    return { type: "tool", index, id, name, ...(signature !== undefined && { signature }), ...this.choice };
  }
}
