import { importPKCS8, SignJWT } from "jose";
import type { ServiceAccount } from "./service-account.ts";
import { incomplete } from "./target.ts";
import { asked, keptTokens, type Outside, SCOPE, type Token } from "./token-endpoint.ts";

const GOOGLE = "https://oauth2.googleapis.com/token";
const LIFE_SEC = 3600;

/** Access tokens of service accounts: a signed assertion is exchanged at the account's token endpoint (RFC 7523). */
export const accessTokens = (outside: Outside, patienceMs?: number): ((account: ServiceAccount) => Promise<string>) => {
  const tokenOf = keptTokens<Identity>(outside, (account) => exchanged(account, outside, patienceMs));
  return ({ client_email, private_key, private_key_id, token_uri }) => tokenOf({ client_email, private_key, private_key_id, token_uri });
};
/** What of a key file makes it this account. */
interface Identity extends Pick<ServiceAccount, "client_email" | "private_key"> {
  readonly private_key_id: string | undefined;
  readonly token_uri: string | undefined;
}

async function exchanged(account: Identity, outside: Outside, patienceMs?: number): Promise<Token> {
  const url = tokenUrl(account);
  const form = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: await assertion(account, url.href, outside.now()) };
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return asked({ url, headers, body: new URLSearchParams(form).toString() }, outside, { patienceMs });
}

/** Whoever gives a key file chooses this address: egress keeps it off private hosts, and plain http to this very machine. */
function tokenUrl({ token_uri = GOOGLE }: Identity): URL {
  const url = URL.canParse(token_uri) ? new URL(token_uri) : null;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.has(url.hostname));
  if (!url || !isSafe) throw incomplete("vertex_service_account_json", "has a token_uri that is not an https address");
  return url;
}
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

async function assertion(account: Identity, audience: string, nowMs: number): Promise<string> {
  try {
    return await signed(account, audience, Math.floor(nowMs / 1000));
  } catch {
    const why = "has a private_key that is not an RSA key of 2048 bits or more in PKCS #8 PEM form";
    throw incomplete("vertex_service_account_json", why); // the cause may hold parts of the key
  }
}
async function signed(account: Identity, audience: string, issuedAt: number): Promise<string> {
  const { client_email: email, private_key_id: kid } = account;
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(kid !== undefined && { kid }) })
    .setIssuer(email)
    .setSubject(email)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFE_SEC)
    .sign(await importPKCS8(account.private_key, "RS256"));
}
