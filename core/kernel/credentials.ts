import type { TObject } from "@sinclair/typebox";
import {
  after,
  GatewayError,
  type GuardrailPack,
  isJson,
  type Json,
  type MaybePromise,
  openSecrets,
  PluginCredentials,
  type RecordsHandle,
  type TenantIds,
  type Vault,
} from "#contract";
import type { Provided } from "./generation.ts";
import { type MappedValue, mappedValues } from "./secrets/mapped.ts";
import type { ReadReference } from "./secrets/references.ts";
import { secretIfAny, type SecretParts } from "./secrets/secrets.ts";

/** Finds the account of a tenant with a pack's vendor: see `CheckInput.credentials`. */
export type FindCredentials = (tenant: TenantIds) => MaybePromise<Json>;

export interface CredentialParts {
  readonly records: RecordsHandle;
  readonly vault: Pick<Vault, "open">;
  readonly secrets: SecretParts;
  /** What the mapped members of an account are read with. */
  readonly read: ReadReference;
}

/**
 * Makes the finders of packs. The workspace's account goes before its organisation's, and both before the deployment's.
 * An account is never put together from two: a tenant's address would be told the operator's key.
 */
export function credentialFinders({ records, vault, secrets, read }: CredentialParts): (pack: Provided<GuardrailPack>) => FindCredentials {
  const saved = records.lookup(PluginCredentials, ["tenant", "plugin_id"], ({ credentials, secret_mappings: mappings }) => ({
    account: openSecrets(credentials, vault),
    mappings: mappings ?? [],
  }));
  const kept = (id: string, plugin: string, tenant: TenantIds): MaybePromise<Json | undefined> =>
    after(saved(id, plugin), (found) => {
      if (!found || found.mappings.length === 0) return found?.account;
      return after(mappedValues(found.mappings, tenant, read), (values) => withMembers(found.account, values));
    });
  return ({ name, manifest: { id }, provides }) => {
    const members = defaultsOf(provides.credentials);
    const organisations = (tenant: TenantIds): MaybePromise<Json> =>
      after(kept(tenant.organisationId, id, tenant), (account) => account ?? deploymentsAccount(name, members, secrets));
    return (tenant) =>
      tenant.workspaceId === null
        ? organisations(tenant)
        : after(kept(tenant.workspaceId, id, tenant), (account) => account ?? organisations(tenant));
  };
}

const INSIDE = "credentials.";
const withMembers = (account: Json, values: readonly MappedValue[]): Json => ({
  ...account,
  ...Object.fromEntries(values.map(([field, value]) => [field.slice(INSIDE.length), value])),
});

/** What a check is told whose pack has no accounts at all. */
export const withoutCredentials =
  (plugin: string): FindCredentials =>
  () => {
    throw new GatewayError("CREDENTIALS_MISSING", { plugin, otherwise: "" });
  };

/** A member of an account that the environment may give. */
interface Default {
  readonly member: string;
  /** Its name in the environment. */
  readonly name: string;
  readonly isSecret: boolean;
  readonly required: boolean;
}
function defaultsOf({ properties = {}, required = [] }: Partial<TObject> = {}): readonly Default[] {
  return Object.entries<unknown>(properties).flatMap(([member, schema]) =>
    isJson(schema) && typeof schema["env"] === "string"
      ? { member, name: schema["env"], isSecret: schema["secret"] === true, required: required.includes(member) }
      : [],
  );
}

/** The deployment's own account, where its environment gives all that one needs. */
async function deploymentsAccount(plugin: string, members: readonly Default[], secrets: SecretParts): Promise<Json> {
  const account: Json = {};
  for (const { member, name, isSecret, required } of members) {
    const value = await secretIfAny(name, isSecret, secrets);
    if (value !== undefined) account[member] = value;
    else if (required) throw missing(plugin, members);
  }
  if (Object.keys(account).length === 0) throw missing(plugin, members);
  return account;
}

function missing(plugin: string, members: readonly Default[]): GatewayError {
  const names = members.flatMap(({ name, required }) => (required ? name : []));
  const otherwise = names.length > 0 ? `, or set ${names.join(", ")} for the whole deployment` : "";
  return new GatewayError("CREDENTIALS_MISSING", { plugin, otherwise });
}
