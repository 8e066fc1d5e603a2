import { randomBytes } from "node:crypto";
import {
  type Asker,
  type Body,
  type Call,
  type Caller,
  DATA_PLANE_SCOPE,
  type Dispatch,
  GatewayError,
  type InnerAsk,
  type OperationName,
  type Outcome,
  tenantOf,
} from "#contract";
import type { Spending } from "../compute/allowance.ts";
import { textCost } from "../json/memory-cost.ts";
import { type Validator, validator } from "../json/validate.ts";
import type { MountedRoute } from "../kernel/generation.ts";
import { timedId } from "../platform.ts";
import { CheckAsker } from "./guard/asker.ts";
import type { SubjectSource } from "./guard/subject.ts";
import { boundedAnswer } from "./inner-answer.ts";
import { type AskedBefore, InnerPlaces } from "./inner-places.ts";
import type { Gateway } from "./gateway.ts";
import { requireScope } from "./identify.ts";
import { handle } from "./pipeline.ts";
import { leavesPin } from "./plan/pin.ts";

/** What plugins ask of models goes the way of any request, for the caller that they ask for. */
export function dispatcher(gw: Gateway): Dispatch {
  const places = new InnerPlaces();
  const judged = new Map<OperationName, Validator<unknown>>();
  const freed = new WeakMap<Caller, Caller>();

  return async (ask, as) => {
    const route = routeOf(ask, gw);
    const within = CheckAsker.askedOf(as);
    const caller = within ? freeOf(askerOf(ask, within), freed) : clientOf(ask, as, route);
    const leavePlace = places.take(tenantOf(caller), ask.by, askedWithin(within?.view.spending));
    try {
      const body = bodyOf(ask, route, judged);
      return await asked({ ask, call: callOf(ask, route, within, gw), body, caller, within }, gw);
    } finally {
      leavePlace();
    }
  };
}

const askedWithin = (spending: Spending | undefined): AskedBefore => ({
  judged: spending?.innerAsked ?? 0,
  request: spending?.innerCosts?.length ?? 0,
});

/** A call that is ready to be asked. */
interface InnerCall {
  readonly ask: InnerAsk;
  readonly call: Call;
  readonly body: Body & { readonly text: string };
  readonly caller: Caller;
  readonly within: SubjectSource | undefined;
}

async function asked({ ask, call, body, caller, within }: InnerCall, gw: Gateway): Promise<Response> {
  const told = costHeard(ask, within);
  const settled = (outcome: Outcome): void => {
    told(outcome.costCents);
    gw.settled(outcome);
  };
  const held = gw.memory.hold();
  const read = (): Body => {
    held.take(textCost(body.text.length));
    return body;
  };
  const response = await handle({ call, read, held, leave: gw.gen.enter(), as: caller }, { ...gw, settled });
  return boundedAnswer(response, { memory: gw.memory, tenant: tenantOf(caller), by: ask.by });
}

/** Its cost is told to who asks, and to the record of the request that it is asked within. */
function costHeard({ spent }: InnerAsk, within: SubjectSource | undefined): (costCents: number | null) => void {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  if (within && !within.view.unrecorded) noteAsked(within.view.spending, promise);
  return (costCents) => {
    resolve(costCents);
    spent?.(costCents);
  };
}

function noteAsked(spending: Spending, cost: Promise<number | null>): void {
  spending.innerAsked = (spending.innerAsked ?? 0) + 1;
  (spending.innerCosts ??= []).push(cost);
}

/** Who asked the request that a check judges; refused where a check asks within what a check asked. */
function askerOf({ by }: InnerAsk, { call, view }: SubjectSource): Caller {
  if (call.inner !== undefined) throw new GatewayError("INNER_NESTED", { by });
  if (view.caller === undefined) throw leavesPin(`a model that ${by} asks`, "checks");
  return view.caller;
}
/** A caller that a plugin asks for by itself may do what it may do as a client. */
function clientOf({ operation, by }: InnerAsk, as: Caller | Asker, { row }: MountedRoute): Caller {
  if (!("scopes" in as)) throw refusedAsk(by, "nobody says for whom");
  if (!as.scopes.has(DATA_PLANE_SCOPE)) requireScope(as, row.scope, operation);
  return as;
}

/** Without the config of its key, which says where the client's requests go, and not what its guardrails ask. The same each time: what is looked up for it is kept. */
function freeOf(caller: Caller, freed: WeakMap<Caller, Caller>): Caller {
  const before = freed.get(caller);
  if (before) return before;
  const free: Caller = { ...caller, configId: null, allowConfigOverride: true };
  freed.set(caller, free);
  return free;
}

function routeOf({ operation, by }: InnerAsk, { gen }: Gateway): MountedRoute {
  const route = gen.operations.get(operation);
  if (route?.row.body === "json" && !route.row.path.includes(":") && !route.row.socket) return route;
  throw refusedAsk(by, `it cannot ask ${operation}`);
}
const refusedAsk = (by: string, why: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `What ${by} asks of a model is not valid: ${why}.` });

/** Characters of what is asked. */
const MAX_ASKED = 4 * 1024 * 1024;

function bodyOf({ operation, body, by }: InnerAsk, { body: schema }: MountedRoute, judged: Map<OperationName, Validator<unknown>>) {
  if (body["stream"] === true) throw refusedAsk(by, "its answer is whole, and no stream");
  const text = JSON.stringify(body);
  if (text.length > MAX_ASKED) throw refusedAsk(by, `it is longer than ${MAX_ASKED} characters`);
  if (schema && !judged.has(operation)) judged.set(operation, validator(schema));
  judged.get(operation)?.(body);
  return { kind: "json", value: body, text } as const;
}

function callOf(ask: InnerAsk, { row }: MountedRoute, within: SubjectSource | undefined, gw: Gateway): Call {
  const startedAt = gw.now();
  const id = timedId(startedAt);
  const requestId = within && !within.view.unrecorded ? within.call.id : null;
  return {
    id,
    operation: ask.operation,
    row,
    method: row.method,
    path: row.path,
    params: {},
    search: "",
    headers: new Headers(),
    control: { ...controlOf(ask), ...(within && ofOuter(within, requestId)) },
    traceId: within?.call.traceId ?? id,
    body: NO_BODY,
    startedAt,
    signal: ask.signal,
    inner: { by: ask.by, requestId },
  };
}
const NO_BODY: Body = Object.freeze({ kind: "none" });

/** As if its headers said it; no header holds a key. */
const controlOf = ({ by, config, provider }: InnerAsk): Call["control"] => ({
  rest: {},
  apiKey: "",
  spanId: randomBytes(8).toString("hex"),
  spanName: by,
  ...(config !== undefined && { config }),
  ...(provider !== undefined && { provider }),
});
/** Bodies are not kept: what another guardrail takes out of the request may be in them. */
function ofOuter({ call, view }: SubjectSource, requestId: string | null): Partial<Call["control"]> {
  const parentSpanId = call.control.spanId ?? requestId;
  return { metadata: { ...view.metadata }, debug: false, ...(parentSpanId !== null && { parentSpanId }) };
}
