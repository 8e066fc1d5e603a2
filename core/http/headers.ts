import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import type { TSchema } from "@sinclair/typebox";
import { LRUCache } from "lru-cache";
import { isDeepStrictEqual } from "node:util";
import {
  type Control,
  GatewayError,
  type HeaderClasses,
  HEADERS,
  type HeaderName,
  type HeaderRow,
  nearest,
  OWN_PREFIX,
  type RequestHeaders,
} from "#contract";
import { lowered } from "../json/shape.ts";
import { boundedJson, MAX_DEPTH } from "../json/bounded.ts";
import type { HeaderMap } from "./header-map.ts";

/* Gateway request headers are parsed here and nowhere else. */

const ROWS = Object.entries(HEADERS) as [HeaderName, HeaderRow][];
const CHECKS: ReadonlyMap<HeaderName, TypeCheck<TSchema>> = new Map(ROWS.map(([key, row]) => [key, TypeCompiler.Compile(row.schema)]));
const BY_NAME: ReadonlyMap<string, HeaderName> = new Map(ROWS.map(([key, row]) => [row.name, key]));
const BY_OTHER_NAME: ReadonlyMap<string, HeaderName> = new Map(
  ROWS.flatMap(([key, row]) => (row.also ?? []).map((name) => [name, key] as const)),
);

const READ: { readonly [R in HeaderRow["read"]]: (text: string, name: string) => unknown } = {
  text: (text) => text,
  flag: (text) => ({ true: true, "1": true, false: false, "0": false })[text.toLowerCase()],
  integer: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  json: parsed,
  list: (text, name) => (text.trimStart().startsWith("[") ? parsed(text, name) : listed(text, name)),
};

/** Nobody has been identified yet, and others wait meanwhile: what is too much is refused before it is parsed. */
function parsed(text: string, name: string): unknown {
  try {
    return boundedJson(text, LIMITS);
  } catch (thrown) {
    if (!GatewayError.is(thrown)) throw thrown;
    if (thrown.code === "BODY_NOT_JSON") throw invalidHeader(name, `it must be a JSON value, and is none: ${thrown.details["why"]}`);
    if (thrown.code === "BODY_REPEATS") throw invalidHeader(name, "it names a member twice in one object");
    throw invalidHeader(name, thrown.code === "BODY_TOO_DEEP" ? `it nests deeper than ${MAX_DEPTH} levels` : TOO_MANY);
  }
}
function listed(text: string, name: string): readonly string[] {
  const items = text.split(",", MAX_VALUES + 1);
  if (items.length > MAX_VALUES) throw invalidHeader(name, `it holds more than ${MAX_VALUES} items`);
  return items.map((item) => item.trim()).filter(Boolean);
}
/** More than anybody tags a request with. */
const MAX_VALUES = 5_000;
const LIMITS = { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES };
const TOO_MANY = `it holds more than ${MAX_VALUES} JSON values and names of members`;

/** Reads the gateway headers of a request. What only the gateway writes is taken out of it: nobody behind here sees it. */
export type ReadHeaders = (headers: HeaderMap) => Control;

export const headerReader =
  (classes: HeaderClasses): ReadHeaders =>
  (headers) => {
    const reading = new Reading(classes);
    headers.forEach(readOne, reading);
    if (reading.internal !== undefined) headers.remove(reading.internal);
    return reading.control as Control; // each member has passed its row's schema
  };

class Reading {
  readonly control: Record<string, unknown> = { rest: NO_REST };
  internal: string[] | undefined;
  constructor(readonly classes: HeaderClasses) {}
}
const NO_REST: Control["rest"] = Object.freeze(Object.create(null));

function readOne(this: Reading, text: string, name: string): void {
  const { own, internal } = this.classes.of(name);
  if (own === null) return;
  if (internal) (this.internal ??= []).push(name);
  else readControl(this.control, name, own, text);
}

function readControl(control: Record<string, unknown>, name: string, short: string, text: string): void {
  const key = BY_NAME.get(short) ?? BY_OTHER_NAME.get(OWN_PREFIX + short);
  if (key) setOnce(control, key, headerValue(key, name, text), name);
  else {
    refuseMisspelt(short, name);
    if (control["rest"] === NO_REST) control["rest"] = Object.create(null);
    setOnce(control["rest"] as Record<string, unknown>, short, text, name); // made by the line above
  }
}

/**
 * A header that was probably meant as another is refused: a guardrail or a host that somebody relies on would silently not
 * be there. What is like none of ours may be a field of a provider's target.
 */
function refuseMisspelt(short: string, name: string): void {
  const meant = short.length > MAX_NAME ? undefined : (MEANT.get(short) ?? meantBy(short));
  if (meant) throw invalidHeader(name, `there is none of that name; ${name.slice(0, -short.length)}${meant} was probably meant`);
}
function meantBy(short: string): string {
  const meant = nearest(short, SHORT_NAMES) ?? "";
  MEANT.set(short, meant);
  return meant;
}
const MAX_NAME = 64;
const SHORT_NAMES: readonly string[] = Object.values<HeaderRow>(HEADERS).map((row) => row.name);
/** Which header a name was meant as; empty where it is like none. Names come from clients, so it has an end. */
const MEANT = new LRUCache<string, string>({ max: 1_000 });

/** A header has several names, by its aliases: under two of them it may not say two things. */
function setOnce(values: Record<string, unknown>, key: string, value: unknown, name: string): void {
  const before = values[key];
  if (before !== undefined && !isDeepStrictEqual(before, value))
    throw invalidHeader(name, "it was sent under another name too, with another value");
  values[key] = value;
}

function headerValue(key: HeaderName, name: string, text: string): unknown {
  const row: HeaderRow = HEADERS[key];
  if (row.once && text.includes(",")) throw invalidHeader(name, "it was sent more than once, or holds a comma");
  const value = READ[row.read](text, name);
  if (value === undefined) throw invalidHeader(name, `it must be ${WANTS[row.read]}`);
  const check = CHECKS.get(key);
  const problem = check?.Check(value) ? undefined : check?.Errors(value).First();
  if (problem) throw invalidHeader(name, lowered(problem.message));
  return value;
}

const invalidHeader = (header: string, why: string): GatewayError => new GatewayError("HEADER_INVALID", { header, why }, { param: header });

/**
 * Headers that decide which path is meant and where a request ends: of two, another reader might believe the other; and
 * behind a Host that is none, the runtime leaves the path unresolved.
 */
export function refuseAmbiguous(headers: RequestHeaders): void {
  const host = headers.get("host");
  if (host !== null && !HOST.test(host)) throw invalidHeader("host", "it is no host, or was sent more than once");
  if (headers.get("content-length")?.includes(",")) throw invalidHeader("content-length", "it was sent more than once");
}
/** A name or an address, and a port; empty where the target says it. */
const HOST = /^(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])?(?::\d{0,5})?$/i;

const WANTS: { readonly [R in HeaderRow["read"]]: string } = {
  text: "text",
  flag: "true or false",
  integer: "a whole number",
  json: "a JSON value",
  list: "names separated by commas, or a JSON array of them",
};
