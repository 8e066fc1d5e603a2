import type { Usage } from "#contract";
import { startWorker } from "../../platform.ts";
import type { CountReply, CountRequest } from "./estimate.worker.ts";

/** Counts tokens where a provider reported none; runs after the client has its answer. */
export async function estimatedUsage(request: string, answer: string): Promise<Usage> {
  const [input = 0, output = 0] = await counter().count([request, answer]);
  return { input, output, estimated: true };
}

interface Counter {
  count(texts: readonly string[]): Promise<readonly number[]>;
}
let started: Counter | undefined;
/** Started at the first use, so that a deployment that never estimates never holds the tokenizer's tables. */
const counter = (): Counter => (started ??= startCounter());

function startCounter(): Counter {
  const waiting = new Map<number, (counts: readonly number[]) => void>();
  let number = 0;
  const worker = startWorker("core/pipeline/settle/estimate.worker.ts");
  worker.onmessage = ({ data }: MessageEvent<CountReply>) => {
    waiting.get(data.number)?.(data.counts);
    waiting.delete(data.number);
  };
  worker.onerror = () => {
    // the next estimate starts another; these are counted by rule of thumb
    started = undefined;
    for (const [, resolve] of waiting) resolve([]);
  };
  return {
    count: (texts) =>
      new Promise<readonly number[]>((resolve) => {
        number += 1;
        const countOf = (counts: readonly number[]) => (text: string, at: number) => {
          const counted = counts[at];
          return counted === undefined ? Math.ceil(text.length / CHARACTERS_PER_TOKEN) : scaled(counted, text);
        };
        waiting.set(number, (counts) => resolve(texts.map(countOf(counts))));
        worker.postMessage({ number, texts: texts.map((text) => text.slice(0, MAX_COUNTED)) } satisfies CountRequest);
      }),
  };
}
const CHARACTERS_PER_TOKEN = 4;
/** Longer texts are counted by this much of them and scaled up; no more of them is sent to the Worker either. */
const MAX_COUNTED = 100_000;
const scaled = (tokens: number, { length }: string): number =>
  length <= MAX_COUNTED ? tokens : Math.round((tokens * length) / MAX_COUNTED);
