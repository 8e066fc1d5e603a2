import { countTokens } from "gpt-tokenizer/encoding/cl100k_base";

/*
 * Counts tokens away from the thread that serves requests: the tables take tens of megabytes and a tenth of a second
 * to load, and a long text takes long to count.
 */

/**
 * The tokenizer takes quadratic time over a run without a space: 23 s for 100,000 characters of one, in which no other
 * text would be counted. In slices of this length it takes a quarter of a second, and is wrong by less than a percent.
 */
const SLICE = 2_048;

/** Signs that mean something to a model (`<|endoftext|>`) are text like any other where a client writes them. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

export interface CountRequest {
  readonly number: number;
  readonly texts: readonly string[];
}
export interface CountReply {
  readonly number: number;
  readonly counts: readonly number[];
}

function count(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; at += SLICE) tokens += countTokens(text.slice(at, at + SLICE), AS_TEXT);
  return tokens;
}

self.onmessage = ({ data }: MessageEvent<CountRequest>) => {
  const reply: CountReply = { number: data.number, counts: data.texts.map(count) };
  self.postMessage(reply);
};
