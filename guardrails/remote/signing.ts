import { createHmac, timingSafeEqual } from "node:crypto";
import { CheckFault } from "#contract";

/*
 * Signatures as Standard Webhooks has them, which libraries of many languages make and verify: the HMAC-SHA-256 of
 * `<id>.<timestamp>.<body>` in base64, behind `v1,`. An answer is signed like its question and under the same id, which was
 * made up for this one question: an answer to another is none to this.
 */

export interface SignedMessage {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

const BASE64_SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
/** `whsec_` and base64, or any text. */
const keyOf = (secret: string): Buffer =>
  Buffer.from(BASE64_SECRET.exec(secret)?.[1] ?? secret, BASE64_SECRET.test(secret) ? "base64" : "utf8");

const MIN_KEY_BYTES = 16;
/** What is wrong with a secret. */
export const secretProblems = (secret: string): readonly string[] =>
  keyOf(secret).length < MIN_KEY_BYTES ? [`secret must have at least ${MIN_KEY_BYTES} bytes`] : [];

const signature = ({ id, timestamp, body }: SignedMessage, secret: string): string =>
  `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64")}`;

/** The headers that say who asks. */
export const signedHeaders = (message: SignedMessage, secret: string): Record<string, string> => ({
  "webhook-id": message.id,
  "webhook-timestamp": String(message.timestamp),
  "webhook-signature": signature(message, secret),
});

const TOLERANCE_SEC = 300;

/** Throws unless the answer is the service's own, to this question, and of now. `who` is the check's id. */
export function verify(
  headers: Headers,
  body: string,
  asked: { readonly id: string; readonly nowSec: number; readonly secret: string },
  who: string,
): void {
  const refuse = (why: string): never => {
    throw new CheckFault("auth", `${who}: the service's answer ${why}`);
  };
  const given = headers.get("webhook-signature");
  if (given === null) return refuse("is not signed");
  const timestamp = Number(headers.get("webhook-timestamp"));
  const expected = signature({ id: asked.id, timestamp, body }, asked.secret);
  const isOwn = headers.get("webhook-id") === asked.id && given.split(" ").some((candidate) => isSame(candidate, expected));
  if (!isOwn) return refuse("has a wrong signature, or is the answer to another question");
  return Math.abs(timestamp - asked.nowSec) <= TOLERANCE_SEC ? undefined : refuse("is too old, or one of the clocks is wrong");
}

/** In a time that does not say how much of it is right. */
function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
