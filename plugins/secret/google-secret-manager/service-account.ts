import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { importPKCS8, SignJWT } from "jose";
import { asked, type Grant, SCOPE, type TokenParts } from "./token.ts";

const KeyFile = Type.Object({
  client_email: Type.String({ minLength: 1, maxLength: 320 }),
  private_key: Type.String({ minLength: 1 }),
  private_key_id: Type.Optional(Type.String({ maxLength: 320 })),
});
/** Google's own, whatever the key file says: a tenant chooses no address here. */
const ENDPOINT = "https://oauth2.googleapis.com/token";
const LIFE_SEC = 3600;

/** A token of a service account, for an assertion that its key signs (RFC 7523). */
export async function serviceAccount(text: string, { send, now }: Pick<TokenParts, "send" | "now">, signal: AbortSignal): Promise<Grant> {
  const file = keyFileIn(text);
  if (!file) return { refused: "its gcp_service_account_json is no key file of a service account" };
  const assertion = await signed(file, Math.floor(now() / 1000)).catch(() => undefined); // the error may hold parts of the key
  if (assertion === undefined) return { refused: "the private_key of its gcp_service_account_json is no RSA key in PKCS #8 PEM form" };
  return asked(send, ENDPOINT, { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }, signal);
}

function keyFileIn(text: string): Static<typeof KeyFile> | undefined {
  try {
    const file: unknown = JSON.parse(text);
    return Value.Check(KeyFile, file) ? file : undefined;
  } catch {
    return undefined; // the caller says so, without the text
  }
}

async function signed({ client_email, private_key, private_key_id: kid }: Static<typeof KeyFile>, issuedAt: number): Promise<string> {
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(kid !== undefined && { kid }) })
    .setIssuer(client_email)
    .setSubject(client_email)
    .setAudience(ENDPOINT)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFE_SEC)
    .sign(await importPKCS8(private_key, "RS256"));
}
