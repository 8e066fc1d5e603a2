import {
  after,
  type Caller,
  GatewayError,
  grantsOthers,
  Integrations,
  IntegrationWorkspaces,
  type Json,
  type MaybePromise,
  type OAuthClient,
  openSecrets,
  Providers,
  type RecordOf,
  type RecordsHandle,
} from "#contract";
import type { OAuthTokens } from "../../kernel/secrets/oauth-tokens.ts";
import type { ReadReference } from "../../kernel/secrets/references.ts";
import { withMapped } from "./mapped-secrets.ts";
import { type ModelRules, modelRulesOf } from "./model-rules.ts";
import type { Generation } from "../../kernel/generation.ts";

/** A saved credential is an integration's, or stands in a saved config. */
export interface KeptAt {
  readonly integrationId: string | null;
  /** A part of it is kept elsewhere, and may be another one at the next request. */
  readonly isMapped?: true;
  /** Of a key that is fetched: another one, in the place of one that the provider did not accept. */
  readonly renewKey?: (refused: string) => MaybePromise<string>;
  /** Which models may be asked with it, and what they need and cost; without them, every one, as it is. */
  readonly models?: ModelRules | null;
}
export interface Credential extends KeptAt {
  readonly providerId: string;
  readonly apiKey: string;
  readonly fields: Json;
  readonly customHost: string | null;
  /** Headers that were saved with that host. */
  readonly headers?: Readonly<Record<string, string>> | null;
}
/** What an integration says of its credential: all of it, or where the rest is kept. */
interface SavedCredential extends Credential {
  readonly mappings: RecordOf<typeof Integrations>["secret_mappings"];
  readonly organisationId: string;
  /** Whose the integration is, and with it what it maps; `null` where it is the organisation's, whichever workspace uses it. */
  readonly workspaceId: string | null;
  /** The integration's short name. */
  readonly name: string;
  /** May workspaces of which nothing is said use it? */
  readonly grantsOthers: boolean;
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
/** Finds what `@slug` means in a workspace. Throws PROVIDER_UNKNOWN, and PROVIDER_WITHHELD where the workspace may not use it. */
export function savedProviders({ stores: { records }, vault, readReference, oauth }: SavedIn): ProviderFinder {
  const credential = records.lookup(Integrations, ["id"], (record): SavedCredential | null =>
    record.status !== "active" ? null : credentialOf(record, vault),
  );
  const granted = records.lookup(IntegrationWorkspaces, ["integration_id", "workspace_id"], ({ enabled }) => enabled);
  /** What is said of the workspace counts, or else what is said of all. */
  const refuseWithheld = (reference: string, { grantsOthers: others, integrationId }: SavedCredential, { workspaceId }: Caller) =>
    after(granted(integrationId ?? "", workspaceId ?? ""), (own = others) => {
      if (!own) throw new GatewayError("PROVIDER_WITHHELD", { provider: reference }, { param: "provider" });
    });
  const named = records.lookup(Providers, ["workspace_id", "slug"], (record) => record);
  return (reference, caller) =>
    after(named(caller.workspaceId ?? "", reference.slice(1)), (record) => {
      if (!record) throw unknown(reference);
      return after(credential(record.integration_id), (saved) => {
        if (!saved) throw unknown(reference);
        const expiresAt = record.expires_at ?? Number.POSITIVE_INFINITY;
        const found = (whole: Credential): SavedProvider => ({ id: saved.providerId, slug: reference, saved: whole, expiresAt });
        return after(refuseWithheld(reference, saved, caller), () => {
          const whole = saved.mappings ? withMapped(saved, saved.mappings, saved, readReference) : saved;
          return saved.isMapped ? after(whole, (credential) => after(withToken(credential, saved, oauth), found)) : found(saved);
        });
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

function credentialOf(record: RecordOf<typeof Integrations>, vault: SavedIn["vault"]): SavedCredential {
  const { id, ai_provider_id: providerId, key_sealed: sealedKey, secret_mappings: given } = record;
  const { custom_headers: headers = null, ...fields } = openSecrets(record.configurations, vault);
  const mappings = given === null || given.length === 0 ? null : given;
  return {
    integrationId: id,
    organisationId: record.organisation_id,
    workspaceId: record.workspace_id,
    name: record.slug,
    providerId,
    apiKey: sealedKey === null ? "" : vault.open(sealedKey),
    fields,
    customHost: hostIn(fields),
    headers: headers as Readonly<Record<string, string>> | null, // texts, by the schema they were judged by
    models: modelRulesOf(record, vault),
    mappings,
    grantsOthers: grantsOthers(record),
    ...((mappings || isOAuth(fields)) && { isMapped: true }),
  };
}

const hostIn = ({ custom_host: host }: Json): string | null => (typeof host === "string" ? host : null);
