import type { CountReply, CountRequest } from "./count.worker.ts";

/**
 * Beside this file; in a compiled binary all modules are one file at the root, and the Worker, an entry point of its
 * own in the build, keeps its path below it.
 */
const WORKER = new URL(
  import.meta.url.endsWith("/cl100k/counter.ts") ? "./count.worker.ts" : "./plugins/tokenizer/cl100k/count.worker.ts",
  import.meta.url,
);

interface Waiting {
  resolve(counts: readonly number[]): void;
  reject(why: Error): void;
}

/** The Worker that counts, and who waits for it. One that died is started anew by the next who asks. */
export class Counter {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private number = 0;

  count(texts: readonly string[]): Promise<readonly number[]> {
    const worker = (this.worker ??= this.started());
    return new Promise((resolve, reject) => {
      this.number += 1;
      this.waiting.set(this.number, { resolve, reject });
      worker.postMessage({ number: this.number, texts } satisfies CountRequest);
    });
  }

  close(): void {
    this.worker?.terminate();
    this.gone("it was closed while it counted");
  }

  private started(): Worker {
    const worker = new Worker(WORKER, { type: "module" });
    worker.onmessage = ({ data: { number, counts } }: MessageEvent<CountReply>) => {
      this.waiting.get(number)?.resolve(counts);
      this.waiting.delete(number);
    };
    worker.onerror = (event) => this.gone(event.message);
    (worker as Worker & { unref?(): void }).unref?.(); // the process may end while the Worker waits for work
    return worker;
  }

  private gone(why: string): void {
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) reject(new Error(why));
    this.waiting.clear();
  }
}
