import { readFile } from "node:fs/promises";
import { asked, type Grant, jsonOf, saysNo, SCOPE, type TokenParts } from "./token.ts";

const STS = "https://sts.googleapis.com/v1/token";
const ACCOUNTS = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/";

/** A token of the gateway's own identity: what its platform gave it is exchanged (RFC 8693), and for a service account's where one is set. */
export async function federated({ send, now, config }: TokenParts, signal: AbortSignal): Promise<Grant> {
  const { wifAudience: audience, wifTokenFile: file, wifServiceAccountEmail: email } = config;
  if (audience === "" || file === "")
    return { refused: "the gateway has no federated identity: an operator sets GCP_WIF_AUDIENCE and GCP_WIF_TOKEN_FILE" };
  const exchange = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    audience,
    scope: SCOPE,
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    subject_token: (await readFile(file, "utf8")).trim(), // anew each time: the platform replaces it
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  };
  const own = await asked(send, STS, exchange, signal);
  if ("refused" in own || email === "") return own;
  const answer = await send(`${ACCOUNTS}${encodeURIComponent(email)}:generateAccessToken`, {
    method: "POST",
    headers: { authorization: `Bearer ${own.token}`, "content-type": "application/json" },
    body: JSON.stringify({ scope: [SCOPE], lifetime: "3600s" }),
    signal,
  });
  const { accessToken: token, expireTime } = await jsonOf(answer);
  if (saysNo(answer.status)) return { refused: `the gateway's identity may not stand for its service account (${answer.status})` };
  if (typeof token !== "string" || token === "") throw new Error(`Google answered ${answer.status} and no token`);
  return { token, lifeMs: Math.max(0, Date.parse(String(expireTime)) - now()) || 0 };
}
