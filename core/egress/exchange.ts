import { clearTimeout, setTimeout } from "node:timers";
import { GatewayError } from "#contract";
import type { EgressRequest } from "./egress.ts";
import { unreachable } from "./failure.ts";

/**
 * One request's life: cut by its caller or by a deadline, or ended; ended once, whichever way it went.
 * Until the headers the request's own deadline holds; after them the hard limit, anew with each chunk.
 */
export class Exchange {
  readonly #cutter = new AbortController();
  #timer: NodeJS.Timeout;
  readonly #timeoutMs: number;
  #why: GatewayError | undefined;
  #ended = false;

  constructor(
    readonly request: EgressRequest,
    readonly hardTimeoutMs: number,
    readonly onEnd: () => void,
  ) {
    this.#timeoutMs = Math.min(request.timeoutMs ?? hardTimeoutMs, hardTimeoutMs);
    this.#timer = setTimeout(cutLate, this.#timeoutMs, this, this.#timeoutMs);
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

  /** The headers are here. */
  answered(): void {
    if (this.#ended) return;
    if (this.#timeoutMs === this.hardTimeoutMs) return this.alive();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(cutLate, this.hardTimeoutMs, this, this.hardTimeoutMs);
  }

  /** A chunk is here. */
  alive(): void {
    this.#timer.refresh();
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
  async within<T>(work: Promise<T>): Promise<T> {
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

const cutLate = (exchange: Exchange, timeoutMs: number): void => exchange.cut(new GatewayError("TIMEOUT", { timeoutMs }));

/** An owner that aborts with a reason of its own is quoted; otherwise the client has left. */
export const reasonOf = (signal: AbortSignal): GatewayError =>
  GatewayError.is(signal.reason) ? signal.reason : new GatewayError("CLIENT_LEFT");
