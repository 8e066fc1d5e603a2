import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify, type JWTVerifyOptions } from "jose";
import { Refused } from "./refused.ts";
import type { KeySet } from "./key-sets.ts";

/** What a token says, once it is known who signed it. */
export interface Claims {
  readonly header: JWTHeaderParameters;
  readonly payload: JWTPayload;
}

/** Some key of these sets has signed the token, or it throws `Refused`; `undefined` where none of them is the one that it names. */
export async function verified(token: string, sets: readonly KeySet[], options: JWTVerifyOptions): Promise<Claims | undefined> {
  let forged: unknown;
  for (const keys of sets) {
    try {
      return await verifiedBy(token, keys, options);
    } catch (thrown) {
      if (thrown instanceof errors.JWKSNoMatchingKey) continue;
      if (!(thrown instanceof errors.JWSSignatureVerificationFailed)) throw refusalOf(thrown);
      forged = thrown; // two issuers may give their keys the same name
    }
  }
  if (forged !== undefined) throw refusalOf(forged);
  return undefined;
}

async function verifiedBy(token: string, keys: KeySet, options: JWTVerifyOptions): Promise<Claims> {
  try {
    const { protectedHeader: header, payload } = await jwtVerify(token, keys, options);
    return { header, payload };
  } catch (thrown) {
    if (thrown instanceof errors.JWKSMultipleMatchingKeys) return verifiedByOne(token, thrown, options);
    throw thrown;
  }
}

/** The token does not say which of them it means. */
const MAX_TRIED = 10;
async function verifiedByOne(token: string, several: errors.JWKSMultipleMatchingKeys, options: JWTVerifyOptions): Promise<Claims> {
  let tried = 0;
  for await (const key of several) {
    if (++tried > MAX_TRIED) break;
    try {
      const { protectedHeader: header, payload } = await jwtVerify(token, key, options);
      return { header, payload };
    } catch (thrown) {
      if (!(thrown instanceof errors.JWSSignatureVerificationFailed)) throw thrown;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

/** A sentence for a client: without the token, and without what it says. */
function refusalOf(thrown: unknown): unknown {
  if (thrown instanceof errors.JWTExpired) return new Refused("The token has expired.");
  if (thrown instanceof errors.JWTClaimValidationFailed) return new Refused(`The token's claim ${thrown.claim} is not as it must be.`);
  if (thrown instanceof errors.JOSEAlgNotAllowed) return new Refused("The token is signed with an algorithm that is not allowed.");
  if (thrown instanceof errors.JWSSignatureVerificationFailed) return new Refused("The token's signature is not valid.");
  return thrown instanceof errors.JOSEError ? new Refused("The token is not a valid JWT.") : thrown;
}
