import { isIP } from "node:net";
import type { RequestHeaders } from "#contract";
import { isPublicAddress } from "../../egress/address.ts";
import type { AskedBy } from "./acting.ts";
import { maskedQuery } from "./mask.ts";

export interface Asking {
  readonly method: string;
  readonly path: string;
  /** Its query, with the question mark. */
  readonly search: string;
  readonly headers: Pick<RequestHeaders, "get">;
  readonly requestId: string;
  /** Of the connection; null where it is not known. */
  readonly address: string | null;
}

/** Characters that an entry keeps of a path and a query, and of what else a client says of itself: anybody may say it. */
const MAX_TEXT = 1_024;
const MAX_HEADER = 256;
/** Headers that say where a request came from, and hold no credential. */
const KEPT = ["user-agent", "content-type", "accept", "origin", "host", "x-forwarded-for", "x-real-ip", "traceparent"] as const;
/** What proxies call the client's country. */
const COUNTRY = ["cf-ipcountry", "cloudfront-viewer-country", "x-vercel-ip-country", "x-country-code"] as const;

/** What a proxy says of its client. Proxies stand beside the gateway: who comes from a public address may say what it likes. */
function forwardedFor(said: (name: string) => string | null): string | null {
  const first = said("x-forwarded-for")?.split(",")[0]?.trim() || said("x-real-ip")?.trim();
  return first && isIP(first) !== 0 ? first : null;
}

/** A request as entries tell of it. */
export function askedBy({ method, path, search, headers, requestId, address }: Asking): AskedBy {
  const said = (name: string): string | null => headers.get(name)?.slice(0, MAX_HEADER).toWellFormed() ?? null;
  const kept = KEPT.flatMap((name) => (said(name) === null ? [] : [[name, said(name)] as const]));
  const forwarded = address !== null && isPublicAddress(address) ? null : forwardedFor(said);
  return {
    method,
    uri: path.slice(0, MAX_TEXT).toWellFormed(),
    query_params: maskedQuery(search)?.slice(0, MAX_TEXT) ?? null,
    request_id: requestId.slice(0, MAX_HEADER).toWellFormed(),
    request_headers: Object.fromEntries(kept),
    client_ip: forwarded ?? address,
    user_agent: said("user-agent"),
    country: COUNTRY.map(said).find((name) => name !== null) ?? null,
  };
}
