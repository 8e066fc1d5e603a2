import { GatewayError, type RequestHeaders } from "#contract";

/* Where in a request the key of who asks stands, and where, beside it, the provider's own. */

/** Where clients of some vendors put their only key; the first that says one counts. */
const vendorKey = (headers: RequestHeaders): string => headers.get("x-api-key") || headers.get("x-goog-api-key") || "";

/** The gateway's key: in the header of its own, which has been read already, as the bearer token, or where there is no other. */
export const callerKey = (headers: RequestHeaders, own: string | undefined): string => own ?? (bearerToken(headers) || vendorKey(headers));

/** The provider's key: the bearer token is the gateway's own where that came in no header of its own. */
export const providerKey = (headers: RequestHeaders, own: string | undefined): string =>
  (own === undefined ? "" : judgedToken(headers)) || vendorKey(headers);

/** The same as `callerKey`, of a request whose headers are not judged yet. */
export const judgedCallerKey = (headers: RequestHeaders, own: string | undefined): string =>
  own ?? (judgedToken(headers) || vendorKey(headers));

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
