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

/**
 * The headers that leave. `host` is given when the connection goes to an address instead of the name. What is given
 * is used itself when nothing of it must stay here, and copied otherwise.
 */
export function outgoingHeaders(given: Headers, rules: HeaderRules, hops: string | null | undefined, host: string | null): Headers {
  const out = passable(given, rules);
  out.set(HOP_HEADER, nextHops(hops, rules.gatewayId));
  if (host !== null) out.set("host", host);
  return out;
}

function passable(given: Headers, rules: HeaderRules): Headers {
  const connection = given.get("connection");
  const named = connection === null ? NOTHING : listOf(connection.toLowerCase());
  const dropped: string[] = [];
  given.forEach((_, name) => {
    if (NEVER_SENT.has(name) || named.includes(name) || startsWithAny(name, rules.controlPrefixes)) dropped.push(name);
  });
  if (dropped.length === 0) return given;
  const out = new Headers(given);
  for (const name of dropped) out.delete(name);
  return out;
}

const NOTHING: readonly string[] = [];

function startsWithAny(name: string, prefixes: readonly string[]): boolean {
  for (const prefix of prefixes) if (name.startsWith(prefix)) return true;
  return false;
}
