import { type Bodies, type Caller, type LogFacts, type Masker, type Outcome, wholePath } from "#contract";

/** What a record tells beyond its columns, credentials masked. */
export function factsOf(outcome: Outcome, caller: Caller, mask: Masker): LogFacts {
  const { call, plan, bodies, timing } = outcome;
  const headers = mask.headers(call.headers, call.control.sensitiveHeaders ?? []);
  const sentTo = bodies?.upstreamUrl ?? null;
  return {
    url: mask.url(urlOf(outcome), call.path),
    method: call.method,
    headers: headers.plain,
    gatewayHeaders: headers.gateway,
    sentTo: sentTo === null ? null : mask.url(sentTo, call.path),
    operation: call.operation,
    ended: outcome.ended,
    error: outcome.error,
    retries: outcome.retries,
    usage: outcome.usage,
    streamed: outcome.streamed,
    timing: { gatewayMs: timing.gatewayMs, upstreamMs: timing.upstreamMs, timeToFirstTokenMs: timing.timeToFirstTokenMs },
    target: outcome.lastUsedOption,
    providerSlug: outcome.providerSlug,
    mode: plan?.root.kind === "branch" ? plan.root.mode : null,
    config: plan?.configSlug ?? null,
    userId: caller.userId,
    apiKeyName: caller.keyName,
    spans: { id: call.control.spanId, name: call.control.spanName, parent: call.control.parentSpanId },
    bodies: bodyState(bodies),
    ...(call.inner && { inner: call.inner }),
    ...(outcome.innerCalls && { innerCalls: outcome.innerCalls }),
  };
}

/** As the client called it; behind a proxy its scheme is what the proxy says. */
function urlOf({ call }: Outcome): string {
  const scheme = call.headers.get("x-forwarded-proto") === "https" ? "https" : "http";
  return `${scheme}://${call.headers.get("host") ?? "gateway"}${wholePath(call.row, call.path)}${call.search}`;
}

function bodyState(bodies: Bodies | null): LogFacts["bodies"] {
  if (bodies === null) return "not kept";
  return bodies.truncated ? "cut" : "kept";
}
