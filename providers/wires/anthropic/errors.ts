import { isJson, UpstreamFailure, type WireError } from "#contract";

/** The status that each error type has when it is an answer of its own; inside a stream only the type is told. */
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

/** Reads `{type: "error", error: {type, message}}`. */
export function readError(_status: number, body: unknown): Partial<WireError> {
  const error = isJson(body) && isJson(body.error) ? body.error : {};
  return {
    ...(typeof error.message === "string" && { message: error.message }),
    ...(typeof error.type === "string" && { type: error.type }),
  };
}

/** An error that came as an event of a stream, or as the body of a 200. */
export function failure(body: unknown): UpstreamFailure {
  const { message = "Anthropic reported an error without a message.", type = "api_error" } = readError(0, body);
  return new UpstreamFailure(STATUS[type] ?? 500, { message, type, param: null, code: null });
}

/** A second answer began inside the first. */
export const spliced = (first: string, second: string): UpstreamFailure =>
  new UpstreamFailure(502, {
    message: `The stream began the message ${second} before the message ${first} had ended.`,
    type: "api_error",
    param: null,
    code: "stream_spliced",
  });
