import { isJson, isoTime, type Json, type LogFacts, type LogRow, PASSING } from "#contract";
import { isDeepText } from "./depth.ts";

/** The documented LogObject, and what the gateway knows beyond it under `gateway`. */
export function logObject(row: LogRow): Json {
  const { facts } = row;
  return {
    _id: row.id,
    organisation_id: row.organisationId,
    created_at: isoTime(row.createdAt),
    request: {
      url: facts?.url ?? null,
      method: facts?.method ?? null,
      headers: facts?.headers ?? {},
      gatewayHeaders: facts?.gatewayHeaders ?? {},
      ...bodyOf(row.request),
    },
    response: {
      status: row.status,
      responseTime: row.responseTimeMs,
      lastUsedOptionJsonPath: facts?.target ?? "",
      ...bodyOf(row.response),
    },
    metrics: metrics(row, facts),
    ...(facts?.sentTo && { transformedRequest: { url: facts.sentTo, method: facts.method, ...bodyOf(row.sent ?? row.request) } }),
    gateway: extras(row, facts),
  };
}

/** The results of guardrails, named as in an answer's `hook_results`. */
export const hookResults = ({ hooks }: LogRow): Json => (hooks === null ? {} : parsed(hooks));

const bodyOf = (text: string | null): Json => (text === null || text === "" ? {} : { body: parsed(text) });

/** A whole JSON object as it is; anything else (a stream's wire text, a cut body, one nested too deeply) as `{ text }`. */
function parsed(text: string): Json {
  if (!/^\s*\{/.test(text) || isDeepText(text)) return { text };
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : { text };
  } catch {
    return { text }; // cut off in the middle
  }
}

function metrics(row: LogRow, facts: LogFacts | null): Json {
  const metadata = Object.entries(row.metadata);
  return {
    id: row.id,
    organisation_id: row.organisationId,
    created_at: isoTime(row.createdAt),
    is_success: (facts?.ended ?? "ok") === "ok" && row.status < 300,
    ai_org: row.provider,
    ai_model: row.model,
    req_units: row.inputTokens,
    res_units: row.outputTokens,
    total_units: row.inputTokens + row.outputTokens,
    cost: row.costCents,
    cost_currency: "USD",
    response_status_code: row.status,
    response_time: row.responseTimeMs,
    is_proxy_call: facts?.operation === PASSING,
    cache_status: row.cacheStatus,
    cache_type: cacheType(row.cacheStatus),
    trace_id: row.traceId,
    internal_trace_id: row.id,
    api_key_id: row.apiKeyId,
    "metadata.key": metadata.map(([key]) => key),
    "metadata.value": metadata.map(([, value]) => value),
    ...(facts && metricsOf(facts)),
  };
}

const metricsOf = (facts: LogFacts): Json => ({
  request_url: facts.url,
  request_method: facts.method,
  gateway_processing_time: Math.round(facts.timing.gatewayMs),
  upstream_response_time: Math.round(facts.timing.upstreamMs),
  stream_mode: facts.streamed ? 1 : 0,
  retry_success_count: facts.retries,
  span_id: facts.spans.id,
  span_name: facts.spans.name,
  parent_span_id: facts.spans.parent,
  mode: facts.mode ?? undefined,
  config: facts.config ?? undefined,
  virtual_key: facts.providerSlug?.replace(/^@/, ""),
  last_used_option_index: indexOf(facts.target),
});

function cacheType(status: string): string | null {
  if (status === "DISABLED") return null;
  return status.startsWith("SEMANTIC") ? "semantic" : "simple";
}

/** `config.targets[1].targets[0]` -> 0 */
function indexOf(path: string | null): number | undefined {
  const index = /\[(\d+)\]$/.exec(path ?? "")?.[1];
  return index === undefined ? undefined : Number(index);
}

const extras = (row: LogRow, facts: LogFacts | null): Json => ({
  ...(facts && {
    operation: facts.operation,
    ended: facts.ended,
    error: facts.error,
    retries: facts.retries,
    usage: facts.usage,
    time_to_first_token: facts.timing.timeToFirstTokenMs,
    target: facts.target,
    provider_slug: facts.providerSlug,
    user_id: facts.userId,
    api_key_name: facts.apiKeyName,
  }),
  ...(facts?.inner && { inner: { by: facts.inner.by, request_id: facts.inner.requestId } }),
  ...(facts?.innerCalls && { inner_calls: { calls: facts.innerCalls.calls, cost: facts.innerCalls.costCents } }),
  provider: row.provider,
  workspace_id: row.workspaceId,
  bodies: facts?.bodies ?? "not kept",
});
