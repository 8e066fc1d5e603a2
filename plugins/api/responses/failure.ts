import { errorExtra, type Json, parseJson, UpstreamFailure } from "#contract";
import { JsonEnd } from "../content/json-end.ts";
import { entry, object, text } from "../content/wire.ts";

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

/** Quotes in texts have a backslash before them. */
const ERROR = /(?<!\\)"error"[ \t]*:[ \t]*(?=\{)/g;
/** Members of that name that are looked at, from the end on: a tool's schema may have some. */
const MOST = 8;

/** The error of an event of which only the end is known; empty where it stood before that. */
export function errorAtEnd(tail: string): Json {
  const places = [...tail.matchAll(ERROR)].slice(-MOST).reverse();
  const errors = places.map(({ index, 0: name }) => object(parsed(objectAt(tail, index + name.length))));
  return errors.find(({ message }) => typeof message === "string") ?? {};
}
function objectAt(tail: string, start: number): string {
  const end = new JsonEnd();
  let at = start;
  while (at < tail.length && !end.reached) end.add(tail.charAt(at++));
  return tail.slice(start, at);
}
function parsed(json: string): unknown {
  try {
    return parseJson(json);
  } catch {
    return undefined; // cut off
  }
}

/** A second answer began inside the first. */
export const spliced = (first: string, second: string): UpstreamFailure =>
  new UpstreamFailure(502, {
    message: `The stream began the response ${second} before the response ${first} had ended.`,
    type: "api_error",
    param: null,
    code: "stream_spliced",
  });
