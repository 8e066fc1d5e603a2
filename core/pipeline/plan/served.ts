import type { Dialect, Json, OperationId, OperationName, ServedTo } from "#contract";

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

export function servedBy(operation: OperationName, dialects: Dialects): Served | null {
  const served = dialects.get(operation)?.served;
  return served ? { operation: served.by, request: served.request, wire: dialects.get(served.by) ?? null } : null;
}
