import { type Caller, type GuardrailResult, inputTokens, type Json, type Logger, type LogRow, type Outcome, outputTokens } from "#contract";
import { isDeepValue } from "./depth.ts";
import { leastObject, logObject } from "./log-object.ts";
import type { Masker } from "./mask.ts";

/** Makes the record of one request; `undefined` when nobody may ever read it. One that cannot be made whole is cut to its columns. */
export const rowMaker =
  (mask: Masker, log: Logger) =>
  (outcome: Outcome): LogRow | undefined => {
    const { caller } = outcome;
    if (caller === null) return undefined;
    try {
      return { ...columns(outcome, caller), detail: logObject(outcome, caller, mask), hooks: hooksOf(outcome) };
    } catch (error) {
      log("error", "log record cut to its columns", { id: outcome.call.id, why: error });
      return { ...columns(outcome, caller), detail: leastObject(outcome, caller), hooks: null };
    }
  };

const columns = (outcome: Outcome, caller: Caller): Omit<LogRow, "detail" | "hooks"> => {
  const { call, plan, usage } = outcome;
  return {
    id: call.id,
    organisationId: caller.organisationId,
    workspaceId: caller.workspaceId,
    createdAt: call.startedAt,
    traceId: call.traceId,
    provider: outcome.provider,
    model: outcome.model ?? plan?.model ?? null,
    status: outcome.status,
    costCents: outcome.costCents,
    inputTokens: usage ? inputTokens(usage) : 0,
    outputTokens: usage ? outputTokens(usage) : 0,
    responseTimeMs: Math.round(outcome.timing.totalMs),
    apiKeyId: caller.keyId,
    cacheStatus: outcome.cacheStatus,
    metadata: plan?.metadata ?? {},
  };
};

/**
 * Named as in an answer's `hook_results`. Where bodies are not kept, neither is what a check quotes from them; what is
 * nested too deeply never is.
 */
function hooksOf({ guardrails: { input, output }, bodies }: Outcome): Json | null {
  if (input.length === 0 && output.length === 0) return null;
  const kept = bodies === null ? () => null : (quoted: unknown) => (isDeepValue(quoted) ? null : quoted);
  return { before_request_hooks: quoting(input, kept), after_request_hooks: quoting(output, kept) };
}

const quoting = (results: readonly GuardrailResult[], kept: (quoted: unknown) => unknown): readonly GuardrailResult[] =>
  results.map((result) => ({
    ...result,
    checks: result.checks.map((check) => ({ ...check, data: kept(check.data), log: kept(check.log) })),
  }));
