/** Work that several ask for at once and that is done once; it is given up when nobody waits for it any more. */
export class SharedWork<T> {
  readonly #running = new Map<string, Running<T>>();

  async ask(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const running = this.#running.get(key) ?? this.#begin(key, work);
    running.waiting += 1;
    const left = (): void => {
      running.waiting -= 1;
      if (running.waiting > 0) return;
      this.#forget(key, running); // who comes now begins anew
      running.stop.abort(signal.reason);
    };
    if (signal.aborted) left();
    signal.addEventListener("abort", left, { once: true });
    try {
      return await running.result;
    } finally {
      signal.removeEventListener("abort", left);
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const stop = new AbortController();
    const result = work(stop.signal).finally(() => this.#forget(key, running));
    const running: Running<T> = { result, stop, waiting: 0 };
    this.#running.set(key, running);
    return running;
  }
  #forget(key: string, running: Running<T>): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
  }
}
interface Running<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}
