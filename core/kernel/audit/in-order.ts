/** Runs what has the same key one after the other, and the rest side by side. */
export class InOrder {
  readonly #last = new Map<string, Promise<unknown>>();

  run<R>(key: string, work: () => Promise<R>): Promise<R> {
    const before = this.#last.get(key);
    const mine = before ? before.then(work) : work();
    const ended = mine.then(nothing, nothing);
    this.#last.set(key, ended);
    void ended.then(() => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    });
    return mine;
  }
}
const nothing = (): void => undefined;
