import { clearTimeout, setTimeout } from "node:timers";
import { GatewayError } from "#contract";
import type { EgressRequest } from "./egress.ts";
import { unreachable } from "./failure.ts";

/** How many times the hard limit an answer may take in all, however lively it is: one hour with the usual five minutes. */
const LONGEST_ANSWER = 12;

/**
 * One request's life: cut by its caller or by a deadline, or ended; ended once, whichever way it went.
 * Until the headers the request's own deadline holds. After them the hard limit bounds the silence: each piece begins
 * it anew, unless its reader says that it held nothing. Its twelvefold bounds the whole.
 */
export class Exchange {
  readonly #cutter = new AbortController();
  #timer: NodeJS.Timeout;
  readonly #timeoutMs: number;
  #why: GatewayError | undefined;
  #ended = false;
  /** Milliseconds (performance.now) of the headers, the last piece, and the last but one. */
  #answeredAt = 0;
  #heardAt = 0;
  #heardBefore = 0;

  constructor(
    readonly request: EgressRequest,
    readonly hardTimeoutMs: number,
    readonly onEnd: () => void,
  ) {
    this.#timeoutMs = Math.min(request.timeoutMs ?? hardTimeoutMs, hardTimeoutMs);
    this.#timer = setTimeout(look, this.#timeoutMs, this);
    request.signal.addEventListener("abort", this, { once: true });
  }

  /** Goes to fetch; fires when the exchange is cut. */
  get signal(): AbortSignal {
    return this.#cutter.signal;
  }

  /** Who asked has aborted. */
  handleEvent(): void {
    this.cut(reasonOf(this.request.signal));
  }

  /** The headers are here. The timer that waited for them looks later how long it has been silent. */
  answered(): void {
    this.#answeredAt = this.#heardAt = this.#heardBefore = performance.now();
  }

  /** A piece is here. */
  alive(): void {
    this.#heardBefore = this.#heardAt;
    this.#heardAt = performance.now();
  }

  /** The piece that was read last held nothing of an answer. */
  unheard(): void {
    this.#heardAt = this.#heardBefore;
  }

  /** The timer has fired: too late, or not yet. */
  look(): void {
    if (this.#ended) return;
    if (this.#answeredAt === 0) return this.cut(new GatewayError("TIMEOUT", { timeoutMs: this.#timeoutMs }));
    const now = performance.now();
    const silence = this.hardTimeoutMs - (now - this.#heardAt);
    const whole = this.hardTimeoutMs * LONGEST_ANSWER - (now - this.#answeredAt);
    if (silence < 1) return this.cut(new GatewayError("TIMEOUT", { timeoutMs: this.hardTimeoutMs }));
    if (whole < 1) return this.cut(new GatewayError("TIMEOUT", { timeoutMs: this.hardTimeoutMs * LONGEST_ANSWER }));
    this.#timer = setTimeout(look, Math.min(silence, whole), this);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.request.signal.removeEventListener("abort", this);
    this.onEnd();
  }

  /** Ends it, and says what the caller should be told. */
  fail(thrown: unknown): GatewayError {
    this.end();
    return this.#why ?? unreachable(this.request.caller, thrown);
  }

  /** Waits no longer than the exchange lives. */
  async untilCut<T>(work: Promise<T>): Promise<T> {
    if (this.#why !== undefined) throw this.#why;
    let cut: (() => void) | undefined;
    const cutShort = new Promise<never>((_, reject) => {
      cut = () => reject(this.signal.reason);
      this.signal.addEventListener("abort", cut, { once: true });
    });
    try {
      return await Promise.race([work, cutShort]);
    } finally {
      if (cut !== undefined) this.signal.removeEventListener("abort", cut);
    }
  }

  /** Ends it at once: the connection is let go, and whoever waits is told why. */
  cut(why: GatewayError): void {
    if (this.#ended) return;
    this.#why = why;
    this.#cutter.abort(why);
    this.end();
  }
}

const look = (exchange: Exchange): void => exchange.look();

/** An owner that aborts with a reason of its own is quoted; otherwise the client has left. */
export const reasonOf = (signal: AbortSignal): GatewayError =>
  GatewayError.is(signal.reason) ? signal.reason : new GatewayError("CLIENT_LEFT");
