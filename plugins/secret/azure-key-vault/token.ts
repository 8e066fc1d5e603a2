import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import { type Handles, isJson } from "#contract";
import type { AzureAuth } from "./auth.ts";

/** A token for Key Vault; a refusal is a sentence. */
export type Tokens = (auth: AzureAuth, signal: AbortSignal) => Promise<{ readonly token: string } | { readonly refused: string }>;
export interface TokenParts {
  readonly send: Handles["fetch"];
  now(): number;
  readonly config: { readonly tenantId: string; readonly clientId: string; readonly federatedTokenFile: string };
}
interface Held {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}
const MAX_HELD = 1_000;
/** The part of its life for which a token is used. */
const USED = 0.8;
const RESOURCE = "https://vault.azure.net";

export function tokens(parts: TokenParts): Tokens {
  const held = new LRUCache<string, Held>({ max: MAX_HELD });
  return async (auth, signal) => {
    const { azure_vault_url: _, ...identity } = auth;
    const name = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
    const known = held.get(name);
    if (known && parts.now() < known.until) return known;
    const answer = await asked(auth, parts, signal);
    if ("refused" in answer) return answer;
    const body: unknown = await answer.json().catch(() => undefined);
    if (answer.status === 400 || answer.status === 401 || answer.status === 403)
      return { refused: `Entra gave no token (${answer.status})` };
    const { access_token: token, expires_in: life } = isJson(body) ? body : {};
    if (typeof token !== "string" || token === "") throw new Error(`Entra answered ${answer.status} and no token`);
    held.set(name, { token, until: parts.now() + (Number(life) || 0) * 1000 * USED });
    return { token };
  };
}

/** An application asks Entra with its secret, and the gateway with the token that its platform gives it: a machine's metadata is never called. */
async function asked(auth: AzureAuth, { send, config }: TokenParts, signal: AbortSignal): Promise<Response | { readonly refused: string }> {
  if (auth.azure_auth_mode === "entra") {
    const { azure_entra_tenant_id: tenant, azure_entra_client_id: client_id, azure_entra_client_secret: client_secret } = auth;
    return askEntra(send, tenant, { client_id, client_secret }, signal);
  }
  const client_id = (auth.azure_auth_mode === "managed" && auth.azure_managed_client_id) || config.clientId;
  if (config.federatedTokenFile === "" || config.tenantId === "" || client_id === "")
    return { refused: "the gateway has no identity of its own: set AZURE_FEDERATED_TOKEN_FILE, AZURE_TENANT_ID and AZURE_CLIENT_ID" };
  const client_assertion = (await readFile(config.federatedTokenFile, "utf8")).trim();
  return askEntra(send, config.tenantId, { client_id, client_assertion_type: ASSERTION, client_assertion }, signal);
}
const ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

const askEntra = (
  send: Handles["fetch"],
  tenant: string,
  proof: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> =>
  send(`https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: `${RESOURCE}/.default`, ...proof }).toString(),
    signal,
  });
