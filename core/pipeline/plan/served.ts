import type { Adapter, AdapterInput, Call, Dialect, Json, OperationId, OperationName, Provider, ServedTo, StandIn, Usage } from "#contract";
import type { MountedRoute } from "../../kernel/generation.ts";

/** By the operation that a client asks. */
export type Dialects = ReadonlyMap<OperationName, Dialect>;
export type Routes = ReadonlyMap<OperationName, MountedRoute>;

/** One operation in place of another. */
export interface Served {
  readonly operation: OperationId;
  /** The body in that operation's form. */
  request(body: Json, to: ServedTo): Json;
  /** The dialect of that operation, in which an adapter without maps of its own answers. */
  readonly wire: Dialect | null;
  /** Of an operation without events: its whole answer in the form of the one that was asked, and what it used. */
  readonly whole?: { answer(body: Json): Json; usage?(body: Json): Usage | undefined };
}

/** Who answers, and where that is an adapter for another operation: how. */
export interface Serving {
  readonly adapter: Adapter;
  readonly served: Served | null;
}
interface ServedRequest {
  readonly call: Call;
  readonly model: string;
}
/** What is mounted and spoken. */
interface Mounted {
  readonly dialects: Dialects;
  readonly routes: Routes;
}
const bodyOf = ({ body }: Call): Json => (body.kind === "json" ? body.value : {});

/** The provider's adapter for the operation, where it serves the model that is asked; else the one for the operation that stands in. */
export function servingOf(provider: Provider, { call, model }: ServedRequest, mounted: Mounted): Serving | null {
  if (call.row.passes !== undefined) return { adapter: passingAdapter(provider), served: null };
  const { operations } = provider;
  const own = operations[call.operation];
  if (own && (!own.serves || own.serves(model, bodyOf(call)))) return { adapter: own, served: null };
  const served = servedBy({ call, model }, provider, mounted);
  const adapter = served && operations[served.operation];
  return adapter ? { adapter, served } : null;
}

/** It changes nothing; made once for each provider. */
function passingAdapter(provider: Provider): Adapter {
  const known = passingAdapters.get(provider);
  if (known) return known;
  const { path, ...rest } = provider.passes ?? {};
  const adapter: Adapter = { ...rest, ...(path && { path: (_body: Json, ask: AdapterInput) => path(ask) }) };
  passingAdapters.set(provider, adapter);
  return adapter;
}
const passingAdapters = new WeakMap<Provider, Adapter>();

/** Which of the two that its dialect has. */
function standInOf({ call, model }: ServedRequest, { operations }: Provider, dialects: Dialects): StandIn | undefined {
  const { served, servedBefore: chosen } = dialects.get(call.operation) ?? {};
  const adapter = chosen && dialects.has(chosen.by) ? operations[chosen.by] : undefined;
  if (!chosen || !adapter) return served;
  const isAsked = call.control.beta?.includes(chosen.flag) === true && chosen.suits(bodyOf(call));
  return isAsked || adapter.alone?.(model) ? chosen : served;
}

function servedBy(request: ServedRequest, provider: Provider, { dialects, routes }: Mounted): Served | null {
  const spoken = standInOf(request, provider, dialects);
  const { operation } = request.call;
  if (spoken) return { operation: spoken.by, request: spoken.request, wire: dialects.get(spoken.by) ?? null };
  const served = routes.get(operation)?.served;
  if (!served) return null;
  const { usage } = routes.get(served.by)?.row.content ?? {};
  return {
    operation: served.by,
    request: served.request,
    wire: null,
    whole: { answer: served.answer, ...(usage && { usage }) },
  };
}
