import { headerList, type SocketMessages } from "#contract";
import type { HeaderMap } from "./header-map.ts";
import { type KeylessQuery, withoutKey } from "./query-key.ts";

const PROTOCOLS = "sec-websocket-protocol";

/**
 * Clients that cannot set headers say their key in a sub-protocol or in the query. The one in a sub-protocol is read as the
 * bearer token that it stands for, unless there is one; neither goes any further where it was.
 */
export function withoutSocketKey(
  headers: HeaderMap,
  search: string,
  { protocolPrefix, query }: NonNullable<SocketMessages["key"]>,
): KeylessQuery {
  const offered = headerList(headers.get(PROTOCOLS) ?? "");
  const key = offered.find((protocol) => protocol.startsWith(protocolPrefix))?.slice(protocolPrefix.length);
  if (key !== undefined) {
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${key}`);
    headers.set(PROTOCOLS, offered.filter((protocol) => !protocol.startsWith(protocolPrefix)).join(", "));
  }
  return withoutKey(search, query);
}
