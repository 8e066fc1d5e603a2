import { readFile } from "node:fs/promises";
import { GatewayError, type Target } from "#contract";
import { asked, GENERATED, keptTokens, type Outside, SCOPE, type Token } from "./token-endpoint.ts";
import type { Settings } from "./settings.ts";
import { fieldsOf, incomplete, PROVIDER } from "./target.ts";

const STS = "https://sts.googleapis.com/v1/token";
const ACCOUNTS = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/";

/** Somebody whom a workload identity pool knows. */
export interface Federated {
  readonly audience: string;
  /** The account that it stands for; without one it asks as itself. */
  readonly email: string | undefined;
  /** Its own token, or the file that the platform keeps the gateway's in. */
  readonly subject: { readonly token: string } | { readonly file: string };
}

/** Tokens of federated identities: exchanged at Google's token service (RFC 8693), and for a service account's where one is named. */
export const federatedTokens = (outside: Outside, patienceMs?: number): ((identity: Federated) => Promise<string>) =>
  keptTokens(outside, (identity) => exchanged(identity, outside, patienceMs));

async function exchanged({ audience, email, subject }: Federated, outside: Outside, patienceMs?: number): Promise<Token> {
  const form = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    audience,
    scope: SCOPE,
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    subject_token: "token" in subject ? subject.token.trim() : await tokenIn(subject.file),
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  };
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const own = await asked({ url: new URL(STS), headers, body: new URLSearchParams(form).toString() }, outside, { patienceMs });
  if (email === undefined) return own;
  const url = new URL(`${ACCOUNTS}${encodeURIComponent(email)}:generateAccessToken`);
  const body = JSON.stringify({ scope: [SCOPE], lifetime: "3600s" });
  const asIdentity = { authorization: `Bearer ${own.text}`, "content-type": "application/json" };
  return asked({ url, headers: asIdentity, body }, outside, { patienceMs, read: GENERATED });
}

/** Read anew each time: the platform replaces the file before its token expires. */
const tokenIn = (file: string): Promise<string> =>
  readFile(file, "utf8").then(
    (text) => text.trim(),
    (cause: unknown) => {
      const why = "the file that GCP_WIF_TOKEN_FILE names cannot be read";
      throw new GatewayError("PROVIDER_UNAVAILABLE", { provider: PROVIDER, why }, { cause });
    },
  );

/**
 * Whom the target asks as. With a token of its own it says itself which pool knows it and whom it stands for; the gateway's
 * identity does so where its operator says alone: pools of others may trust it too, and a caller may not choose among them.
 */
export function federatedOf(at: Target, settings: Settings): Federated {
  const { vertex_wif_subject_token: token, vertex_wif_audience: audience, vertex_wif_service_account_email: email } = fieldsOf(at);
  if (token !== undefined) {
    if (audience === undefined)
      throw incomplete("vertex_wif_audience", "is missing; it names the pool that knows vertex_wif_subject_token");
    return { audience, email, subject: { token } };
  }
  if (audience !== undefined || email !== undefined)
    throw incomplete(
      "vertex_wif_subject_token",
      "is missing; as the gateway's own identity, audience and account are the operator's to say",
    );
  return gatewaysOwn(at, settings);
}

function gatewaysOwn({ customHost }: Target, { wifAudience, wifServiceAccountEmail, wifTokenFile }: Settings): Federated {
  if (wifAudience === undefined || wifTokenFile === undefined)
    throw incomplete(
      "vertex_auth_type",
      "is wif, and this gateway has no federated identity; GCP_WIF_AUDIENCE or GCP_WIF_TOKEN_FILE is not set",
    );
  if (customHost !== null && !OF_GOOGLE.test(customHost))
    throw new GatewayError(
      "TARGET_INVALID",
      { provider: PROVIDER, why: "vertex_auth_type wif sends the gateway's own token to hosts of Google only" },
      { param: "custom_host" },
    );
  return { audience: wifAudience, email: wifServiceAccountEmail, subject: { file: wifTokenFile } };
}
const OF_GOOGLE = /^https:\/\/([a-z0-9-]+\.)*(googleapis\.com)(\/|$)/i;
