import { type Bodies, type Caller, inputTokens, isJson, isoTime, type Json, type Outcome, outputTokens } from "#contract";
import { isDeepText } from "./depth.ts";
import type { Masker } from "./mask.ts";

/** What stands in every record, also in one whose rest could not be written down. */
export const leastObject = ({ call, ended, error }: Outcome, caller: Caller): Json => ({
  _id: call.id,
  organisation_id: caller.organisationId,
  gateway: { operation: call.operation, ended, error, bodies: "not kept" },
});

/** The documented LogObject (observability fact sheet 1), and what the gateway knows beyond it under `gateway`. */
export function logObject(outcome: Outcome, caller: Caller, mask: Masker): Json {
  const { call, bodies, timing } = outcome;
  const headers = mask.headers(call.headers, call.control.sensitiveHeaders ?? []);
  const url = mask.url(urlOf(outcome));
  const createdAt = isoTime(call.startedAt);
  return {
    _id: call.id,
    organisation_id: caller.organisationId,
    created_at: createdAt,
    request: { url, method: call.method, headers: headers.plain, gatewayHeaders: headers.gateway, ...bodyOf(requestBody(outcome)) },
    response: {
      status: outcome.status,
      responseTime: Math.round(timing.totalMs),
      lastUsedOptionJsonPath: outcome.lastUsedOption ?? "",
      ...bodyOf(parsed(bodies?.response ?? null)),
    },
    metrics: metrics(outcome, caller, url, createdAt),
    ...(bodies?.upstreamUrl && {
      transformedRequest: { url: mask.url(bodies.upstreamUrl), method: call.method, ...bodyOf(sentBody(outcome)) },
    }),
    gateway: extras(outcome),
  };
}

const bodyOf = (body: Json | undefined): Json => (body === undefined ? {} : { body });

/** The body has been parsed once already, unless the log keeps only its beginning. */
function requestBody({ call, bodies }: Outcome): Json | undefined {
  if (bodies === null) return undefined;
  const { body } = call;
  const kept = body.kind === "json" && bodies.request?.length === body.text.length;
  return kept && !isDeepText(body.text) ? body.value : parsed(bodies.request);
}

/** What only passed through has been parsed too. */
const sentBody = (outcome: Outcome): Json | undefined =>
  outcome.bodies?.upstreamRequest === outcome.bodies?.request ? requestBody(outcome) : parsed(outcome.bodies?.upstreamRequest ?? null);

/** A whole JSON object as it is; anything else (a stream's wire text, a cut body, one nested too deeply) as `{ text }`. */
function parsed(text: string | null): Json | undefined {
  if (text === null || text === "") return undefined;
  if (!text.startsWith("{") || isDeepText(text)) return { text };
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : { text };
  } catch {
    return { text }; // cut off in the middle
  }
}

/** As the client called it; behind a proxy its scheme is what the proxy says. */
function urlOf({ call }: Outcome): string {
  const scheme = call.headers.get("x-forwarded-proto") === "https" ? "https" : "http";
  return `${scheme}://${call.headers.get("host") ?? "gateway"}/v1${call.path}${call.search}`;
}

function metrics(outcome: Outcome, caller: Caller, url: string, createdAt: string): Json {
  const { call, plan, timing, usage } = outcome;
  const metadata = Object.entries(plan?.metadata ?? {});
  const input = usage ? inputTokens(usage) : 0;
  const output = usage ? outputTokens(usage) : 0;
  return {
    id: call.id,
    organisation_id: caller.organisationId,
    created_at: createdAt,
    is_success: outcome.ended === "ok" && outcome.status >= 200 && outcome.status < 300,
    ai_org: outcome.provider,
    ai_model: outcome.model ?? plan?.model ?? null,
    req_units: input,
    res_units: output,
    total_units: input + output,
    cost: outcome.costCents,
    cost_currency: "USD",
    request_url: url,
    request_method: call.method,
    response_status_code: outcome.status,
    response_time: Math.round(timing.totalMs),
    gateway_processing_time: Math.round(timing.gatewayMs),
    upstream_response_time: Math.round(timing.upstreamMs),
    is_proxy_call: false,
    cache_status: outcome.cacheStatus,
    cache_type: cacheType(outcome.cacheStatus),
    stream_mode: outcome.streamed ? 1 : 0,
    retry_success_count: outcome.retries,
    trace_id: call.traceId,
    span_id: call.control.spanId,
    span_name: call.control.spanName,
    parent_span_id: call.control.parentSpanId,
    internal_trace_id: call.id,
    mode: plan?.root.kind === "branch" ? plan.root.mode : undefined,
    config: plan?.configSlug ?? undefined,
    virtual_key: outcome.providerSlug?.replace(/^@/, ""),
    last_used_option_index: indexOf(outcome.lastUsedOption),
    api_key_id: caller.keyId,
    "metadata.key": metadata.map(([key]) => key),
    "metadata.value": metadata.map(([, value]) => value),
  };
}

function cacheType(status: Outcome["cacheStatus"]): string | null {
  if (status === "DISABLED") return null;
  return status.startsWith("SEMANTIC") ? "semantic" : "simple";
}

/** `config.targets[1].targets[0]` -> 0 */
function indexOf(path: string | null): number | undefined {
  const index = /\[(\d+)\]$/.exec(path ?? "")?.[1];
  return index === undefined ? undefined : Number(index);
}

const extras = ({ call, caller, ended, error, retries, usage, timing, bodies, lastUsedOption, provider, providerSlug }: Outcome): Json => ({
  operation: call.operation,
  ended,
  error,
  retries,
  usage,
  time_to_first_token: timing.timeToFirstTokenMs,
  target: lastUsedOption,
  provider,
  provider_slug: providerSlug,
  workspace_id: caller?.workspaceId ?? null,
  user_id: caller?.userId ?? null,
  api_key_name: caller?.keyName ?? null,
  bodies: bodyState(bodies),
});

function bodyState(bodies: Bodies | null): "kept" | "cut" | "not kept" {
  if (bodies === null) return "not kept";
  return bodies.truncated ? "cut" : "kept";
}
