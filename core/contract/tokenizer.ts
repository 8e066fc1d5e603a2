import type { PriceQuestion } from "./price.ts";

/** Counts tokens where a provider reported none. The first in the order of the profile that counts for a model says how many. */
export interface Tokenizer {
  /**
   * One count for each text, in their order; `undefined` for models it does not count for, and while too much waits to
   * be counted: nobody waits for longer than half a minute. Of a long text only the beginning is given. What takes long
   * belongs in a Worker: the thread that asks serves requests.
   */
  count(texts: readonly string[], of: ModelOfAnswer): readonly number[] | undefined | Promise<readonly number[] | undefined>;
}
export type ModelOfAnswer = Pick<PriceQuestion, "providerId" | "model">;
