import type { Static } from "@sinclair/typebox";
import { Integrations, isoTime, maskSecrets, Providers, type RuleInput, stateAt } from "#contract";
import { cameWithVirtualKey, type Integration, type Provider } from "./integration.ts";
import { modelConfigOf } from "./model-config.ts";
import type { IntegrationPart, OwnPart } from "./schema.ts";

export const ownPart = (record: Provider, { now }: Pick<RuleInput, "now">): Static<typeof OwnPart> => ({
  ...{ name: record.name, note: record.note, status: stateAt(record, now), usage_limits: record.usage_limits, reset_usage: null },
  ...{ created_at: isoTime(record.created_at), slug: record.slug },
  rate_limits: record.rate_limits.length > 0 ? record.rate_limits : null,
  expires_at: record.expires_at === null ? null : isoTime(record.expires_at),
  object: "virtual-key",
});

type Shown = { readonly [K in keyof typeof IntegrationPart]: Static<(typeof IntegrationPart)[K]> };
/** What was made as an integration is shown to who may read integrations. */
function integrationPart(
  integration: Integration | undefined,
  provider: Pick<Provider, "workspace_id">,
  { vault }: Pick<RuleInput, "vault">,
): Shown {
  if (!cameWithVirtualKey(integration, provider)) return { model_config: {}, secret_mappings: [] };
  const model_config = modelConfigOf(maskSecrets(integration.configurations, vault));
  return { model_config, secret_mappings: integration.secret_mappings ?? [] };
}

export async function oneWhole(record: Provider, input: RuleInput<undefined>) {
  const integration = await input.records.in(Integrations).get(record.integration_id);
  return { ...ownPart(record, input), ...integrationPart(integration, record, input) };
}

/** What the integrations add to a page of one workspace, where each slug stands once. */
export async function joined(page: readonly Pick<Provider, "slug">[], input: RuleInput<undefined>): Promise<readonly Shown[]> {
  if (page.length === 0 || input.workspaceId === null) return [];
  const { organisationId: organisation_id, workspaceId: workspace_id, records } = input;
  const where = { organisation_id, workspace_id, slug: page.map(({ slug }) => slug) };
  const { data } = await records.in(Providers).list({ where, limit: page.length, offset: 0 });
  const ids = data.map(({ integration_id }) => integration_id);
  const { data: behind } = await records.in(Integrations).list({ where: { organisation_id, id: ids }, limit: page.length, offset: 0 });
  const integrations = new Map(behind.map((integration) => [integration.id, integration]));
  const idOf = new Map(data.map(({ slug, integration_id }) => [slug, integration_id]));
  return page.map(({ slug }) => integrationPart(integrations.get(idOf.get(slug) ?? ""), { workspace_id }, input));
}
