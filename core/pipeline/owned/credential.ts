import type { Vault } from "#contract";
import type { Resolved } from "../plan/targets.ts";
import { secretFieldsOf } from "../plan/target-schema.ts";

/** What tells the credential of a target from others. */
export interface CredentialMark {
  /** Keyed hash. */
  readonly credential: string;
  readonly integrationId: string | null;
}
type CalledWith = Pick<Resolved, "id" | "provider" | "target" | "kept">;

/**
 * The secrets alone mark it where there are any: what else a target says (a host, an organisation) may be the request's to
 * choose, and another word for it must not make another credential of it.
 */
export function markOf(to: CalledWith, vault: Pick<Vault, "digest">): CredentialMark {
  const secrets = secretsIn(to);
  const marks = secrets.length > 0 ? secrets : [identityOf(to.id), hostOf(to.target.customHost)];
  return { credential: vault.digest(`credential ${JSON.stringify(marks)}`), integrationId: to.kept?.integrationId ?? null };
}

/** A target's key and its secret fields, as texts. */
export function secretsIn({ provider, target }: Pick<Resolved, "provider" | "target">): readonly string[] {
  const fields = secretFieldsOf(provider.target).map((name) => target.fields[name]);
  return [target.apiKey, ...fields].filter((value) => value !== undefined && value !== null && value !== "").map(asText);
}
const asText = (secret: unknown): string => (typeof secret === "string" ? secret : JSON.stringify(secret));

/** Stands for the credential of a saved provider without a key: an identity of the gateway's own. */
export const identityOf = (providerId: string): string => `identity ${providerId}`;
const hostOf = (customHost: string | null): string => (customHost ?? "").toLowerCase().replace(/\/+$/, "");
