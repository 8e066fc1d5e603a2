import { createHash } from "node:crypto";
import { GatewayError, PREFIX, type Route } from "#contract";
import type { Input, On, Row } from "./record.ts";

/* Entity tags of records (RFC 9110, 8.8.3): the record's state as it is stored, a dot, and what of it is shown. */

/** Stored anew, it is another; `GET` of a record may show more than that, which changes by itself. */
const tagOf = (state: string, shown: unknown): string => `"${state}.${digest(shown)}"`;
/** The record as it is stored, with the moment of its last write: each write has a moment of its own. */
export const stateOf = ({ resource }: On, record: Row): string =>
  digest(Object.keys(resource.collection.schema.properties).map((member) => record[member] ?? null));
const digest = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, DIGITS);
const DIGITS = 22;

/** What is shown of a record, tagged; or that it is what the client has. */
export function tagged<T>(on: On, { request, answerHeaders }: Input, record: Row, shown: T): T | Response {
  const headers = { etag: tagOf(stateOf(on, record), shown), "cache-control": "private, no-cache" };
  if (isKnown(request.headers.get("if-none-match"), headers.etag)) return new Response(null, { status: 304, headers });
  for (const [name, value] of Object.entries(headers)) answerHeaders?.set(name, value);
  return shown;
}

/** Compared weakly: a cache may have marked what it has. */
const isKnown = (header: string | null, tag: string): boolean =>
  header !== null && (header.trim() === "*" || tagsIn(header).some(({ whole }) => whole === tag));

/** Does an If-Match name this state? Compared strongly: what a cache marked as weak may be another. */
export const namesState = (header: string, state: string): boolean =>
  header.trim() === "*" || tagsIn(header).some(({ isWeak, whole }) => !isWeak && whole.slice(1, 1 + DIGITS) === state);

type Conditional = Pick<Route, "conditional" | "method" | "plane" | "path">;
/** Writes that address no record with a tag; what the data plane passes on, its providers compare. */
export const hasNoState = ({ conditional, method, plane }: Conditional): boolean =>
  plane !== "data" && method !== "GET" && conditional !== "write";
/** A condition that nobody would compare is refused: its client counts on it. */
export function refuseUncompared(route: Conditional, { headers }: Pick<Request, "headers">): void {
  if (!hasNoState(route) || !headers.has("if-match")) return;
  const why = `${route.method} ${PREFIX[route.plane]}${route.path} changes no record with an ETag, so there is nothing to compare; nothing was done. Send the request without it`;
  throw new GatewayError("HEADER_INVALID", { header: "if-match", why }, { param: "if-match" });
}

interface Tag {
  readonly isWeak: boolean;
  /** With its quotes. */
  readonly whole: string;
}
const TAG = /(W\/)?("[^"]*")/g;
const tagsIn = (header: string): readonly Tag[] =>
  [...header.matchAll(TAG)].map(([, weak, whole = ""]) => ({ isWeak: weak !== undefined, whole }));
