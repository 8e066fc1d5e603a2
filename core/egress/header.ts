import { type HeaderClasses, headerList, type HeaderRecord } from "#contract";
import { HOP_HEADER, nextHops } from "./loop.ts";

export interface HeaderRules {
  readonly gatewayId: string;
  /** What a header's name says of it: some never leave. */
  readonly headers: HeaderClasses;
}

/** Where a request goes, as far as its headers depend on it. */
export interface Destination {
  /** Given when the connection goes to an address instead of the name. */
  readonly host: string | null;
  /** A trusted host may lead back to this gateway, and is told its mark; a vendor learns nothing of it. */
  readonly mayLoop: boolean;
}

/** The headers that leave. */
export function outgoingHeaders(
  given: Readonly<HeaderRecord>,
  rules: HeaderRules,
  hops: string | null | undefined,
  to: Destination,
): HeaderRecord {
  const named = given["connection"] === undefined ? NOTHING : headerList(given["connection"].toLowerCase());
  const out: HeaderRecord = {};
  for (const name in given) if (rules.headers.of(name).leaves && !named.includes(name)) out[name] = given[name] ?? "";
  if (to.mayLoop) out[HOP_HEADER] = nextHops(hops, rules.gatewayId);
  if (to.host !== null) out["host"] = to.host;
  return out;
}

const NOTHING: readonly string[] = [];
