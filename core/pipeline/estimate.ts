import type { Json, Usage } from "#contract";
import { startWorker } from "../platform.ts";
import type { CountReply, CountRequest } from "./estimate.worker.ts";

/** Counts tokens where a provider reported none; runs after the client has its answer. */
export async function estimatedUsage(request: Json | null, answer: string): Promise<Usage> {
  const [input = 0, output = 0] = await counter().count([promptText(request), answer]);
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
  const worker = startWorker("core/pipeline/estimate.worker.ts");
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
        waiting.set(number, (counts) => resolve(texts.map((text, at) => counts[at] ?? Math.ceil(text.length / CHARACTERS_PER_TOKEN))));
        worker.postMessage({ number, texts } satisfies CountRequest);
      }),
  };
}
const CHARACTERS_PER_TOKEN = 4;

function promptText(request: Json | null): string {
  const prompt = request?.["messages"] ?? request?.["prompt"] ?? request?.["input"];
  return typeof prompt === "string" ? prompt : textsIn(prompt).join("\n");
}

/** What a model said in a whole answer, whatever its dialect. */
export const textOf = (answer: Json | null): string => textsIn(answer).join("\n");

/** Every `text` and `content` string; media and ids are not text. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => (typeof item === "string" ? [item] : textsIn(item)));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (typeof member === "string") return key === "content" || key === "text" || key === "arguments" ? [member] : [];
    return textsIn(member);
  });
}
