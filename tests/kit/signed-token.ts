import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { Json } from "#contract";

/** Who signs tokens, and the key by which that can be told. */
export interface Signer {
  readonly jwk: JWK;
  readonly key: CryptoKey;
}
export async function signer(kid: string): Promise<Signer> {
  const { privateKey: key, publicKey } = await generateKeyPair("RS256", { extractable: true });
  return { key, jwk: { ...(await exportJWK(publicKey)), kid } };
}

export interface TokenMembers {
  readonly claims?: Json;
  readonly header?: Json;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
}
/** A token of `ada`, with more claims and members of its header. */
export const signedToken = ({ key, jwk }: Signer, { claims = {}, header = {}, issuedAt }: TokenMembers): Promise<string> =>
  new SignJWT({ sub: "ada", ...claims })
    .setProtectedHeader({ alg: "RS256", ...(jwk.kid && { kid: jwk.kid }), ...header })
    .setIssuedAt(issuedAt)
    .sign(key);
