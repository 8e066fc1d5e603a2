import {
  after,
  type Caller,
  GatewayError,
  Integrations,
  type Json,
  type MaybePromise,
  type OAuthClient,
  Providers,
  type RecordOf,
  type RecordsHandle,
} from "#contract";
import type { OAuthTokens } from "../../kernel/secrets/oauth-tokens.ts";
import type { ReadReference } from "../../kernel/secrets/references.ts";
import { withMapped } from "./mapped-secrets.ts";
import type { Generation } from "../../kernel/generation.ts";

/** A saved credential is an integration's, or stands in a saved config. */
export interface KeptAt {
  readonly integrationId: string | null;
  /** A part of it is kept elsewhere, and may be another one at the next request. */
  readonly isMapped?: true;
  /** Of a key that is fetched: another one, in the place of one that the provider did not accept. */
  readonly renewKey?: (refused: string) => MaybePromise<string>;
}
export interface Credential extends KeptAt {
  readonly providerId: string;
  readonly apiKey: string;
  readonly fields: Json;
  readonly customHost: string | null;
}
/** What an integration says of its credential: all of it, or where the rest is kept. */
interface SavedCredential extends Credential {
  readonly mappings: RecordOf<typeof Integrations>["secret_mappings"];
  readonly organisationId: string;
  /** The integration's short name. */
  readonly name: string;
}
/** A provider that was saved, with its integration's credential. */
export interface SavedProvider {
  readonly id: string;
  /** `@slug` */
  readonly slug: string;
  readonly saved: Credential;
  /** Milliseconds since the epoch; infinite where it does not expire. */
  readonly expiresAt: number;
}
export type ProviderFinder = (reference: string, caller: Caller) => MaybePromise<SavedProvider>;

export interface SavedIn {
  readonly stores: { readonly records: Pick<RecordsHandle, "lookup"> };
  readonly vault: Pick<Generation["vault"], "open">;
  readonly readReference: ReadReference;
  readonly oauth: OAuthTokens;
}
/** Finds what `@slug` means in a workspace. Throws PROVIDER_UNKNOWN. */
export function savedProviders({ stores: { records }, vault, readReference, oauth }: SavedIn): ProviderFinder {
  const credential = records.lookup(Integrations, ["id"], (record): SavedCredential | null =>
    record.status !== "active" ? null : credentialOf(record, vault.open),
  );
  const named = records.lookup(Providers, ["workspace_id", "slug"], (record) => record);
  return (reference, caller) =>
    after(named(caller.workspaceId ?? "", reference.slice(1)), (record) => {
      if (!record) throw unknown(reference);
      return after(credential(record.integration_id), (saved) => {
        if (!saved) throw unknown(reference);
        const expiresAt = record.expires_at ?? Number.POSITIVE_INFINITY;
        const found = (whole: Credential): SavedProvider => ({ id: saved.providerId, slug: reference, saved: whole, expiresAt });
        const whole = saved.mappings ? withMapped(saved, saved.mappings, caller, readReference) : saved;
        return saved.isMapped ? after(whole, (credential) => after(withToken(credential, saved, oauth), found)) : found(saved);
      });
    });
}
/** The credential with the token of its OAuth client for a key, where it has one. */
function withToken(
  whole: Credential,
  { organisationId, integrationId, name }: SavedCredential,
  oauth: OAuthTokens,
): MaybePromise<Credential> {
  if (!isOAuth(whole.fields)) return whole;
  const owner = { organisationId, integrationId: integrationId ?? "", name, client: whole.fields as OAuthClient }; // judged when it was saved
  const renewKey = (refused: string): MaybePromise<string> => oauth.renewed(owner, refused);
  return after(oauth.token(owner), (apiKey): Credential => ({ ...whole, apiKey, renewKey }));
}
const isOAuth = ({ oauth_token_endpoint: endpoint }: Json): boolean => typeof endpoint === "string";

const unknown = (provider: string): GatewayError =>
  new GatewayError("PROVIDER_UNKNOWN", {
    provider,
    known: "Save it under /v2/providers first, or name a provider id without @.",
  });

function credentialOf(
  {
    id,
    organisation_id: organisationId,
    slug: name,
    ai_provider_id: providerId,
    key_sealed: sealedKey,
    configurations,
    secret_mappings: given,
  }: RecordOf<typeof Integrations>,
  open: (sealed: string) => string,
): SavedCredential {
  const fields: Json = {};
  for (const [name, value] of Object.entries(configurations)) fields[name] = isSealed(value) ? open(value.sealed) : value;
  const mappings = given === null || given.length === 0 ? null : given;
  const apiKey = sealedKey === null ? "" : open(sealedKey);
  const elsewhere = mappings !== null || isOAuth(fields) ? { isMapped: true as const } : {};
  return { integrationId: id, organisationId, name, providerId, apiKey, fields, customHost: hostIn(fields), mappings, ...elsewhere };
}

const hostIn = ({ custom_host: host }: Json): string | null => (typeof host === "string" ? host : null);

/** How a secret stands inside `configurations`. */
const isSealed = (value: unknown): value is { readonly sealed: string } =>
  typeof value === "object" && value !== null && "sealed" in value && typeof value.sealed === "string";
