import type { GuardrailResult, GuardrailResults, Leaf, Outcome, Plan } from "#contract";
import { CALLERS } from "./tenants.ts";
import { callOf } from "./call.ts";

/** Stands in every place of an outcome where a credential may be; nothing a plugin sends or writes may hold it. */
export const CANARY = "canary-credential-7f3a9c";

/** A leaf with nothing special about it. */
export const leafOf = (more: Partial<Leaf> = {}): Leaf => ({
  kind: "leaf",
  path: "config",
  name: null,
  weight: 1,
  members: {},
  provider: "sandbox",
  fields: {},
  apiKey: null,
  customHost: null,
  timeoutMs: null,
  retry: { attempts: 0, onStatusCodes: [], useRetryAfter: false },
  overrideParams: null,
  defaultParams: null,
  dropParams: [],
  forwardHeaders: [],
  strict: null,
  inputGuardrails: [],
  outputGuardrails: [],
  cache: null,
  ...more,
});
export const planOf = (root: Plan["root"] = leafOf()): Plan => ({ root, metadata: {}, configSlug: null, model: "kit-model" }) as Plan; // members added later are optional to a plugin

/** A guardrail that let the request pass, of one check that quotes this. */
export const guardrailResult = (data: unknown = null): GuardrailResult => ({
  verdict: true,
  id: "kit-guardrail",
  transformed: false,
  checks: [
    {
      data,
      verdict: true,
      id: "kit.check",
      error: null,
      execution_time: 1,
      transformed: false,
      created_at: "2026-01-02T00:00:00.000Z",
      log: null,
      fail_on_error: false,
    },
  ],
  feedback: null,
  execution_time: 1,
  async: false,
  type: "guardrail",
  created_at: "2026-01-02T00:00:00.000Z",
  deny: false,
});
/** Guardrails whose results stand in the answer. */
export const reportOf = (input: readonly GuardrailResult[], output: readonly GuardrailResult[] = []): GuardrailResults => ({
  input,
  output,
  text: JSON.stringify({ before_request_hooks: input, after_request_hooks: output }),
});

/** The outcome of a chat request that went well. */
export function outcomeOf(more: Partial<Outcome> = {}): Outcome {
  const headers = new Headers({
    authorization: `Bearer ${CANARY}`,
    "x-gateway-api-key": CANARY,
    cookie: `session=${CANARY}`,
    "x-tenant": "blue",
  });
  const call = callOf(
    { model: "kit-model", messages: [{ role: "user", content: "Hi" }] },
    { id: crypto.randomUUID(), headers, control: { apiKey: CANARY, rest: {} } },
  );
  return {
    call,
    caller: CALLERS.workspace,
    plan: planOf(),
    status: 200,
    ended: "ok",
    error: null,
    provider: "sandbox",
    providerSlug: null,
    model: "kit-model",
    lastUsedOption: "config",
    retries: 0,
    cacheStatus: "DISABLED",
    streamed: false,
    usage: { input: 3, output: 2 },
    costCents: null,
    guardrails: { input: [], output: [], text: null },
    timing: { totalMs: 12, gatewayMs: 1, upstreamMs: 11, timeToFirstTokenMs: null },
    bodies: {
      request: "{}",
      upstreamUrl: "https://models.example.org/v1/chat/completions",
      upstreamRequest: "{}",
      response: "{}",
      truncated: false,
    },
    ...more,
  };
}

/** Outcomes as odd as they come: nobody known, nothing planned, cut off in the middle. */
export const oddOutcomes = (): readonly Outcome[] => [
  outcomeOf(),
  outcomeOf({
    caller: null,
    plan: null,
    status: 401,
    ended: "error",
    error: { message: "no", type: "authentication_error", param: null, code: null },
    provider: null,
    model: null,
    lastUsedOption: null,
    usage: null,
    bodies: null,
  }),
  outcomeOf({ status: 499, ended: "aborted", usage: null, streamed: true }),
  outcomeOf({
    ended: "partial",
    streamed: true,
    usage: { input: 1, output: 1, estimated: true },
    timing: { totalMs: 1, gatewayMs: 1, upstreamMs: 0, timeToFirstTokenMs: 1 },
  }),
  outcomeOf({ model: "m\u0000\ud83d".repeat(50), costCents: 0.000001 }),
  outcomeOf({ guardrails: reportOf([guardrailResult({ quoted: "Hi" })]) }),
  outcomeOf({ guardrails: { ...reportOf([], [guardrailResult()]), text: null }, bodies: null }),
  outcomeOf({ bodies: { request: "", upstreamUrl: "https://models.example.org/", upstreamRequest: "", response: "", truncated: false } }),
  outcomeOf({ bodies: { request: null, upstreamUrl: null, upstreamRequest: null, response: 'data: {"a\u0000\n\n', truncated: true } }),
];

/** What a plugin wrote or sent, as one text to search in. */
export async function traces(lines: readonly unknown[], sent: readonly Request[]): Promise<string> {
  const requests = await Promise.all(sent.map(async (request) => `${request.url} ${await request.clone().text()}`));
  return JSON.stringify([lines, requests]);
}
