import { GatewayError } from "#contract";
import ipaddr from "ipaddr.js";
import { canonicalAddress } from "./address.ts";

/** Does an operator vouch for this host and port? */
export type Trust = (host: string, port: number) => boolean;

const ENTRY = /^(\*\.)?(?:([a-z0-9_.-]+)|\[?([0-9a-f:.]+)\]?)$/i;

/**
 * Reads GATEWAY_TRUSTED_HOSTS entries: `host` (any port), `host:port`, `[ipv6]:port`, and `*.domain` for the names
 * below a domain, not the domain itself. An entry that cannot match is refused, so that a typing error is seen.
 */
export function readTrust(entries: readonly string[]): Trust {
  const exact = new Set<string>();
  const below: { readonly suffix: string; readonly port: string }[] = [];
  for (const entry of entries) {
    const { wildcard, host, port } = readEntry(entry.trim());
    if (wildcard) below.push({ suffix: `.${host}`, port });
    else exact.add(`${host}${port}`);
  }
  return (host, port) =>
    exact.has(host) ||
    exact.has(`${host}:${port}`) ||
    below.some((entry) => host.endsWith(entry.suffix) && (entry.port === "" || entry.port === `:${port}`));
}

function readEntry(entry: string): { readonly wildcard: boolean; readonly host: string; readonly port: string } {
  const port = ipaddr.IPv6.isValid(entry) ? "" : (/:\d{1,5}$/.exec(entry)?.[0] ?? "");
  const [, wildcard, name, ipv6] = ENTRY.exec(entry.slice(0, entry.length - port.length)) ?? [];
  const host = name?.toLowerCase() ?? (ipv6 !== undefined && ipaddr.IPv6.isValid(ipv6) ? canonicalAddress(ipv6) : undefined);
  if (host === undefined || host.startsWith(".") || host.endsWith(".")) {
    throw new GatewayError("SETTING_INVALID", {
      name: "GATEWAY_TRUSTED_HOSTS",
      value: entry,
      why: "write host, host:port, [ipv6]:port or *.domain, separated by commas",
    });
  }
  return { wildcard: wildcard !== undefined, host, port };
}
