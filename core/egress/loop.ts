import { headerList, type RequestHeaders, type Vault } from "#contract";

/** Carries the ids of the gateways a request has passed through, oldest first. */
export const HOP_HEADER = "x-gateway-hop";
/** More gateways than this in a row are a loop that changes its name. */
const MAX_HOPS = 8;

/** Has a request with these headers been here before? The HTTP layer answers it with LOOP_DETECTED. */
export function isLoop(headers: RequestHeaders, gatewayId: string): boolean {
  const value = headers.get(HOP_HEADER);
  if (value === null) return false;
  const hops = headerList(value);
  return hops.length > MAX_HOPS || hops.includes(gatewayId);
}

/** The hops so far and this gateway. What no gateway has written is not passed on. */
export const nextHops = (hops: string | null | undefined, gatewayId: string): string =>
  hops ? [...headerList(hops).filter((hop) => GATEWAY_ID.test(hop)), gatewayId].join(", ") : gatewayId;
/** The same on every node that shares the secret key. */
export const gatewayIdOf = (vault: Pick<Vault, "digest">): string => vault.digest("gateway id").slice(0, 16);
const GATEWAY_ID = /^[0-9a-f]{16}$/;
