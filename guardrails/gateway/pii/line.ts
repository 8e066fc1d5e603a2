import { nextTurn } from "#contract";

/** Milliseconds of one turn that looking for personal data may take before others have theirs. */
const TURN_MS = 5;
/** Milliseconds that all such checks of one request may take of the process, however many they are; more where one has a longer timeout. */
export const MOST_OF_REQUEST_MS = 5_000;

/** The work of one request: its checks that wait for their turn, and the time that all of them took. */
export class Account {
  readonly waiting: (() => void)[] = [];
  spentMs = 0;
}

/**
 * All checks of the process go on one behind the other, one in each turn of the event loop, and requests take turns: one
 * with a hundred checks is served no more often than one with a single check. What is done at once, without a turn, is
 * done only while nobody waits, and no more than half of the time.
 */
class Line {
  private readonly accounts: Account[] = [];
  private isMoving = false;
  /** Until when work at once has had its share of the time. */
  private restUntil = 0;

  hasRoomAtOnce(): boolean {
    return !this.isMoving && performance.now() >= this.restUntil - AT_ONCE_MS;
  }
  /** The result of the work when this turn was enough for it. */
  turnOf<T>(work: Generator<undefined, T>, account: Account): { readonly result: T } | undefined {
    const startedAt = performance.now();
    try {
      while (true) {
        const step = work.next();
        if (step.done) return { result: step.value };
        if (performance.now() - startedAt >= TURN_MS) return undefined;
      }
    } finally {
      this.spent(performance.now() - startedAt, account);
    }
  }
  wait(account: Account): Promise<void> {
    return new Promise((goOn) => {
      if (account.waiting.push(goOn) === 1) this.accounts.push(account);
      if (!this.isMoving) void this.move();
    });
  }
  private spent(ms: number, account: Account): void {
    account.spentMs += ms;
    this.restUntil = Math.max(performance.now(), this.restUntil) + ms;
  }
  private async move(): Promise<void> {
    this.isMoving = true;
    while (this.accounts.length > 0) {
      await nextTurn();
      const account = this.accounts.shift();
      const goOn = account?.waiting.shift();
      if (account && account.waiting.length > 0) this.accounts.push(account);
      goOn?.();
      await undefined; // what goes on may wait again: it is done with this turn when this is called
    }
    this.isMoving = false;
  }
}
/** Milliseconds of work that may be done at once before others wait for their turn. */
const AT_ONCE_MS = 8;

export const line = new Line();
