import ipaddr from "ipaddr.js";

const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");
const DUMMY_IPV6 = ipaddr.IPv6.parseCIDR("100:0:0:1::/64");

/**
 * May the gateway connect to this address? Only to global unicast by the IANA special-purpose tables: an allow-list,
 * so that a range nobody thought of is refused. IPv4 inside IPv6 is refused too, except behind the NAT64 prefix, which
 * resolvers of IPv6-only networks put before public addresses; there the IPv4 address inside is judged.
 */
export function isPublicAddress(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return isPublicIpv4(ipaddr.IPv4.parse(text));
  if (!ipaddr.IPv6.isValid(text) || text.includes("%")) return false;
  const address = ipaddr.IPv6.parse(text);
  const inside = behindNat64(address);
  if (inside !== undefined) return isPublicIpv4(inside);
  return address.range() === "unicast" && address.match(GLOBAL_IPV6) && !address.match(DUMMY_IPV6);
}

/** 192.0.0.0/24 holds two anycast addresses that are global; the whole range is blocked all the same. */
const isPublicIpv4 = (address: ipaddr.IPv4): boolean => address.range() === "unicast";

/** 64:ff9b::/96 only: 64:ff9b:1::/48 is for local translation. */
function behindNat64(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const [a, b, c, d, e, f, high = 0, low = 0] = address.parts;
  if (a !== 0x64 || b !== 0xff9b || c !== 0 || d !== 0 || e !== 0 || f !== 0) return undefined;
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}

/** One spelling per address: lower case, shortest form. */
export const canonicalAddress = (text: string): string => ipaddr.parse(text).toString();
