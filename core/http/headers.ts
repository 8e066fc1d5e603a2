import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import type { TSchema } from "@sinclair/typebox";
import { type Control, GatewayError, HEADERS, type HeaderName, type HeaderRow, isJson, type RequestHeaders } from "#contract";
import { lowered } from "../kernel/shape.ts";

/* Gateway request headers are parsed here and nowhere else. */

const PREFIX = "x-gateway-";
const ROWS = Object.entries(HEADERS) as [HeaderName, HeaderRow][];
const CHECKS: ReadonlyMap<HeaderName, TypeCheck<TSchema>> = new Map(ROWS.map(([key, row]) => [key, TypeCompiler.Compile(row.schema)]));
const BY_NAME: ReadonlyMap<string, HeaderName> = new Map(ROWS.map(([key, row]) => [row.name, key]));
const BY_OTHER_NAME: ReadonlyMap<string, HeaderName> = new Map(
  ROWS.flatMap(([key, row]) => (row.also ?? []).map((name) => [name, key] as const)),
);

const READ: { readonly [R in HeaderRow["read"]]: (text: string) => unknown } = {
  text: (text) => text,
  flag: (text) => ({ true: true, "1": true, false: false, "0": false })[text.toLowerCase()],
  integer: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  json: parsed,
  list: (text) =>
    text.trimStart().startsWith("[")
      ? parsed(text)
      : text
          .split(",")
          .map((item) => item.trim())
          .filter(Boolean),
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // judged below, with the header's own sentence
  }
}

/** Is this one of the gateway's own headers? They never reach a provider. */
export type IsControl = (name: string) => boolean;

/** Reads the gateway headers of a request; `aliases` are further prefixes read like `x-gateway-`. */
export function headerReader(aliases: readonly string[]): { read(headers: RequestHeaders): Control; isControl: IsControl } {
  const prefixes = [PREFIX, ...aliases.map((alias) => alias.toLowerCase())];
  return {
    read(headers) {
      const reading = new Reading(prefixes);
      headers.forEach(readOne, reading);
      return reading.control as Control; // each member has passed its row's schema
    },
    isControl: (name) => prefixes.some((prefix) => name.startsWith(prefix)),
  };
}

class Reading {
  readonly control: Record<string, unknown> = { rest: NO_REST };
  constructor(readonly prefixes: readonly string[]) {}
}
const NO_REST: Control["rest"] = Object.freeze(Object.create(null));

function readOne(this: Reading, text: string, name: string): void {
  for (const prefix of this.prefixes) if (name.startsWith(prefix)) return readControl(this.control, name, name.slice(prefix.length), text);
}

function readControl(control: Record<string, unknown>, name: string, short: string, text: string): void {
  const key = BY_NAME.get(short) ?? BY_OTHER_NAME.get(PREFIX + short);
  if (key) control[key] = headerValue(key, name, text);
  else if (control["rest"] === NO_REST) control["rest"] = Object.assign(Object.create(null), { [short]: text });
  else (control["rest"] as Record<string, string>)[short] = text; // made by the line above
}

function headerValue(key: HeaderName, name: string, text: string): unknown {
  const row: HeaderRow = HEADERS[key];
  const value = READ[row.read](text);
  if (value === undefined)
    throw new GatewayError("HEADER_INVALID", { header: name, why: `it must be ${WANTS[row.read]}` }, { param: name });
  const check = CHECKS.get(key);
  const problem = check?.Check(value) ? undefined : check?.Errors(value).First();
  if (problem) throw new GatewayError("HEADER_INVALID", { header: name, why: lowered(problem.message) }, { param: name });
  return value;
}

const WANTS: { readonly [R in HeaderRow["read"]]: string } = {
  text: "text",
  flag: "true or false",
  integer: "a whole number",
  json: "a JSON value",
  list: "names separated by commas, or a JSON array of them",
};

/** Metadata values are strings of at most 128 characters; others are dropped. */
export function metadataOf(raw: unknown): Readonly<Record<string, string>> {
  if (!isJson(raw)) return EMPTY;
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries(raw)) if (typeof value === "string" && value.length <= 128) kept[key] = value;
  return kept;
}
const EMPTY: Readonly<Record<string, string>> = Object.freeze({});
