import {
  type Caller,
  type GuardrailResult,
  inputTokens,
  type Logger,
  type LogRow,
  type Masker,
  MAX_JSON_LEVELS,
  nestsDeeper,
  type Outcome,
  outputTokens,
} from "#contract";
import { factsOf } from "./facts.ts";

/**
 * Makes the record of one request; `undefined` when nobody may ever read it. Bodies are kept as the texts they are:
 * whoever reads a record parses them, and few records are read. One that cannot be made whole is cut to its columns.
 */
export const rowMaker =
  (mask: Masker, log: Logger) =>
  (outcome: Outcome): LogRow | undefined => {
    const { caller } = outcome;
    if (caller === null) return undefined;
    try {
      return rowOf(outcome, caller, factsOf(outcome, caller, mask), hooksOf(outcome));
    } catch (error) {
      log("error", "log record cut to its columns", { id: outcome.call.id, why: error });
      return rowOf({ ...outcome, bodies: null }, caller, null, null);
    }
  };

function rowOf(outcome: Outcome, caller: Caller, facts: LogRow["facts"], hooks: string | null): LogRow {
  const { call, plan, usage, bodies } = outcome;
  const request = bodies?.request ?? null;
  const sent = bodies?.upstreamRequest ?? null;
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
    facts,
    request,
    sent: sent === request ? null : sent,
    response: bodies?.response ?? null,
    hooks,
  };
}

/** Where bodies are not kept, neither is what a check quotes from them. */
function hooksOf({ guardrails, bodies }: Outcome): string | null {
  if (bodies !== null && guardrails.text !== null) return guardrails.text;
  const { input, output } = guardrails;
  if (input.length === 0 && output.length === 0) return null;
  if (nestsDeeper([input, output], MAX_JSON_LEVELS)) throw new RangeError("the guardrail results nest too deeply");
  const shown = bodies === null ? withoutQuotes : (results: readonly GuardrailResult[]) => results;
  return JSON.stringify({ before_request_hooks: shown(input), after_request_hooks: shown(output) });
}

/** A row as it is where bodies are not kept. */
export function withoutBodies(record: object): LogRow {
  const row = record as LogRow; // of `rowMaker`
  const facts = row.facts && { ...row.facts, sentTo: null, bodies: "not kept" as const };
  return { ...row, facts, request: null, sent: null, response: null, hooks: row.hooks && unquoted(row.hooks) };
}

/** The text was written by `hooksOf`, or by the pipeline in the same form. */
function unquoted(hooks: string): string {
  const { before_request_hooks: before, after_request_hooks: after } = JSON.parse(hooks) as Hooks;
  return JSON.stringify({ before_request_hooks: withoutQuotes(before), after_request_hooks: withoutQuotes(after) });
}
interface Hooks {
  readonly before_request_hooks: readonly GuardrailResult[];
  readonly after_request_hooks: readonly GuardrailResult[];
}

const withoutQuotes = (results: readonly GuardrailResult[]): readonly GuardrailResult[] =>
  results.map((result) => ({ ...result, checks: result.checks.map((check) => ({ ...check, data: null, log: null })) }));
