import { Buffer } from "node:buffer";

/*
 * A vendor signs what its model thought and called, takes that back as it was, and refuses what another one signed. A
 * client has one place for a signature, so the vendor's wire stands in it: a conversation may be moved between providers.
 */

const SIGNED_BY = "signedby:";
/** No vendor tells whose it is: a thought that it shows to nobody. */
const REDACTED = "redacted:";

/** A signature as clients are given it. `wire` is the id of the dialect whose models made it; one that says so already stays. */
export const signedBy = (wire: string, signature: string): string =>
  signature.startsWith(SIGNED_BY) ? signature : `${SIGNED_BY}${wire}:${signature}`;

/** The signature as its vendor gave it; nothing where another one made it. What has no mark is taken for the wire's own. */
export function signatureFor(wire: string, signature: unknown): string | undefined {
  if (typeof signature !== "string" || signature === "") return undefined;
  if (!signature.startsWith(SIGNED_BY)) return signature;
  const own = `${SIGNED_BY}${wire}:`;
  return signature.startsWith(own) ? signature.slice(own.length) : undefined;
}

/** A signature, or a redacted thought, for clients that read signatures as bytes and write them anew: base64 of either alphabet. */
export const sealedSignature = (signature: string): string =>
  signature.startsWith(SIGNED_BY) ? Buffer.from(signature).toString("base64") : signature;
export const sealedThought = (data: string): string => Buffer.from(REDACTED + data).toString("base64");

/** What such a client gives back. */
export type Unsealed = { readonly type: "signature"; readonly signature: string } | { readonly type: "redacted"; readonly data: string };
export function unsealed(sealed: string): Unsealed {
  if (sealed.startsWith(SEALED_SIGNATURE)) return { type: "signature", signature: Buffer.from(sealed, "base64").toString() };
  if (!sealed.startsWith(SEALED_THOUGHT)) return { type: "signature", signature: sealed };
  return { type: "redacted", data: Buffer.from(sealed, "base64").toString().slice(REDACTED.length) };
}
/** Three bytes are four characters: a prefix of nine bytes stands for itself. */
const SEALED_SIGNATURE = Buffer.from(SIGNED_BY).toString("base64");
const SEALED_THOUGHT = Buffer.from(REDACTED).toString("base64");
