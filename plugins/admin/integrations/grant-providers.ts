import { GatewayError, Providers, type RecordOf, type RuleInput, Workspaces } from "#contract";
import type { GivenGrant, Input, Integration } from "./grants.ts";
import { grantsOf } from "./grants.ts";
import { providerOf } from "./rules.ts";

type Provider = RecordOf<typeof Providers>;
const AT_ONCE = 1_000;

/** The providers that a grant makes: one in each workspace that may use the integration from now on, and has none of it. */
export async function newProviders(
  record: Integration,
  named: ReadonlyMap<string, GivenGrant>,
  input: Input,
): Promise<readonly Provider[]> {
  const { body, records, now } = input;
  const { create_default_provider: all = true, default_provider_slug: slug = record.slug } = body;
  const before = await grantsOf(record, records);
  const wanted = new Map<string, string>();
  if (all && opensToAll(record, input.body)) for (const id of await workspaceIds(record, records)) wanted.set(id, slug);
  for (const [id, given] of named) {
    const isNew = given.enabled && before.get(id)?.enabled !== true;
    if (isNew && (given.create_default_provider ?? all)) wanted.set(id, given.default_provider_slug ?? slug);
    else wanted.delete(id);
  }
  if (wanted.size === 0) return [];
  const has = new Set((await providersWhere({ integration_id: record.id }, records)).map(({ workspace_id }) => workspace_id));
  const open = [...wanted].filter(([id]) => !has.has(id));
  const taken = await takenIn(open, records);
  const refused = open.find(([id, name]) => named.has(id) && taken.has(placeOf(id, name)));
  if (refused)
    throw new GatewayError("CONFLICT", { what: `A provider ${refused[1]} in the workspace` }, { param: "default_provider_slug" });
  return open.filter(([id, name]) => !taken.has(placeOf(id, name))).map(([id, name]) => providerOf(record, id, name, now));
}

const opensToAll = (record: Integration, { global_workspace_access: access }: Input["body"]): boolean =>
  access?.enabled === true && record.global_workspace_access?.enabled !== true;

const placeOf = (workspaceId: string, slug: string): string => `${workspaceId} ${slug}`;
async function takenIn(wanted: readonly (readonly [string, string])[], records: RuleInput["records"]): Promise<ReadonlySet<string>> {
  const slugs = [...new Set(wanted.map(([, slug]) => slug))];
  const there = await providersWhere({ slug: slugs, workspace_id: wanted.map(([id]) => id) }, records);
  return new Set(there.map(({ workspace_id, slug }) => placeOf(workspace_id, slug)));
}
type ProviderWhere = NonNullable<Parameters<ReturnType<typeof providersIn>["list"]>[0]["where"]>;
const providersIn = (records: RuleInput["records"]) => records.in(Providers);
const providersWhere = async (where: ProviderWhere, records: RuleInput["records"]) =>
  (await providersIn(records).list({ where, limit: 10_000, offset: 0, omit: ["usage_limits", "rate_limits", "tags", "note"] })).data;

async function workspaceIds({ organisation_id }: Integration, records: RuleInput["records"]): Promise<readonly string[]> {
  const where = { organisation_id, status: "active" as const };
  const { data } = await records.in(Workspaces).list({ where, limit: 10_000, offset: 0, omit: ["defaults", "security_settings"] });
  return data.map(({ id }) => id);
}

export async function saveProviders(providers: readonly Provider[], records: RuleInput["records"]): Promise<void> {
  for (let at = 0; at < providers.length; at += AT_ONCE) await records.in(Providers).insertMissing(providers.slice(at, at + AT_ONCE));
}
