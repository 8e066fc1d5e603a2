import { GatewayError } from "#contract";

/**
 * What went wrong on the network, in words of our own: the runtime's messages hold the whole URL.
 * Codes are those of Bun 1.4.5 and Node.
 */
const WHY: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ConnectionRefused: "the connection was refused",
  ECONNRESET: "the connection was closed before the answer was complete",
  ConnectionClosed: "the connection was closed before the answer was complete",
  EPIPE: "the connection was closed before the request was sent",
  ETIMEDOUT: "the connection timed out",
  ENETUNREACH: "there is no route to its network",
  EHOSTUNREACH: "there is no route to it",
  ENOTFOUND: "its name could not be resolved",
  EAI_AGAIN: "its name could not be resolved just now",
  ESERVFAIL: "its name could not be resolved just now",
  ETIMEOUT: "its name could not be resolved in time",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an authority that is not trusted here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is signed by an authority that is not trusted here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is signed by an authority that is not trusted here",
};

/** No byte of the request was sent: another address may be tried. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ConnectionRefused",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EADDRNOTAVAIL",
  "EAFNOSUPPORT",
  "FailedToOpenSocket",
]);

export const neverConnected = (thrown: unknown): boolean => NOT_CONNECTED.has(codeOf(thrown));

export function unreachable(caller: string, thrown: unknown): GatewayError {
  if (GatewayError.is(thrown)) return thrown;
  const code = codeOf(thrown);
  return new GatewayError("UPSTREAM_UNREACHABLE", {
    provider: caller,
    why: WHY[code] ?? `network error${/^\w{1,64}$/.test(code) ? ` ${code}` : ""}`,
  });
}

function codeOf(thrown: unknown): string {
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : "";
  return typeof code === "string" ? code : "";
}
