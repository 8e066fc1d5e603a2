import type { GatewayError, Json, MountedOperation, Plane } from "#contract";
import { wireError } from "../pipeline/stream/live.ts";
import { errorBody, errorBodyOf } from "../pipeline/reply.ts";

/** Statuses whose documented body is the nested form alone; the others also carry `status` and `message`. */
const NESTED_ONLY: ReadonlySet<number> = new Set([408, 446]);

/** An error the gateway makes itself, in the documented body of its plane (specification part 7). */
export function errorResponse(error: GatewayError, plane: Plane, row?: MountedOperation): Response {
  const headers = new Headers({ "content-type": "application/json" });
  const retryAfter = error.retryAfterSec;
  if (retryAfter !== undefined) headers.set("retry-after", String(retryAfter));
  return new Response(JSON.stringify(bodyOf(error, plane, row)), { status: error.status, headers });
}

function bodyOf(error: GatewayError, plane: Plane, row: MountedOperation | undefined): Json {
  const wire = wireError(error);
  if (plane !== "data") return errorBody({ ...wire, code: error.row.ab ?? null });
  if (row?.failure || row?.flatErrors) return errorBodyOf(row, error.status, wire);
  return NESTED_ONLY.has(error.status)
    ? errorBody({ ...wire, code: null })
    : errorBody(wire, { status: "failure", message: error.message });
}
