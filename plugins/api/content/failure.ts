import { errorExtra, isJson, type Json, UpstreamFailure } from "#contract";
import { text } from "./wire.ts";

/** HTTP status of an error that arrived inside a 200, by its type or code. */
const STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  context_length_exceeded: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  rate_limit_reached: 429,
  insufficient_quota: 429,
  server_error: 500,
  overloaded_error: 503,
  engine_overloaded_error: 503,
  service_unavailable: 503,
};

/** The error that a body or chunk carries instead of an answer, whichever of the usual forms it has. */
export function failureIn(body: Json): UpstreamFailure | undefined {
  const { error } = body;
  if (isJson(error)) return failure(error);
  if (typeof error === "string") return failure({ message: error, type: body["error_type"] ?? body["type"], code: body["code"] });
  return undefined;
}

/** A frame named `error` whose data is the error itself. */
export const failureFrame = (body: Json): UpstreamFailure => failureIn(body) ?? failure(body);

function failure(error: Json): UpstreamFailure {
  const code = typeof error["code"] === "number" ? String(error["code"]) : (text(error["code"]) ?? null);
  const type = text(error["type"]) ?? "api_error";
  const message = text(error["message"]) ?? "The provider reported an error without a message.";
  return new UpstreamFailure(statusOf(error["code"], error["status"]) ?? STATUS[type] ?? STATUS[code ?? ""] ?? 502, {
    message,
    type,
    param: text(error["param"]) ?? null,
    code,
    ...errorExtra(error),
  });
}

function statusOf(...candidates: readonly unknown[]): number | undefined {
  return candidates.map(Number).find((status) => Number.isInteger(status) && status >= 400 && status <= 599);
}
