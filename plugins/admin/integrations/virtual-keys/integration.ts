import {
  GatewayError,
  inserting,
  Integrations,
  type Json,
  maskSecrets,
  Providers,
  type RecordOf,
  type RuleInput,
  updating,
  type Write,
} from "#contract";
import { integrations } from "../resource.ts";
import { removeWhatIsMadeOfIt } from "../rules.ts";
import { configurationsOf, legacyParam } from "./model-config.ts";
import type { CreateBody, UpdateBody } from "./schema.ts";

export type Integration = RecordOf<typeof Integrations>;
export type Provider = RecordOf<typeof Providers>;

const MEMBERS = ["key", "secret_mappings"] as const;

/** The integration that a provider is of, made with it. Its own rules judge and seal it. */
export async function madeIntegration({ id, ...provider }: Provider, input: RuleInput<CreateBody>): Promise<readonly Write[]> {
  const { body } = input;
  const integration = {
    ...{ ai_provider_id: providerIn(body), name: provider.name, slug: provider.slug },
    ...{ configurations: configurationsOf(body), ...given(body) },
  };
  const made = await inLegacyWords(async () => integrations.create?.make({ ...input, body: integration }));
  const { created_at, last_updated_at, organisation_id, workspace_id } = provider;
  const stamps = { id: provider.integration_id, created_at, last_updated_at, organisation_id, workspace_id, made_as_virtual_key: true };
  return [inserting(Integrations, { ...made?.record, ...stamps } as Integration)]; // what its own resource makes of such a body
}

/** What of a change is the integration's, changed with the provider: as nobody else has changed it since. */
export async function changedIntegration(provider: Provider, input: RuleInput<UpdateBody>): Promise<readonly Write[]> {
  const { body, vault, now } = input;
  const own: Json = given(body);
  if (Object.keys(own).length === 0 && body.deploymentConfig === undefined) return [];
  const integration = await soleIntegration(provider, input);
  if (body.deploymentConfig !== undefined)
    own["configurations"] = { ...maskSecrets(integration.configurations, vault), ...configurationsOf(body) }; // what is masked stays
  const change = await inLegacyWords(async () => integrations.update?.change(integration, { ...input, body: own }));
  const { id, last_updated_at } = integration;
  return [updating(Integrations, id, { ...change, last_updated_at: Math.max(now, last_updated_at + 1) }, { last_updated_at })];
}

/** Once its provider is gone: an integration that came with one goes too, unless others are made of it. */
export async function forgetIntegration(provider: Provider, { records }: Pick<RuleInput, "records">): Promise<void> {
  const { integration_id } = provider;
  const integration = await records.in(Integrations).get(integration_id);
  if (!cameWithVirtualKey(integration, provider) || (await records.in(Providers).first({ integration_id }))) return;
  await removeWhatIsMadeOfIt(integration, { records });
  await records.in(Integrations).remove(integration_id);
}

/** Only what a virtual key has brought along is shown, changed and deleted as a part of one. */
export const cameWithVirtualKey = (
  integration: Integration | undefined,
  { workspace_id }: Pick<Provider, "workspace_id">,
): integration is Integration => integration?.made_as_virtual_key === true && integration.workspace_id === workspace_id;

/** What is shared, or was made as an integration, is changed as one, by who may. */
async function soleIntegration(provider: Provider, { records }: Pick<RuleInput, "records">): Promise<Integration> {
  const { integration_id } = provider;
  const integration = await records.in(Integrations).get(integration_id);
  const { total } = await records.in(Providers).list({ where: { integration_id }, limit: 1, offset: 0 });
  const isOwn = cameWithVirtualKey(integration, provider);
  if (isOwn && total === 1) return integration;
  const why = isOwn ? "other providers are made of its integration" : "its integration did not come with it, but was made as one";
  throw new GatewayError("IN_USE", { what: "The credential of the virtual key", action: "changed here", why });
}

function providerIn({ provider }: CreateBody): string {
  if (provider !== undefined) return provider === "open-ai" ? "openai" : provider;
  throw new GatewayError("REQUEST_INVALID", { what: "The request is not valid: the member provider is missing." }, { param: "provider" });
}

const given = (body: UpdateBody): Json =>
  Object.fromEntries(MEMBERS.flatMap((member) => (body[member] === undefined ? [] : [[member, body[member]]])));

/** Rules of integrations name the members of an integration. */
async function inLegacyWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!GatewayError.is(thrown) || thrown.param === null) throw thrown;
    const error = { ...thrown.row, code: String(thrown.code) };
    throw new GatewayError(error, thrown.details, { param: legacyParam(thrown.param), cause: thrown });
  }
}
