import type { Handles, Json } from "#contract";
import { isJson } from "#contract";
import type { VaultAuth } from "./auth.ts";

export interface VaultAnswer {
  readonly status: number;
  readonly body: Json;
}
export interface VaultQuestion {
  readonly method: "GET" | "POST";
  /** Below `/v1/`. */
  readonly path: string;
  readonly token?: string;
  readonly body?: Json;
}
const MAX_ANSWER = 1024 * 1024;

/** Asks a Vault; what is no JSON is an empty answer. */
export async function askVault(
  send: Handles["fetch"],
  { vault_addr: address, vault_namespace: namespace }: Pick<VaultAuth, "vault_addr" | "vault_namespace">,
  { method, path, token, body }: VaultQuestion,
  signal: AbortSignal,
): Promise<VaultAnswer> {
  const headers: Record<string, string> = { "X-Vault-Request": "true" };
  if (namespace) headers["X-Vault-Namespace"] = namespace;
  if (token !== undefined) headers["X-Vault-Token"] = token;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const url = `${address.replace(/\/+$/, "")}/v1/${path}`;
  const answer = await send(url, { method, headers, signal, maxAnswerBytes: MAX_ANSWER, ...(body && { body: JSON.stringify(body) }) });
  const parsed: unknown = await answer.json().catch(() => undefined);
  return { status: answer.status, body: isJson(parsed) ? parsed : {} };
}
