import { GatewayError, type RequestHeaders } from "#contract";

/* Where in a request the key of who asks stands, and where, beside it, the provider's own. */

/** Headers in which clients say the one key that they have, beside the bearer token, in the order in which they are looked at. */
export type KeyHeaders = readonly string[];
/** With those that the dialects of a generation's plugins have for it. */
export const keyHeadersOf = (declared: Iterable<string>): KeyHeaders => [...new Set(["x-api-key", ...declared])];

/** The first that says one counts. */
function onlyKey(headers: RequestHeaders, names: KeyHeaders): string {
  for (const name of names) {
    const key = headers.get(name);
    if (key) return key;
  }
  return "";
}

/** The gateway's key: in the header of its own, which has been read already, as the bearer token, or where there is no other. */
export const callerKey = (headers: RequestHeaders, own: string | undefined, names: KeyHeaders): string =>
  own ?? (bearerToken(headers) || onlyKey(headers, names));

/** The provider's key: the bearer token is the gateway's own where that came in no header of its own. */
export const providerKey = (headers: RequestHeaders, own: string | undefined, names: KeyHeaders): string =>
  (own === undefined ? "" : judgedToken(headers)) || onlyKey(headers, names);

/** The same as `callerKey`, of a request whose headers are not judged yet. */
export const judgedCallerKey = (headers: RequestHeaders, own: string | undefined, names: KeyHeaders): string =>
  own ?? (judgedToken(headers) || onlyKey(headers, names));

function judgedToken(headers: RequestHeaders): string {
  const token = bearerToken(headers);
  if (token.includes(","))
    throw new GatewayError(
      "HEADER_INVALID",
      { header: "authorization", why: "it was sent more than once, or its token holds a comma" },
      { param: "authorization" },
    );
  return token;
}

function bearerToken(headers: RequestHeaders): string {
  const value = headers.get("authorization") ?? "";
  return value.slice(0, 7).toLowerCase() === "bearer " ? value.slice(7).trim() : "";
}
