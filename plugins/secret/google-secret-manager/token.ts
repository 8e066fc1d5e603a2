import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type Handles, isJson, type Json } from "#contract";
import type { GoogleAuth } from "./auth.ts";
import { federated } from "./federated.ts";
import { serviceAccount } from "./service-account.ts";

/** A token for Google's APIs, or the sentence of a refusal. */
export type Granted = { readonly token: string } | { readonly refused: string };
export type Tokens = (auth: GoogleAuth, signal: AbortSignal) => Promise<Granted>;
export interface TokenParts {
  readonly send: Handles["fetch"];
  now(): number;
  readonly config: { readonly wifAudience: string; readonly wifServiceAccountEmail: string; readonly wifTokenFile: string };
}
/** What a token endpoint gave. */
export type Grant = { readonly token: string; readonly lifeMs: number } | { readonly refused: string };

export const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const MAX_HELD = 1_000;
/** The part of its life for which a token is used. */
const USED = 0.8;

export function tokens(parts: TokenParts): Tokens {
  const held = new LRUCache<string, { readonly token: string; readonly until: number }>({ max: MAX_HELD });
  return async (auth, signal) => {
    const name = createHash("sha256").update(JSON.stringify(auth)).digest("hex");
    const known = held.get(name);
    if (known && parts.now() < known.until) return known;
    const grant =
      auth.gcp_auth_type === "wif" ? await federated(parts, signal) : await serviceAccount(auth.gcp_service_account_json, parts, signal);
    if ("refused" in grant) return grant;
    held.set(name, { token: grant.token, until: parts.now() + grant.lifeMs * USED });
    return grant;
  };
}

/** Asks a token endpoint with a form (RFC 6749). A throw where it could not say. */
export async function asked(
  send: Handles["fetch"],
  url: string,
  form: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Grant> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await send(url, { method: "POST", headers, body: new URLSearchParams(form).toString(), signal });
  const { access_token: token, expires_in: life } = await jsonOf(answer);
  if (saysNo(answer.status)) return { refused: `${new URL(url).host} gave no token (${answer.status})` };
  if (typeof token !== "string" || token === "") throw new Error(`${new URL(url).host} answered ${answer.status} and no token`);
  return { token, lifeMs: (Number(life) || 0) * 1000 };
}
export const saysNo = (status: number): boolean => status === 400 || status === 401 || status === 403 || status === 404;
export async function jsonOf(answer: Response): Promise<Json> {
  const body: unknown = await answer.json().catch(() => undefined);
  return isJson(body) ? body : {};
}
