import type { Adapter, Call, Dialect, Json, OperationId, OperationName, Provider, ServedTo } from "#contract";

/** By the operation that a client asks. */
export type Dialects = ReadonlyMap<OperationName, Dialect>;

/** One operation in place of another. */
export interface Served {
  readonly operation: OperationId;
  /** The body in that operation's form. */
  request(body: Json, to: ServedTo): Json;
  /** The dialect of that operation, in which an adapter without maps of its own answers. */
  readonly wire: Dialect | null;
}

/** Who answers, and where that is an adapter for another operation: how. */
export interface Serving {
  readonly adapter: Adapter;
  readonly served: Served | null;
}
interface Asked {
  readonly call: Call;
  readonly model: string;
}
const bodyOf = ({ body }: Call): Json => (body.kind === "json" ? body.value : {});

/** The provider's adapter for the operation, where it serves the model that is asked; else the one for the operation that stands in. */
export function servingOf({ operations }: Provider, { call, model }: Asked, dialects: Dialects): Serving | null {
  const own = operations[call.operation];
  if (own && (!own.serves || own.serves(model, bodyOf(call)))) return { adapter: own, served: null };
  const served = servedBy(call.operation, dialects);
  const adapter = served && operations[served.operation];
  return adapter ? { adapter, served } : null;
}

function servedBy(operation: OperationName, dialects: Dialects): Served | null {
  const served = dialects.get(operation)?.served;
  return served ? { operation: served.by, request: served.request, wire: dialects.get(served.by) ?? null } : null;
}
