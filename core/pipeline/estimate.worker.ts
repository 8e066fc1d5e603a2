import { countTokens } from "gpt-tokenizer/encoding/cl100k_base";

/*
 * Counts tokens away from the thread that serves requests: the tables take tens of megabytes and a tenth of a second
 * to load, and a long text takes long to count.
 */

/** Longer texts are counted by this much of them and scaled up. */
const MAX_COUNTED = 100_000;

export interface CountRequest {
  readonly number: number;
  readonly texts: readonly string[];
}
export interface CountReply {
  readonly number: number;
  readonly counts: readonly number[];
}

const count = (text: string): number =>
  text.length <= MAX_COUNTED ? countTokens(text) : Math.round((countTokens(text.slice(0, MAX_COUNTED)) * text.length) / MAX_COUNTED);

self.onmessage = ({ data }: MessageEvent<CountRequest>) => {
  const reply: CountReply = { number: data.number, counts: data.texts.map(count) };
  self.postMessage(reply);
};
