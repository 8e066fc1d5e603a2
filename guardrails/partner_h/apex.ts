import { Buffer } from "node:buffer";
import { CheckFault, isJson } from "#contract";

/** Where the service of a token is: the token, a JWT, says so itself. The vendor judges its signature. */
export function apexUrl(token: string): string {
  const url = claimIn(token);
  if (url !== undefined && /^https?:\/\//.test(url)) return url.replace(/\/+$/, "");
  throw new CheckFault("auth", "partner_h.scan: the API key is no token of the service: it does not say where that is");
}

function claimIn(token: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    const opaque = isJson(claims) ? claims["opaque"] : undefined;
    const url = isJson(opaque) ? opaque["apex-url"] : undefined;
    return typeof url === "string" ? url : undefined;
  } catch {
    return undefined; // no JWT
  }
}
