import { type ErrorRead, GatewayError, type HeaderRecord, type Json, type JsonText, UpstreamFailure, type WireError } from "#contract";
import type { Answer } from "../../egress/answer.ts";
import { entering, markOfOwner } from "../../kernel/process/watchdog/marks.ts";
import { beginning } from "../../json/utf8.ts";
import { shortJson } from "../../json/long-json.ts";
import type { Try } from "./try.ts";
import type { Reading } from "./interpret.ts";
import { unreadable, wireError } from "../stream/live.ts";
import { extraIn, usualError } from "./provider-error.ts";
import { errorBodyOf } from "../stream/error-response.ts";
import { type Secrets, redactedError, withoutSecrets } from "../../kernel/secrets/redaction.ts";

/** An error as the client's reading. */
export function failed(status: number, error: WireError, { to, form }: Pick<Try, "to" | "form">, headers: HeaderRecord = {}): Reading {
  return failure(status, error, errorBodyOf(form.row, status, error, { provider: to.id }), headers);
}
function failure(status: number, error: WireError, body: Json, headers: HeaderRecord): Reading {
  headers["content-type"] = "application/json";
  return { status, headers, content: { kind: "whole", text: JSON.stringify(body), body, usage: null }, error, model: null };
}

/** What a provider refused, as the client is told it. */
export async function refusal(answer: Answer, headers: HeaderRecord, it: Try, secrets: Secrets): Promise<Reading> {
  const text = await answer.text().catch(() => "");
  const read = errorIn(answer, text, it);
  const error = redactedError(providerError(read, { status: answer.status, text }, it, secrets), secrets);
  return failed(answer.status, error, it, { ...retryAfter(read.retryAfterSec), ...headers });
}

function errorIn({ status, headers }: Answer, text: JsonText, { to }: Try): ErrorRead {
  const body = shortJson(text);
  entering(markOfOwner(to.provider));
  const read = to.provider.error?.(status, body, Object.fromEntries(headers)) ?? usualError(body);
  return read.extra ? read : { ...read, ...extraIn(body) };
}
interface Refused {
  readonly status: number;
  readonly text: JsonText;
}
/** As a header; the provider's own wins over what its body says. */
export const retryAfter = (seconds: number | undefined): HeaderRecord => (seconds === undefined ? {} : { "retry-after": String(seconds) });

function providerError(read: ErrorRead, { status, text }: Refused, it: Try, secrets: Secrets): WireError {
  const stated =
    read.message === undefined
      ? withoutSecrets(beginning(text, MAX_READ), secrets).slice(0, MAX_SAID) || `status ${status} without a body`
      : read.message;
  return {
    message: `${it.to.id} error: ${stated}`,
    type: read.type ?? typeOf(status),
    param: read.param ?? null,
    code: read.code ?? null,
    ...(read.extra && { extra: read.extra }),
  };
}

/** Characters of an unreadable error body that are told, and of those a key is looked for in: none is cut in its middle. */
const MAX_SAID = 500;
const MAX_READ = 8_192;

const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "invalid_request_error",
  429: "rate_limit_error",
};
const typeOf = (status: number): string => TYPES[status] ?? "api_error";

/** A failure on the way as a reading, or `null` when it is not the provider's doing. */
export function failureReading(thrown: unknown, it: Try, secrets: Secrets): Reading | null {
  const failing = (status: number, error: WireError, headers: HeaderRecord = {}): Reading =>
    failed(status, redactedError(error, secrets), it, headers);
  if (UpstreamFailure.is(thrown)) {
    const status = thrown.status >= 400 ? thrown.status : 502;
    const error = { ...thrown.error, message: `${it.to.id} error: ${thrown.error.message}` };
    return failing(status, error, retryAfter(thrown.retryAfterSec));
  }
  if (GatewayError.is(thrown) && thrown.code === "TIMEOUT") return timedOut({ ...wireError(thrown), code: null }, thrown.status, it);
  if (GatewayError.is(thrown)) return ON_THE_WAY.has(thrown.code) ? failing(thrown.status, wireError(thrown)) : null;
  return failing(502, wireError(unreadable(thrown, it.to.id)));
}
const ON_THE_WAY: ReadonlySet<string> = new Set(["UPSTREAM_UNREACHABLE", "UPSTREAM_INVALID", "STREAM_EMPTY", "STREAM_INCOMPLETE"]);
/** The documented body names nobody. */
const timedOut = (error: WireError, status: number, { form }: Try): Reading =>
  failure(status, error, errorBodyOf(form.row, status, error), {});
