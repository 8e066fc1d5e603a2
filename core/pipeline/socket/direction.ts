import { isPromise, type MaybePromise, type SocketMessage } from "#contract";
import type { Held } from "../../kernel/process/memory-budget.ts";
import type { SocketEnd } from "../../platform.ts";

/** What a message becomes on its way: itself, another, several, or nothing. */
export type Take = (message: SocketMessage) => MaybePromise<readonly SocketMessage[]>;

export interface DirectionParts {
  readonly take: Take;
  /** Takes what waits here from the process's memory budget. */
  readonly held: Held;
  readonly now: () => number;
  /** May more be read, as far as others are concerned? */
  readonly mayReadOn?: () => boolean;
  /** Ends the session. */
  broke(thrown: unknown): void;
}

/** Bytes that may wait for a reader before nothing more is read for it. */
const MOST_WAITING = 1024 * 1024;

/** The messages of one end on their way to the other: in their order, one at a time, and no faster than the other takes them. */
export class Direction {
  from: SocketEnd | undefined;
  to: SocketEnd | undefined;
  private readonly queue: SocketMessage[] = [];
  private queued = 0;
  private counted = 0;
  private isBusy = false;
  private last: (() => void) | undefined;
  private isOver = false;
  /** Since when the reader has been behind; `null` while it is not. */
  fullSince: number | null = null;

  constructor(private readonly parts: DirectionParts) {}

  message(message: SocketMessage): void {
    if (this.isOver) return;
    try {
      if (this.isBusy) this.keep(message);
      else this.pass(message);
    } catch (thrown) {
      this.parts.broke(thrown);
    }
  }
  /** Something of the gateway's own. */
  tell(message: SocketMessage): void {
    if (this.isOver || this.to === undefined) return;
    this.to.send(message);
    this.look();
  }
  drained(): void {
    if (this.isOver) return;
    this.look();
    if (!this.isBusy) this.readOn();
  }
  private readOn(): void {
    if (this.fullSince === null && (this.parts.mayReadOn?.() ?? true)) this.from?.resume();
  }
  /** Nothing more will come: runs this once what has come is on its way. */
  afterAll(run: () => void): void {
    if (this.isBusy) this.last = run;
    else run();
  }
  end(): void {
    this.isOver = true;
    this.queue.length = 0;
  }

  private keep(message: SocketMessage): void {
    this.queue.push(message);
    this.count(message.length);
  }
  private pass(message: SocketMessage): void {
    const taken = this.parts.take(message);
    if (!isPromise(taken)) return this.deliver(taken);
    this.isBusy = true;
    this.from?.pause();
    taken.then((messages) => this.goOn(messages)).catch((thrown: unknown) => this.parts.broke(thrown));
  }
  private goOn(messages: readonly SocketMessage[]): void {
    this.isBusy = false;
    this.deliver(messages);
    for (let next = this.next(); next !== undefined; next = this.next()) this.pass(next);
    if (this.isBusy || this.isOver) return;
    if (this.last) this.last();
    else this.readOn();
  }
  private next(): SocketMessage | undefined {
    if (this.isBusy || this.isOver) return undefined;
    const next = this.queue.shift();
    if (next !== undefined) this.count(-next.length);
    return next;
  }
  private deliver(messages: readonly SocketMessage[]): void {
    if (this.isOver || this.to === undefined) return;
    for (const message of messages) this.to.send(message);
    this.look();
  }
  private count(length: number): void {
    this.queued += length;
    this.parts.held.grow(length);
  }
  /** A reader that is behind is waited for, and what waits for it counts. */
  private look(): void {
    const waiting = this.to?.waiting ?? 0;
    if (waiting !== this.counted) {
      this.parts.held.grow(waiting - this.counted);
      this.counted = waiting;
    }
    if (waiting <= MOST_WAITING) this.fullSince = null;
    else if (this.fullSince === null) {
      this.fullSince = this.parts.now();
      this.from?.pause();
    }
  }
}
