import { Buffer } from "node:buffer";
import type { Json, StreamEvent, TokenLogprob } from "#contract";

interface Candidate {
  readonly token?: string;
  readonly logProbability?: number;
}
/** For each token the one that was chosen, and at the same place the likeliest. */
export interface LogprobsResult {
  readonly chosenCandidates?: readonly Candidate[];
  readonly topCandidates?: readonly { readonly candidates?: readonly Candidate[] }[];
}
type Choice = { readonly choice?: number };

/** What a candidate says beside its content, and the name each has in the answer. */
const BESIDE: Readonly<Record<string, string>> = {
  groundingMetadata: "groundingMetadata",
  citationMetadata: "citationMetadata",
  urlContextMetadata: "urlContextMetadata",
  safetyRatings: "safetyRatings",
  finishMessage: "finish_message",
};

const NOTHING: readonly StreamEvent[] = [];
/** Most candidates have none of it: each chunk of a stream is asked. */
export function besideEvents(candidate: Json & { readonly logprobsResult?: LogprobsResult }, choice: Choice): readonly StreamEvent[] {
  let members: Json | undefined;
  for (const name in BESIDE) if (candidate[name] !== undefined) (members ??= {})[BESIDE[name] ?? name] = candidate[name];
  const tokens = candidate.logprobsResult && tokensOf(candidate.logprobsResult);
  if (!members && !tokens) return NOTHING;
  return [
    ...(tokens ? [{ type: "logprobs", tokens, ...choice } as const] : []),
    ...(members ? [{ type: "beside", members, ...choice } as const] : []),
  ];
}

const tokensOf = ({ chosenCandidates = [], topCandidates = [] }: LogprobsResult): TokenLogprob[] =>
  chosenCandidates.map((chosen, at) => ({ ...tokenOf(chosen), top_logprobs: (topCandidates[at]?.candidates ?? []).map(tokenOf) }));
const tokenOf = ({ token = "", logProbability = 0 }: Candidate) => ({ token, logprob: logProbability, bytes: [...Buffer.from(token)] });
