import { GatewayError, Integrations, type Json, maskSecrets, Providers, type RecordOf, type RuleInput } from "#contract";
import { integrations } from "../resource.ts";
import { configurationsOf, legacyParam } from "./model-config.ts";
import type { CreateBody, UpdateBody } from "./schema.ts";

export type Integration = RecordOf<typeof Integrations>;
export type Provider = RecordOf<typeof Providers>;

/** Says of an integration that it came with a virtual key, and goes with it. */
const MADE_HERE = { made_as: "virtual-key" } as const;
const MEMBERS = ["key", "secret_mappings"] as const;

/** Makes the integration that a provider is of. Its own rules judge and seal it. */
export async function makeIntegration({ id, ...provider }: Provider, input: RuleInput<CreateBody>): Promise<void> {
  const { body, records } = input;
  const integration = {
    ...{ ai_provider_id: providerIn(body), name: provider.name, slug: provider.slug, tags: { ...MADE_HERE } },
    ...{ configurations: configurationsOf(body), ...given(body) },
  };
  const made = await inLegacyWords(async () => integrations.create?.make({ ...input, body: integration }));
  const { created_at, last_updated_at, organisation_id, workspace_id } = provider;
  const stamps = { id: provider.integration_id, created_at, last_updated_at, organisation_id, workspace_id };
  await records.in(Integrations).insert({ ...made?.record, ...stamps } as Integration); // what its own resource makes of such a body
}

/** Changes what the integration holds of a virtual key. */
export async function changeIntegration({ integration_id }: Provider, input: RuleInput<UpdateBody>): Promise<void> {
  const { body, records, vault, now } = input;
  const own: Json = given(body);
  if (Object.keys(own).length === 0 && body.deploymentConfig === undefined) return;
  const integration = await soleIntegration(integration_id, input);
  if (body.deploymentConfig !== undefined)
    own["configurations"] = { ...maskSecrets(integration.configurations, vault), ...configurationsOf(body) }; // what is masked stays
  const change = await inLegacyWords(async () => integrations.update?.change(integration, { ...input, body: own }));
  await records.in(Integrations).update(integration_id, { ...change, last_updated_at: now });
}

/** Once its provider is gone: an integration that came with it goes too, unless it has been made into another. */
export async function forgetIntegration({ integration_id }: Provider, { records }: Pick<RuleInput, "records">): Promise<void> {
  const integration = await records.in(Integrations).get(integration_id);
  if (integration?.tags["made_as"] !== MADE_HERE.made_as || (await records.in(Providers).first({ integration_id }))) return;
  await records.in(Integrations).remove(integration_id);
}

/** What is shared is changed where it is shared, by who may. */
async function soleIntegration(id: string, { records }: Pick<RuleInput, "records">): Promise<Integration> {
  const integration = await records.in(Integrations).get(id);
  const { total } = await records.in(Providers).list({ where: { integration_id: id }, limit: 1, offset: 0 });
  if (integration && integration.workspace_id !== null && total === 1) return integration;
  const why = integration?.workspace_id === null ? "it is the organisation's" : "other providers are made of it";
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
