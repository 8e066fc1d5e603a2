import { type Check, type CheckInput, defineCheck, type Handles, inModelTime, modelProblems, SAID, type Verdict } from "#contract";
import { BY, type Judgement, judge } from "../ask.ts";
import { VerdictCache } from "../cache.ts";
import { Params } from "../params.ts";
import { questionOf } from "../question.ts";

/** A model says how well a text meets a rubric. */
export default (host: Pick<Handles, "dispatch" | "counters">): Check => {
  const cache = new VerdictCache();
  return defineCheck<typeof Params>({
    id: BY,
    title: "A model's verdict by a rubric",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    params: Params,
    problems: modelProblems,
    dispatches: () => true,
    timeoutMs: 15_000,
    async run(input: CheckInput<Params>): Promise<Verdict> {
      if (input.text.trim() === "") return { verdict: "allow", data: { explanation: "There is no text to judge." } };
      const question = questionOf(input);
      const { asker, now, params } = input;
      const known = cache.get(asker, question.key, now);
      if (known) return verdictOf(known, true, params);
      const { timeoutMs, signal } = input;
      const judgement = await inModelTime({ by: BY, timeoutMs, signal }, (stop) => judge(question, input, stop, host));
      if (params.cacheSeconds > 0) cache.put(asker, question.key, { judgement, expiresAt: now + params.cacheSeconds * 1_000 });
      return verdictOf(judgement, false, params);
    },
  });
};

function verdictOf({ score, reason, requestId }: Judgement, cached: boolean, { threshold, not }: Params): Verdict {
  const passed = score >= threshold !== not;
  const data = { verdict: passed, score, threshold, not, explanation: reason, cached, request_id: requestId };
  return passed ? { verdict: "allow", data } : { verdict: "deny", reason, data };
}
