import { type Handles, isJson, type Json, memberOfText, type SecretManager } from "#contract";
import type { AzureAuth } from "./auth.ts";
import type { Tokens } from "./token.ts";

type Read = Awaited<ReturnType<SecretManager["read"]>>;
const MAX_ANSWER = 256 * 1024;

/** Reads of secrets by name, or by name and version. */
export function reader(send: Handles["fetch"], tokens: Tokens): SecretManager["read"] {
  return async ({ auth, path, key }, signal) => {
    const as = auth as unknown as AzureAuth; // the manager's own schema accepted it when it was saved
    if (!/^[A-Za-z0-9-]+(\/[A-Za-z0-9]+)?$/.test(path)) return { missing: "its path is no name of a secret" };
    const { protocol, hostname, origin } = new URL(as.azure_vault_url);
    if (protocol !== "https:" || !hostname.endsWith(".vault.azure.net"))
      return { missing: "its address is no vault under vault.azure.net" };
    const login = await tokens(as, signal);
    if ("refused" in login) return { missing: login.refused };
    const headers = { authorization: `Bearer ${login.token}` };
    const answer = await send(`${origin}/secrets/${path}?api-version=7.4`, { headers, signal, maxAnswerBytes: MAX_ANSWER });
    const json: unknown = await answer.json().catch(() => undefined);
    return valueIn(answer.status, isJson(json) ? json : {}, key);
  };
}

function valueIn(status: number, { value, attributes }: Json, key: string | null): Read {
  if (status === 404) return { missing: "Key Vault has no such secret (404)" };
  if (status === 401 || status === 403) return { missing: `Key Vault does not let its sign-in read it (${status})` };
  if (status !== 200 || typeof value !== "string") throw new Error(`Key Vault answered ${status}`);
  const ends = isJson(attributes) && typeof attributes["exp"] === "number" ? { expiresAt: attributes["exp"] * 1000 } : {};
  const read = memberOfText(value, key);
  return "missing" in read ? read : { ...read, ...ends };
}
