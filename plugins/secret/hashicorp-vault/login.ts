import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import { type Handles, isJson } from "#contract";
import { askVault, type VaultQuestion } from "./ask.ts";
import type { VaultAuth } from "./auth.ts";

export interface Logins {
  /** A token for this sign-in; the one it had before, while that is good. A refusal is a sentence. */
  token(auth: VaultAuth, signal: AbortSignal): Promise<{ readonly token: string } | { readonly refused: string }>;
  /** The token was not accepted: the next one is a new one. Says whether there can be one. */
  forget(auth: VaultAuth): boolean;
}
interface LoginParts {
  readonly fetch: Handles["fetch"];
  now(): number;
  readonly kubernetesAddresses: string;
  readonly kubernetesTokenFile: string;
}
interface Held {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}
const MAX_HELD = 1_000;
/** The part of its lease for which a token is used: another one is fetched while it still holds. */
const USED = 0.8;

export function logins(parts: LoginParts): Logins {
  const held = new LRUCache<string, Held>({ max: MAX_HELD });
  return {
    async token(auth, signal) {
      if (auth.vault_auth_type === "token") return { token: auth.vault_token };
      const known = held.get(nameOf(auth));
      if (known && parts.now() < known.until) return known;
      const question = await questionOf(auth, parts);
      if ("refused" in question) return question;
      const { status, body } = await askVault(parts.fetch, auth, question, signal);
      if (status === 400 || status === 401 || status === 403) return { refused: `the sign-in was refused (${status})` };
      const { client_token: token, lease_duration: lease } = isJson(body["auth"]) ? body["auth"] : {};
      if (typeof token !== "string") throw new Error(`Vault answered a sign-in with ${status} and no token`);
      const seconds = typeof lease === "number" && lease > 0 ? lease : Number.POSITIVE_INFINITY; // 0: it does not expire
      held.set(nameOf(auth), { token, until: parts.now() + seconds * 1000 * USED });
      return { token };
    },
    forget: (auth) => held.delete(nameOf(auth)),
  };
}

async function questionOf(
  auth: Exclude<VaultAuth, { vault_auth_type: "token" }>,
  parts: LoginParts,
): Promise<VaultQuestion | { readonly refused: string }> {
  if (auth.vault_auth_type === "approle")
    return { method: "POST", path: "auth/approle/login", body: { role_id: auth.vault_role_id, secret_id: auth.vault_secret_id } };
  const trusted = parts.kubernetesAddresses.split(",").map(originOf);
  if (!trusted.includes(originOf(auth.vault_addr)))
    return { refused: "the operator has not named its address in VAULT_KUBERNETES_ADDRESSES, and is told nothing of this pod" };
  const jwt = (await readFile(parts.kubernetesTokenFile, "utf8")).trim();
  return { method: "POST", path: "auth/kubernetes/login", body: { role: auth.vault_role, jwt } };
}
const originOf = (address: string): string => (URL.canParse(address.trim()) ? new URL(address.trim()).origin : "");

const nameOf = (auth: VaultAuth): string => createHash("sha256").update(JSON.stringify(auth)).digest("hex");
