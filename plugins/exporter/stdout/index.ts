import { Type } from "@sinclair/typebox";
import { type AuditEntry, definePlugin, inputTokens, isoTime, type Json, type Outcome, outputTokens, wholePath } from "#contract";

/** One line per request, and one per entry of the audit log, through the process log, which takes secrets out. Neither bodies nor headers are in it. */
export default definePlugin({
  kind: "exporter",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: ({ log }) => ({
    provides: {
      export: async (batch) => {
        for (const outcome of batch) log("info", "request", line(outcome));
      },
      changes: async (entries) => {
        for (const entry of entries) log("info", "change", changeLine(entry));
      },
    },
  }),
});

/** What was changed is in the audit log; the line says that it was, and whose hash proves it. */
const changeLine = ({ before, after, request_headers: _, created_at, ...entry }: AuditEntry): Json => ({
  ...entry,
  at: isoTime(created_at),
  members: Object.keys(after ?? before ?? {}),
});

const line = ({ call, caller, plan, usage, timing, ...outcome }: Outcome): Json => ({
  at: isoTime(call.startedAt),
  id: call.id,
  trace_id: call.traceId,
  operation: call.operation,
  method: call.method,
  path: wholePath(call.row, call.path),
  status: outcome.status,
  ended: outcome.ended,
  error: outcome.error?.code ?? outcome.error?.type ?? null,
  organisation_id: caller?.organisationId ?? null,
  workspace_id: caller?.workspaceId ?? null,
  api_key_id: caller?.keyId ?? null,
  provider: outcome.provider,
  provider_slug: outcome.providerSlug,
  model: outcome.model ?? plan?.model ?? null,
  config: plan?.configSlug ?? null,
  target: outcome.lastUsedOption,
  retries: outcome.retries,
  cache_status: outcome.cacheStatus,
  streamed: outcome.streamed,
  input_tokens: usage ? inputTokens(usage) : null,
  output_tokens: usage ? outputTokens(usage) : null,
  cost_cents: outcome.costCents,
  ...(call.inner && { inner: { by: call.inner.by, request_id: call.inner.requestId } }),
  ...(outcome.innerCalls && { inner_calls: { calls: outcome.innerCalls.calls, cost_cents: outcome.innerCalls.costCents } }),
  total_ms: Math.round(timing.totalMs),
  upstream_ms: Math.round(timing.upstreamMs),
  time_to_first_token_ms: timing.timeToFirstTokenMs,
  metadata: plan?.metadata ?? {},
});
