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
import { secretIfAny, type SecretParts } from "./secrets/secrets.ts";

/** Finds the account of a tenant with a pack's vendor: see `CheckInput.credentials`. */
export type FindCredentials = (tenant: TenantIds) => MaybePromise<Json>;

export interface CredentialParts {
  readonly records: RecordsHandle;
  readonly vault: Pick<Vault, "open">;
  readonly secrets: SecretParts;
}

/**
 * Makes the finders of packs. The workspace's account goes before its organisation's, and both before the deployment's.
 * An account is never put together from two: a tenant's address would be told the operator's key.
 */
export function credentialFinders({ records, vault, secrets }: CredentialParts): (pack: Provided<GuardrailPack>) => FindCredentials {
  const kept = records.lookup(PluginCredentials, ["tenant", "plugin_id"], ({ credentials }) => openSecrets(credentials, vault));
  return ({ name, manifest: { id }, provides }) => {
    const members = defaultsOf(provides.credentials);
    const organisations = (organisationId: string): MaybePromise<Json> =>
      after(kept(organisationId, id), (account) => account ?? deploymentsAccount(name, members, secrets));
    return ({ workspaceId, organisationId }) =>
      workspaceId === null
        ? organisations(organisationId)
        : after(kept(workspaceId, id), (account) => account ?? organisations(organisationId));
  };
}

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
