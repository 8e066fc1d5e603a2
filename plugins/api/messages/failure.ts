import { errorExtra, isJson, type Json, UpstreamFailure, type WireError } from "#contract";
import { entry, text } from "../content/wire.ts";

/** The statuses of Anthropic's error types. */
const STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};
const TYPES: Readonly<Record<number, string>> = {
  ...Object.fromEntries(Object.entries(STATUS).map(([type, status]) => [status, type])),
  408: "timeout_error",
};

/** What a status is called; a denial by guardrails keeps its own name, by which clients tell it from other errors. */
function typeOf({ type }: WireError, status: number): string {
  if (type === "hooks_failed" || Object.hasOwn(STATUS, type)) return type;
  return TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}

/** The body of an error, as Anthropic's clients read it. */
export const errorBody = (error: WireError, status: number, more: Readonly<Json> = {}): Json => ({
  type: "error",
  error: { ...error.extra, type: typeOf(error, status), message: error.message },
  ...more,
});

/** The error that an event or a body carries. */
export function failure(body: Json): UpstreamFailure {
  const error = isJson(body.error) ? body.error : body;
  const type = text(error.type) ?? "api_error";
  const message = text(error.message) ?? "The provider reported an error without a message.";
  return new UpstreamFailure(entry(STATUS, type) ?? 500, { message, type, param: null, code: null, ...errorExtra(error) });
}

/** A second answer began inside the first. */
export const spliced = (first: string, second: string): UpstreamFailure =>
  new UpstreamFailure(502, {
    message: `The stream began the message ${second} before the message ${first} had ended.`,
    type: "api_error",
    param: null,
    code: "stream_spliced",
  });
