import type { CountReply, CountRequest } from "./count.worker.ts";

/**
 * Beside this file; in a compiled binary all modules are one file at the root, and the Worker, an entry point of its
 * own in the build, keeps its path below it.
 */
const WORKER = new URL(
  import.meta.url.endsWith("/cl100k/counter.ts") ? "./count.worker.ts" : "./plugins/tokenizer/cl100k/count.worker.ts",
  import.meta.url,
);

/**
 * What may wait to be counted: texts that nobody waits for any more are counted too. So much takes ten seconds at the
 * worst, and a text that finds more before it is better guessed than late.
 */
const MAX_TEXTS = 1_000;
const MAX_CHARACTERS = 4_000_000;

interface Waiting {
  readonly texts: number;
  readonly characters: number;
  resolve(counts: readonly number[]): void;
  reject(why: Error): void;
}

/** The Worker that counts, and who waits for it. One that died is started anew by the next who asks. */
export class Counter {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private number = 0;
  private texts = 0;
  private characters = 0;

  /** `undefined`, at once, where too much waits already. */
  count(texts: readonly string[]): Promise<readonly number[]> | undefined {
    const characters = texts.reduce((sum, { length }) => sum + length, 0);
    if (this.texts + texts.length > MAX_TEXTS || this.characters + characters > MAX_CHARACTERS) return undefined;
    const worker = (this.worker ??= this.started());
    return new Promise((resolve, reject) => {
      this.number += 1;
      worker.postMessage({ number: this.number, texts } satisfies CountRequest);
      this.waiting.set(this.number, { texts: texts.length, characters, resolve, reject });
      this.texts += texts.length;
      this.characters += characters;
    });
  }

  close(): void {
    this.worker?.terminate();
    this.gone("it was closed while it counted");
  }

  private started(): Worker {
    const worker = new Worker(WORKER, { type: "module" });
    worker.onmessage = ({ data: { number, counts } }: MessageEvent<CountReply>) => {
      this.taken(number)?.resolve(counts);
    };
    worker.onerror = (event) => this.gone(event.message);
    (worker as Worker & { unref?(): void }).unref?.(); // the process may end while the Worker waits for work
    return worker;
  }

  private taken(number: number): Waiting | undefined {
    const waiting = this.waiting.get(number);
    if (!waiting || !this.waiting.delete(number)) return undefined;
    this.texts -= waiting.texts;
    this.characters -= waiting.characters;
    return waiting;
  }

  private gone(why: string): void {
    this.worker = undefined;
    for (const number of [...this.waiting.keys()]) this.taken(number)?.reject(new Error(why));
  }
}
