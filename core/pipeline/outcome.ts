import { type Bodies, type Call, operation, type Outcome, outputTokens, type Usage } from "#contract";
import type { Ending } from "./deliver.ts";
import { estimatedUsage, textOf } from "./estimate.ts";
import { costOf } from "./price.ts";
import type { Reply } from "./reply.ts";
import type { Served } from "./settle.ts";

/** What came of a request, as policies and exporters are told it. */
export async function outcomeOf(
  reply: Reply,
  { call, caller, plan }: Served,
  ending: Ending,
  at: { readonly now: number; readonly loggedBytes: number },
): Promise<Outcome> {
  const totalMs = at.now - call.startedAt;
  const usage = await usageOf(reply, call, ending);
  const model = ending.model ?? reply.model;
  return {
    call,
    caller,
    plan,
    status: reply.status,
    ended: ending.ended,
    error: ending.error ?? reply.error,
    provider: reply.from?.id ?? null,
    providerSlug: reply.from?.slug ?? null,
    model,
    lastUsedOption: reply.leaf?.path ?? null,
    retries: reply.retries,
    cacheStatus: reply.cacheStatus,
    streamed: ending.streamed === true,
    usage,
    costCents: usage && (await costFor(reply, model, usage)),
    guardrails: await guardrailsOf(reply),
    timing: timingOf(reply, ending, totalMs),
    bodies: call.control.debug === false ? null : bodiesOf(reply, call, ending, at.loggedBytes),
  };
}

/** Those that were waited for, and those that ran beside the request. */
async function guardrailsOf({ guardrails: { input, output, pending, text } }: Reply): Promise<Outcome["guardrails"]> {
  const later = { input: (await pending.input) ?? [], output: (await pending.output) ?? [] };
  if (later.input.length + later.output.length === 0) return { input, output: output(), text: text ?? null };
  return { input: [...input, ...later.input], output: [...output(), ...later.output], text: null };
}

const timingOf = ({ upstreamMs }: Reply, { streamed, firstMs }: Ending, totalMs: number): Outcome["timing"] =>
  streamed
    ? { totalMs, upstreamMs: totalMs, gatewayMs: 0, timeToFirstTokenMs: firstMs }
    : { totalMs, upstreamMs, gatewayMs: Math.max(0, totalMs - upstreamMs), timeToFirstTokenMs: null };

/* ── usage and cost ──────────────────────────────────────────────────────────────────────────────────────────── */

/** What the provider reported, if the answer came to its end; else no less than what was received. */
async function usageOf(reply: Reply, call: Call, ending: Ending): Promise<Usage | null> {
  const reported = ending.usage;
  if (reported && (ending.ended === "ok" || !ending.streamed)) return reported;
  const estimate = await estimateOf(reply, call, ending);
  if (!reported || !estimate) return reported ?? estimate;
  const missing = outputTokens(estimate) - outputTokens(reported);
  return missing > 0 ? { ...reported, output: (reported.output ?? 0) + missing, estimated: true } : reported;
}

/** Only answers that cost something are estimated: those a model began to give. */
async function estimateOf(reply: Reply, call: Call, ending: Ending): Promise<Usage | null> {
  const { segments } = operation(call.operation);
  const conversational = segments === "chat" || segments === "messages" || segments === "prompt";
  if (!conversational || reply.from === null || reply.status >= 300 || call.body.kind !== "json") return null;
  const whole = reply.content.kind === "whole" ? textOf(reply.content.body) : "";
  const { text, times } = ending.said?.() ?? { text: whole, times: 1 };
  const usage = await estimatedUsage(call.body.value, text);
  return { ...usage, output: Math.round((usage.output ?? 0) * times) };
}

async function costFor(reply: Reply, model: string | null, usage: Usage): Promise<number | null> {
  if (!reply.from) return null;
  const { id: providerId, provider, target } = reply.from;
  const asked = target.model;
  const answered = model === null || model === asked ? null : await costOf(usage, { providerId, provider, model });
  return answered ?? (asked === "" ? null : costOf(usage, { providerId, provider, model: asked }));
}

/* ── bodies for the log ──────────────────────────────────────────────────────────────────────────────────────── */

function bodiesOf(reply: Reply, call: Call, ending: Ending, limit: number): Bodies {
  const request = requestText(call);
  const response = UNLOGGED.has(call.operation) ? null : ending.response;
  const cut = (text: string | null): string | null => (text !== null && text.length > limit ? text.slice(0, limit) : text);
  return {
    request: cut(request),
    upstreamUrl: reply.sent?.url ?? null,
    upstreamRequest: cut(reply.sent?.body ?? null),
    response: cut(response),
    truncated: [request, response].some((text) => (text?.length ?? 0) >= limit),
  };
}

/** Embedding vectors are never stored (observability fact sheet 1). */
const UNLOGGED: ReadonlySet<string> = new Set(["embed"]);

function requestText({ body }: Call): string | null {
  if (body.kind === "json") return body.text;
  return body.kind === "form-read" ? JSON.stringify(body.fields) : null;
}
