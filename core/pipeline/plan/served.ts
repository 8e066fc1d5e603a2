import type { Dialect, Json, OperationId, OperationName, ServedTo, Usage } from "#contract";
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

export function servedBy(operation: OperationName, dialects: Dialects, routes: Routes): Served | null {
  const spoken = dialects.get(operation)?.served;
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
