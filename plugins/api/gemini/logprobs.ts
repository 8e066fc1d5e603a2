import { Buffer } from "node:buffer";
import { isJson, type Json, type TokenLogprob } from "#contract";
import { objects } from "./wire.ts";

/** For each token the one that was chosen, and at the same place the likeliest. */
export function logprobsIn(result: unknown): readonly TokenLogprob[] | undefined {
  if (!isJson(result)) return undefined;
  const top = objects(result.topCandidates);
  return objects(result.chosenCandidates).map((chosen, at) => ({
    ...tokenOf(chosen),
    top_logprobs: objects(top[at]?.candidates).map(tokenOf),
  }));
}
function tokenOf({ token, logProbability }: Json) {
  const text = typeof token === "string" ? token : "";
  return { token: text, logprob: typeof logProbability === "number" ? logProbability : 0, bytes: [...Buffer.from(text)] };
}
