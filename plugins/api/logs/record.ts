import { type Caller, inputTokens, type Json, type LogFacts, type LogRow, type Masker, outputTokens, type Usage } from "#contract";
import { tokenUsage } from "../content/token-usage.ts";
import { usageOf } from "../content/usage.ts";
import type { Inserted } from "./schema.ts";

/** Who inserts a record, and when. */
export interface Inserting {
  readonly caller: Caller;
  readonly now: number;
  readonly mask: Masker;
  /** Names of headers that are hashed, besides those of every record. */
  readonly sensitive: readonly string[];
}

/** The record as it is kept: like the gateway's own, with the tokens that its answer reports. No price is put on it. */
export function rowOf({ request, response, metadata = {} }: Inserted, inserting: Inserting): LogRow {
  const { caller, now } = inserting;
  const { trace_id: trace, span_id, span_name, parent_span_id, ...own } = metadata;
  const id = crypto.randomUUID();
  const usage = usageIn(response.body);
  return {
    id,
    organisationId: caller.organisationId,
    workspaceId: caller.workspaceId,
    createdAt: now,
    traceId: trace ?? id,
    provider: request.provider ?? null,
    model: textOf(response.body["model"]) ?? textOf(request.body["model"]),
    status: response.status ?? 200,
    costCents: null,
    inputTokens: usage ? inputTokens(usage) : 0,
    outputTokens: usage ? outputTokens(usage) : 0,
    responseTimeMs: response.response_time ?? 0,
    apiKeyId: caller.keyId,
    cacheStatus: "DISABLED",
    metadata: { ...own, ...caller.metadata },
    facts: {
      ...factsOf(request, usage, inserting),
      timing: { gatewayMs: 0, upstreamMs: response.response_time ?? 0, timeToFirstTokenMs: null },
      spans: { id: span_id, name: span_name, parent: parent_span_id },
    },
    request: JSON.stringify(request.body),
    sent: null,
    response: JSON.stringify(response.body),
    hooks: null,
  };
}

function factsOf(
  { url, method = "POST", headers = {} }: Inserted["request"],
  usage: Usage | null,
  { caller, mask, sensitive }: Inserting,
): Omit<LogFacts, "timing" | "spans"> {
  const shown = mask.headers(lowerCased(headers), sensitive);
  return {
    url: mask.url(url, ""),
    method: method.toUpperCase(),
    headers: shown.plain,
    gatewayHeaders: shown.gateway,
    sentTo: null,
    operation: "inserted",
    ended: "ok",
    error: null,
    retries: 0,
    usage,
    streamed: false,
    target: null,
    providerSlug: null,
    mode: null,
    config: null,
    userId: caller.userId,
    apiKeyName: caller.keyName,
    bodies: "kept",
  };
}

const usageIn = (body: Json): Usage | null => usageOf(body["usage"]) ?? tokenUsage(body) ?? null;
const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Headers are told apart by their names in lower case. */
const lowerCased = (headers: Readonly<Record<string, string>>): Pick<Headers, "forEach"> => ({
  forEach(visit) {
    for (const [name, value] of Object.entries(headers)) visit(value, name.toLowerCase(), undefined as never); // nobody asks for the parent
  },
});
