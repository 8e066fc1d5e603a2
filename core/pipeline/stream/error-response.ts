import type { GatewayError, Json, MountedOperation, Plane, WireError } from "#contract";
import { wireError } from "./live.ts";

/** Statuses whose documented body is the nested form alone; the others also carry `status` and `message`. */
const NESTED_ONLY: ReadonlySet<number> = new Set([408, 446]);

/** Who answers in bodies of an own form: an operation, or a route. */
type Form = Pick<MountedOperation, "failure" | "flatErrors">;

/** An error the gateway makes itself, in the documented body of its plane. */
export function errorResponse(error: GatewayError, plane: Plane, form?: Form): Response {
  const headers = new Headers({ "content-type": "application/json" });
  const retryAfter = error.retryAfterSec;
  if (retryAfter !== undefined) headers.set("retry-after", String(retryAfter));
  if (isLateBody(error)) headers.set("connection", "close"); // the rest of it is not waited for
  if (error.status === 426) headers.set("upgrade", "websocket");
  return new Response(JSON.stringify(bodyOf(error, plane, form)), { status: error.status, headers });
}

/** A body that came too slowly: its connection cannot be used again. */
const isLateBody = ({ code, details }: GatewayError): boolean =>
  code === "BODY_STALLED" || (code === "TIMEOUT" && details["of"] === "body");

function bodyOf(error: GatewayError, plane: Plane, form: Form = {}): Json {
  const wire = wireError(error);
  if (plane !== "data") return errorBodyOf(form, error.status, { ...wire, code: error.row.ab ?? null });
  if (form.failure || form.flatErrors) return errorBodyOf(form, error.status, wire);
  return NESTED_ONLY.has(error.status)
    ? errorBody({ ...wire, code: null })
    : errorBody(wire, { status: "failure", message: error.message });
}

/** The error body clients of the data plane read; flat members beside it where documented. */
export function errorBody(error: WireError, more: Readonly<Json> = {}): Json {
  return { error: { message: error.message, type: error.type, param: error.param, code: error.code, ...error.extra }, ...more };
}

/** The same in the form of the operation that was asked. */
export const errorBodyOf = ({ failure, flatErrors }: Form, status: number, error: WireError, more: Readonly<Json> = {}): Json =>
  failure ? failure(error, status, more) : errorBody(error, { ...more, ...(flatErrors && flat(error)) });

/** Four strings beside the nested form. */
const flat = (error: WireError): Json => ({
  code: error.code ?? "",
  message: error.message,
  param: error.param ?? "",
  type: error.type,
});
