import { CheckFault, type CheckInput, type Handles, type ModelAnswer, modelAnswer, modelPlace, ModelRefused } from "#contract";
import { countSpent, reserveCall } from "./budget.ts";
import type { Params } from "./params.ts";
import type { Question } from "./question.ts";
import { FORMAT, type Judgement, judgementIn } from "./judgement.ts";

export type { Judgement } from "./judgement.ts";

export const BY = "judge.rubric";

/** Asks the model: once more where its verdict has not the form, or where its provider refuses the schema. */
export async function judge(
  question: Question,
  input: CheckInput<Params>,
  signal: AbortSignal,
  host: Pick<Handles, "dispatch" | "counters">,
): Promise<Judgement> {
  const ask = (structured: boolean): Promise<ModelAnswer> => asked(question, input, { signal, structured }, host);
  const first = await ask(input.params.structured).catch((thrown: unknown) => {
    if (input.params.structured && thrown instanceof ModelRefused && thrown.status === 400) return undefined;
    throw thrown;
  });
  const judgement = first && judgementIn(first, question.word);
  if (judgement) return judgement;
  const again = await ask(first !== undefined && input.params.structured);
  const second = judgementIn(again, question.word);
  if (second) return second;
  throw new CheckFault("budget", `${BY}: the model's answer is no verdict${recordOf(again)}`); // the text may have brought that about
}

/** Where the record of a call tells more. */
const recordOf = ({ requestId }: ModelAnswer): string => (requestId === null ? "" : `; its log record is ${requestId}`);

async function asked(
  { messages, rubricKey }: Question,
  { params, asker, now }: CheckInput<Params>,
  { signal, structured }: { readonly signal: AbortSignal; readonly structured: boolean },
  host: Pick<Handles, "dispatch" | "counters">,
): Promise<ModelAnswer> {
  const budget = { params, asker, rubricKey, now };
  await reserveCall(host.counters, budget);
  const body = {
    ...(params.model !== undefined && { model: params.model }),
    messages,
    max_completion_tokens: params.maxTokens,
    ...(structured && { response_format: FORMAT }),
  };
  const spent = (cents: number | null): void => countSpent(host.counters, budget, cents);
  return modelAnswer(host, { operation: "chatComplete", body, ...modelPlace(params), by: BY, signal, spent }, asker);
}
