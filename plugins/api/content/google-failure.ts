import { errorExtra, isJson, type Json, UpstreamFailure, type WireError } from "#contract";
import { objects, text } from "./wire.ts";

/** What Google calls a status. */
const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  412: "FAILED_PRECONDITION",
  429: "RESOURCE_EXHAUSTED",
  446: "FAILED_PRECONDITION",
  499: "CANCELLED",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};
const statusOf = (status: number): string => STATUS[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");
const IS_STATUS = /^[A-Z]+(_[A-Z]+)*$/;

/** The body of an error, as Google's clients read it. What others say of it stands in its details. */
export function errorBody(error: WireError, status: number, more: Readonly<Json> = {}): Json {
  const { details, status: own, ...rest } = error.extra ?? {};
  const named = text(own) ?? (IS_STATUS.test(error.type) ? error.type : statusOf(status));
  return {
    error: { ...rest, code: status, message: error.message, status: named, details: [...objects(details), infoOf(error)] },
    ...more,
  };
}
const infoOf = ({ type, code, param }: WireError): Json => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason: (code ?? type).toUpperCase(),
  domain: "ai-gateway",
  metadata: { type, ...(code !== null && { code }), ...(param !== null && { param }) },
});

/** The error that a chunk or a body carries. */
export function failure(body: Json): UpstreamFailure {
  const error = isJson(body.error) ? body.error : body;
  const code = Number(error.code);
  return new UpstreamFailure(code >= 400 && code < 600 ? code : 500, {
    message: text(error.message) ?? "The provider reported an error without a message.",
    type: text(error.status) ?? "INTERNAL",
    param: null,
    code: error.code === undefined ? null : String(error.code),
    ...errorExtra(error),
  });
}
