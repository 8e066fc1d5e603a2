import type { Json, TokenLogprob } from "#contract";
import { objects } from "./wire.ts";

/** How likely the tokens of a text were, as chat and responses write it. */
export const tokensIn = (wire: unknown): TokenLogprob[] => objects(wire).flatMap(tokenIn);

function tokenIn({ token, logprob, bytes, top_logprobs }: Json): TokenLogprob[] {
  if (typeof token !== "string" || typeof logprob !== "number") return [];
  const others = objects(top_logprobs).flatMap((other) => tokenIn({ ...other, top_logprobs: [] }));
  return [{ token, logprob, bytes: isBytes(bytes) ? bytes : null, top_logprobs: others.map(({ top_logprobs: _none, ...other }) => other) }];
}
const isBytes = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every((byte) => typeof byte === "number");
