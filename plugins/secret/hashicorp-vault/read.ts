import { type Handles, isJson, memberOf, type SecretManager } from "#contract";
import { askVault, type VaultAnswer } from "./ask.ts";
import type { VaultAuth } from "./auth.ts";
import type { Logins } from "./login.ts";

/** Reads of the key-value engine. The path is the API's own: `secret/data/app` of version 2, `kv/app` of version 1. */
export function reader(fetch: Handles["fetch"], logins: Logins): SecretManager["read"] {
  return async ({ auth, path, key }, signal) => {
    const as = auth as unknown as VaultAuth; // the manager's own schema accepted it when it was saved
    const place = encoded(path);
    if (place === undefined) return { missing: "its path leads elsewhere" };
    const attempt = async (): Promise<VaultAnswer | { readonly missing: string }> => {
      const login = await logins.token(as, signal);
      return "refused" in login
        ? { missing: login.refused }
        : askVault(fetch, as, { method: "GET", path: place, token: login.token }, signal);
    };
    let answer = await attempt();
    if ("status" in answer && answer.status === 403 && logins.forget(as)) answer = await attempt(); // its token may have been revoked
    return "missing" in answer ? answer : valueIn(answer, key);
  };
}

function valueIn({ status, body }: VaultAnswer, key: string | null): Awaited<ReturnType<SecretManager["read"]>> {
  if (status === 404) return { missing: "Vault keeps nothing at its path (404)" };
  if (status === 401 || status === 403) return { missing: `Vault does not let its sign-in read it (${status})` };
  const data = isJson(body["data"]) ? body["data"] : undefined;
  if (status !== 200 || data === undefined) throw new Error(`Vault answered ${status}`);
  return memberOf(isJson(data["data"]) && isJson(data["metadata"]) ? data["data"] : data, key);
}

/** A path of Vault's, which no part of leads out of. */
function encoded(path: string): string | undefined {
  const parts = path.replace(/^\/+|\/+$/g, "").split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) return undefined;
  return parts.map(encodeURIComponent).join("/");
}
