/** What the checks of one request have taken of the main thread, and shown of their data, so far. */
export interface Spending {
  mainMs: number;
  shownChars: number;
  /** US cents of each call that they asked, once it has ended; `null` where no price is known. */
  innerCosts?: Promise<number | null>[];
  /** How many calls they asked; of a part of a request, those of this part alone. */
  innerAsked?: number;
}
export const nothingSpent = (): Spending => ({ mainMs: 0, shownChars: 0 });
/** Of one of many parts of a request (a line of a file, a message of a session): what its checks ask models is told with the request's own. */
export const spentOnPart = (whole: Spending): Spending => ({ ...nothingSpent(), innerCosts: (whole.innerCosts ??= []) });

/** Milliseconds of the main thread that all checks of a request may take together, by their own estimates. */
export const MAIN_MS_PER_REQUEST = 5;
/** And those of all requests, within a while: a burst of requests must not do together what one may not. */
const WINDOW_MS = 50;
const MAIN_MS_PER_WINDOW = 20;
/** Smaller estimates do not count towards the window: estimates are high, and so many requests are an honest load. */
const SMALL_MS = 1;

/** Says what may be done on the main thread; nothing can interrupt it there. */
export class Allowance {
  private windowAt = 0;
  private inWindow = 0;

  /** Takes so many milliseconds, when they are there. An estimate that is no number is refused. */
  take(ms: number, spending: Spending, now: number): boolean {
    if (!(spending.mainMs + ms <= MAIN_MS_PER_REQUEST)) return false;
    if (ms > SMALL_MS && !this.room(ms, now)) return false;
    spending.mainMs += ms;
    return true;
  }

  private room(ms: number, now: number): boolean {
    if (now - this.windowAt >= WINDOW_MS || now < this.windowAt) {
      this.windowAt = now;
      this.inWindow = 0;
    }
    if (this.inWindow + ms > MAIN_MS_PER_WINDOW) return false;
    this.inWindow += ms;
    return true;
  }
}
