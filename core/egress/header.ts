import { HOP_HEADER, listOf, nextHops } from "./loop.ts";

/** Hop-by-hop (RFC 9110 7.6.1), framing that fetch writes itself, and what a browser keeps between requests. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "http2-settings",
  "host",
  "content-length",
  "cookie",
  "cookie2",
]);

export interface HeaderRules {
  readonly gatewayId: string;
  /** `x-gateway-` and its aliases, lower case: control headers stay here. */
  readonly controlPrefixes: readonly string[];
}

/** Headers by their names in lower case: a plain object crosses into the runtime once, a Headers object at each member. */
export type HeaderRecord = Record<string, string>;

/** The headers that leave. `host` is given when the connection goes to an address instead of the name. */
export function outgoingHeaders(
  given: Readonly<HeaderRecord>,
  rules: HeaderRules,
  hops: string | null | undefined,
  host: string | null,
): HeaderRecord {
  const named = given["connection"] === undefined ? NOTHING : listOf(given["connection"].toLowerCase());
  const out: HeaderRecord = {};
  for (const name in given)
    if (!NEVER_SENT.has(name) && !named.includes(name) && !startsWithAny(name, rules.controlPrefixes)) out[name] = given[name] ?? "";
  out[HOP_HEADER] = nextHops(hops, rules.gatewayId);
  if (host !== null) out["host"] = host;
  return out;
}

const NOTHING: readonly string[] = [];

function startsWithAny(name: string, prefixes: readonly string[]): boolean {
  for (const prefix of prefixes) if (name.startsWith(prefix)) return true;
  return false;
}
