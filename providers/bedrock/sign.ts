import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { GatewayError, nextTurn, type OutgoingRequest } from "#contract";
import { AwsV4Signer } from "aws4fetch";
import type { AccessKey } from "./auth.ts";

/** Whom a signature is for. */
export interface Scope {
  /** Signing name: `bedrock`, `sts`. */
  readonly service: string;
  readonly region: string;
}
export type Sign = (request: OutgoingRequest, key: AccessKey, scope: Scope) => Promise<OutgoingRequest>;

/** AWS's own headers; whatever else stands there may be changed on the way without breaking the signature. */
const SIGNED = /^x-amzn?-/;
/** Signing keys are derived once a day for each key, region and service. */
const MAX_DERIVED = 1_000;

/** Makes the signer (SigV4). The body is signed as it will be sent. `now` is in milliseconds since the epoch. */
export function signer(now: () => number): Sign {
  const derived = new Map<string, ArrayBuffer>();
  return async (request, key, { service, region }) => {
    if (derived.size > MAX_DERIVED) derived.clear();
    const headers = new Headers(request.headers);
    headers.delete("x-amz-security-token"); // a forwarded one is of another key
    const body = request.body instanceof ReadableStream ? await bytesOf(request.body) : request.body;
    const { headers: proof } = await new AwsV4Signer({
      method: request.method,
      url: request.url,
      headers: await signable(headers, body),
      accessKeyId: key.id,
      secretAccessKey: key.secret,
      ...(key.sessionToken !== null && { sessionToken: key.sessionToken }),
      service,
      region,
      cache: derived,
      datetime: basicTime(now()),
    }).sign();
    proof.forEach((value, name) => headers.set(name, value));
    return { ...request, headers, body };
  };
}

async function signable(headers: Headers, body: string | Uint8Array | null): Promise<Headers> {
  const own = new Headers([...headers].filter(([name]) => SIGNED.test(name)));
  own.set("x-amz-content-sha256", await sha256(body ?? ""));
  return own;
}
/** Bytes that are hashed before others have their turn. */
const AT_ONCE = 1024 * 1024;
async function sha256(body: string | Uint8Array): Promise<string> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += AT_ONCE) {
    if (at > 0) await nextTurn();
    hash.update(bytes.subarray(at, at + AT_ONCE));
  }
  return hash.digest("hex");
}
/** A body is signed as a whole, so that it is held: no request of Bedrock's is larger. */
const MAX_SIGNED = 32 * 1024 * 1024;
async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > MAX_SIGNED) throw new GatewayError("BODY_TOO_LARGE", { limitMb: MAX_SIGNED / 1024 / 1024 });
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
/** `20260101T000000Z` */
const basicTime = (ms: number): string => new Date(ms).toISOString().replace(/[:-]|\.\d{3}/g, "");
