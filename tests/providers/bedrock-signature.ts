/** SigV4 as AWS's documentation tells it, written out a second time: what a signed request claims, and whether it holds. */
import { createHash, createHmac } from "node:crypto";

export interface SignedRequest {
  readonly method: string;
  /** Path and query as they were on the wire. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}
export interface Claim {
  /** The signature is the one this secret gives. */
  readonly authentic: boolean;
  readonly keyId: string;
  readonly region: string;
  readonly service: string;
  readonly sessionToken: string | null;
  readonly signed: readonly string[];
}
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w{64})$/;

/** Throws when the request is not signed at all. */
export function claimOf(request: SignedRequest, secret: string): Claim {
  const { headers } = request;
  const match = AUTHORIZATION.exec(headers.get("authorization") ?? "");
  if (!match) throw new Error(`not a signed request: ${headers.get("authorization")}`);
  const [, keyId = "", day = "", region = "", service = "", names = "", signature = ""] = match;
  const signed = names.split(";");
  const time = headers.get("x-amz-date") ?? "";
  const text = ["AWS4-HMAC-SHA256", time, `${day}/${region}/${service}/aws4_request`, sha256(canonical(request, signed))].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${secret}`);
  return {
    authentic: hmac(key, text).toString("hex") === signature && time.startsWith(day) && isWhole(request, signed),
    keyId,
    region,
    service,
    sessionToken: headers.get("x-amz-security-token"),
    signed,
  };
}

/** Whatever AWS wants under the signature is there, and the body is the one it names. */
function isWhole({ headers, body }: SignedRequest, signed: readonly string[]): boolean {
  const named = headers.get("x-amz-content-sha256");
  const amz = [...headers.keys()].filter((name) => name.startsWith("x-amz-"));
  return ["host", "x-amz-date", ...amz].every((name) => signed.includes(name)) && (named === null || named === sha256(body));
}

function canonical({ method, path, headers, body }: SignedRequest, signed: readonly string[]): string {
  const [way = "", query = ""] = path.split("?", 2);
  const lines = signed.map((name) => `${name}:${(headers.get(name) ?? "").trim().replace(/ +/g, " ")}\n`);
  return [
    method,
    way.replace(/\/+/g, "/").split("/").map(encoded).join("/"),
    sortedQuery(query),
    lines.join(""),
    signed.join(";"),
    sha256(body),
  ].join("\n");
}
const sortedQuery = (query: string): string =>
  [...new URLSearchParams(query)]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join("&");
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest();
