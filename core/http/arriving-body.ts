import { GatewayError } from "#contract";
import type { Held } from "../kernel/process/memory-budget.ts";
import { inTime } from "../kernel/process/plugin-answer.ts";
import { hasLeft } from "../platform.ts";
import type { PassingField } from "../pipeline/call/passing-field.ts";

interface Arrival {
  readonly request: Request;
  /** BODY_STALLED when nothing comes for so many milliseconds. */
  readonly silentMs: number;
  /** What is looked for in the bytes. */
  readonly field?: PassingField;
  readonly held?: Held | undefined;
}

/** `undefined` is the end. What it throws ends the body. */
type Watcher = (piece: Uint8Array | undefined) => Promise<void>;

/** A body on its way to its provider: its bytes as they are asked for, none ahead unless the field is. */
export class ArrivingBody {
  readonly stream: ReadableStream<Uint8Array>;
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  /** What was read on the way to the field and has not been sent, and what of the memory budget is taken for it. */
  private readonly ahead: Uint8Array[] = [];
  private taken = 0;
  private isWhole = false;
  private watcher: Watcher | undefined;

  constructor(
    body: ReadableStream<Uint8Array>,
    private readonly arrival: Arrival,
  ) {
    this.reader = body.getReader();
    this.stream = new ReadableStream<Uint8Array>(
      { pull: (controller) => this.pull(controller), cancel: (reason) => this.reader.cancel(reason) },
      { highWaterMark: 0 }, // nothing is read ahead of the provider
    );
  }

  /** From now on each piece is shown before it is sent. */
  watch(watcher: Watcher): void {
    this.watcher = watcher;
  }

  /** Reads until the field is known; `undefined` where the whole form has none. */
  async readToField(): Promise<string | undefined> {
    await inTime(this.readAhead(), MOST_AHEAD_MS, fieldLate);
    return this.arrival.field?.value;
  }
  private async readAhead(): Promise<void> {
    const { field, held } = this.arrival;
    for (let size = 0; field?.value === undefined && !this.isWhole; ) {
      const piece = await this.next();
      if (!piece) return;
      size += piece.length;
      if (field?.value === undefined && size > MOST_AHEAD_BYTES) throw fieldLate();
      this.taken = held?.takeUpTo(size, this.taken, asTheyAre) ?? 0;
      this.ahead.push(piece);
    }
  }

  private async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const piece = this.ahead.shift() ?? (this.isWhole ? undefined : await this.next());
    if (this.ahead.length === 0) this.giveBack();
    await this.watcher?.(piece);
    if (piece) controller.enqueue(piece);
    else controller.close();
  }
  private giveBack(): void {
    if (this.taken > 0) this.arrival.held?.grow(-this.taken);
    this.taken = 0;
  }

  /** `undefined` behind the last. Who reads slowly is not hurried. */
  private async next(): Promise<Uint8Array | undefined> {
    const { request, silentMs, field } = this.arrival;
    const { done, value } = await inTime(this.reader.read(), silentMs, stalled).catch((thrown: unknown) => {
      throw fromClient(request, thrown);
    });
    if (!done) {
      field?.add(value);
      return value;
    }
    this.isWhole = true;
    field?.end();
    return undefined;
  }
}

/** What may have to wait here until the field has come, and how long that may take. */
const MOST_AHEAD_BYTES = 32 * 1024 * 1024;
const MOST_AHEAD_MS = 20_000;
const asTheyAre = (bytes: number): number => bytes;
const stalled = (silentMs: number): GatewayError => new GatewayError("BODY_STALLED", { silentMs });
const fieldLate = (): GatewayError =>
  new GatewayError(
    "REQUEST_INVALID",
    {
      what: `A rate limit by model holds here, and the form does not say its model within ${MOST_AHEAD_BYTES / 1024 / 1024} MB and ${MOST_AHEAD_MS / 1000} seconds; put the field \`model\` before its files.`,
    },
    { param: "model" },
  );

/** A client that has left is no error of ours, whatever reading from it comes to. */
export const fromClient = (request: Request, thrown: unknown): unknown =>
  hasLeft(request, thrown) ? new GatewayError("CLIENT_LEFT", {}, { cause: thrown }) : thrown;
