import { errorExtra, type Json, UpstreamFailure } from "#contract";
import { text } from "../content/wire.ts";
import { entry } from "./entry.ts";

/** HTTP status of an error that a stream tells of, by its code or type. */
const STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  invalid_prompt: 400,
  invalid_image: 400,
  context_length_exceeded: 400,
  bio_policy: 400,
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  insufficient_quota: 429,
  server_error: 500,
  vector_store_timeout: 504,
};

/** The error of an `error` event, or of a response that failed. */
export function failure(error: Json): UpstreamFailure {
  const { type: _event, sequence_number: _number, ...extra } = error;
  const code = text(error.code) ?? null;
  const type = error.type === "error" ? undefined : text(error.type);
  const message = text(error.message) ?? "The provider reported an error without a message.";
  const status = entry(STATUS, code) ?? entry(STATUS, type) ?? 502;
  const named = type ?? (status < 500 ? "invalid_request_error" : "server_error");
  return new UpstreamFailure(status, { message, type: named, param: text(error.param) ?? null, code, ...errorExtra(extra) });
}

/** A second answer began inside the first. */
export const spliced = (first: string, second: string): UpstreamFailure =>
  new UpstreamFailure(502, {
    message: `The stream began the response ${second} before the response ${first} had ended.`,
    type: "api_error",
    param: null,
    code: "stream_spliced",
  });
