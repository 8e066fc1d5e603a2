import {
  type Call,
  type Caller,
  GatewayError,
  type GuardrailJudge,
  type GuardrailJudgement,
  type GuardrailQuestion,
  isPinned,
  knownNames,
  tenantOf,
} from "#contract";
import { nothingSpent } from "../compute/allowance.ts";
import type { Gateway } from "./gateway.ts";
import { guardInput, guardOutput, type GuardView } from "./guard/guard.ts";
import type { ActiveGuardrail } from "./plan/guardrails/active.ts";

/** Guardrails judge bodies that somebody shows, as they would judge them on their way to a provider and back. */
export const guardrailJudge = (gw: Gateway): GuardrailJudge => ({
  judge: (question, as, signal) => judged(question, callOf(question, signal, gw), as, gw),
});

async function judged(question: GuardrailQuestion, call: Call, as: Caller, gw: Gateway): Promise<GuardrailJudgement> {
  const { guardrails } = await gw.prepare(call, { ...as, configId: null });
  const list = (await guardrails(question.guardrails)).map(waitedFor);
  const view = viewOf(question, as);
  if (question.side === "input") {
    const { results, call: after } = await guardInput(list, call, view, gw.guards);
    return { results, body: after.body.kind === "json" ? after.body.value : question.request.json };
  }
  const { json, status } = question.response ?? { json: {}, status: 200 };
  return guardOutput(list, json, { call, status, view }, gw.guards);
}

/** Whatever it says of shadow and of its roll-out: who asks wants to know what it would do. */
const waitedFor = (guardrail: ActiveGuardrail): ActiveGuardrail => ({ ...guardrail, async: false, rollout: 100 });

const viewOf = ({ provider, request, metadata }: GuardrailQuestion, as: Caller): GuardView => ({
  provider,
  model: typeof request.json["model"] === "string" ? request.json["model"] : null,
  metadata,
  spending: nothingSpent(),
  tenant: tenantOf(as),
  tenantIds: as,
  ...(!isPinned(as) && { caller: as }), // whose checks are its own, and would lead it out of its config
  unrecorded: true,
});

/** A request of that operation which is on its way nowhere. */
function callOf({ requestType, request: { json, headers } }: GuardrailQuestion, signal: AbortSignal, { gen, now }: Gateway): Call {
  const row = gen.operations.get(requestType)?.row;
  if (row === undefined) {
    const what = `No operation here is ${requestType}. ${knownNames("There are", requestType, [...gen.operations.keys()])}`;
    throw new GatewayError("REQUEST_INVALID", { what }, { param: "request_type" });
  }
  return {
    id: crypto.randomUUID(),
    operation: requestType,
    row,
    method: row.method,
    path: row.path,
    params: {},
    search: "",
    headers: new Headers(headers),
    control: { rest: {}, apiKey: "" }, // the key of who asks is in none of these headers
    traceId: crypto.randomUUID(),
    body: { kind: "json", value: json, text: null },
    startedAt: now(),
    signal,
  };
}
