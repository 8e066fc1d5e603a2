import { isJson, type Json, UpstreamFailure, type WireError } from "#contract";

/** Exceptions of an event stream: the status each has as an answer of its own, and its type. Others are the server's. */
const EXCEPTIONS: Readonly<Record<string, readonly [status: number, type: string]>> = {
  validationException: [400, "invalid_request_error"],
  modelTimeoutException: [408, "timeout_error"],
  modelStreamErrorException: [424, "api_error"],
  throttlingException: [429, "rate_limit_error"],
  internalServerException: [500, "api_error"],
  serviceUnavailableException: [503, "api_error"],
};

/** Reads `{message}`, sometimes `{Message}`; the error's name is `__type` in it or stands in a header, as a shape or with a link. */
export function readError(_status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Partial<WireError> {
  const { message, Message = message, __type: type = headers["x-amzn-errortype"] } = isJson(body) ? body : ({} as Json);
  return {
    ...(typeof Message === "string" && { message: withoutRequest(Message) }),
    ...(typeof type === "string" && { code: nameOf(type) }),
  };
}
/** `com.amazon.coral.service#AccessDeniedException`, `ValidationException:http://…` */
const nameOf = (type: string): string => type.slice(type.indexOf("#") + 1).split(":")[0] ?? "";
/** A refused signature is answered with the request as AWS read it, session token included. */
const withoutRequest = (message: string): string => message.split(/\s*The Canonical String/)[0] ?? "";

/** Is an event of the stream with this type an error? One without a type is an error of the framing itself. */
export const isFailure = (event: string): boolean => event === "" || event.toLowerCase().endsWith("exception");

/** An exception that came as an event of the stream. */
export function failure(exception: string, payload: unknown): UpstreamFailure {
  const [status, type] = EXCEPTIONS[exception] ?? [500, "api_error"];
  const { message = "Bedrock broke its stream off without a message." } = readError(status, payload);
  const original = isJson(payload) && typeof payload.originalMessage === "string" ? ` (${payload.originalMessage})` : "";
  return new UpstreamFailure(status, { message: message + original, type, param: null, code: exception === "" ? null : exception });
}

/** A second answer began inside the first. */
export const spliced = (): UpstreamFailure =>
  new UpstreamFailure(502, {
    message: "The stream began a second message before the first had ended.",
    type: "api_error",
    param: null,
    code: "stream_spliced",
  });
