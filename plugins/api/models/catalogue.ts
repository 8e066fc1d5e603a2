import {
  type Catalog,
  grantsOthers,
  Integrations,
  IntegrationWorkspaces,
  type Json,
  Providers,
  type RecordOf,
  type RecordsHandle,
} from "#contract";
import { readQuery } from "./query.ts";
import { ModelsQuery } from "./schema.ts";

interface Entry {
  readonly model: string;
  /** Slug of the saved provider. */
  readonly provider: string;
  /** Provider id. */
  readonly service: string;
  readonly createdAt: number;
}
const MAX_PROVIDERS = 1000;
const SORT_KEY = { name: "model", provider: "provider", ai_service: "service" } as const satisfies Record<string, keyof Entry>;

interface Asked {
  /** The request's query. */
  readonly search: string;
  /** Of which saved providers; of all where it names none. */
  readonly slugs: ReadonlySet<string>;
}

/** The models of a workspace's saved providers, as an OpenAI model list. */
export async function catalogue(
  records: RecordsHandle,
  catalog: Catalog,
  workspaceId: string | null,
  { search, slugs }: Asked,
): Promise<Json> {
  const query = readQuery(ModelsQuery, search);
  const isAsked = (entry: Entry): boolean => (slugs.size === 0 || slugs.has(entry.provider)) && matches(entry, query);
  const entries = sorted((await entriesOf(records, catalog, workspaceId)).filter(isAsked), query);
  const offset = query.offset ?? 0;
  const page = entries.slice(offset, query.limit === undefined ? undefined : offset + query.limit);
  return { object: "list", data: page.map(body), total_count: entries.length };
}

/** One of them: by the name that the catalogue lists, or by its bare name where that is plain. */
export async function catalogued(
  records: RecordsHandle,
  catalog: Catalog,
  workspaceId: string | null,
  model: string,
): Promise<Json | undefined> {
  const entries = (await entriesOf(records, catalog, workspaceId)).map(body);
  return entries.find(({ id }) => id === model);
}

async function entriesOf(records: RecordsHandle, catalog: Catalog, workspaceId: string | null): Promise<Entry[]> {
  if (workspaceId === null) return []; // an organisation key stands in no workspace
  const models = new Map(catalog.providers().map((provider) => [provider.id, provider.models ?? []]));
  const saved = await records
    .in(Providers)
    .list({ where: { workspace_id: workspaceId, status: "active" }, limit: MAX_PROVIDERS, offset: 0 });
  const granted = await grantedTo(workspaceId, saved.data, records);
  return saved.data.flatMap(({ slug, integration_id, created_at }) => {
    const integration = granted.get(integration_id);
    if (!integration) return [];
    const { ai_provider_id: service } = integration;
    return allowedModels(integration, models.get(service) ?? []).map((model) => ({
      model,
      provider: slug,
      service,
      createdAt: created_at,
    }));
  });
}

type Integration = RecordOf<typeof Integrations>;
/** By id, those of these providers that the workspace may use. */
async function grantedTo(
  workspaceId: string,
  providers: readonly RecordOf<typeof Providers>[],
  records: RecordsHandle,
): Promise<ReadonlyMap<string, Integration>> {
  if (providers.length === 0) return new Map();
  const ids = [...new Set(providers.map((provider) => provider.integration_id))];
  const { data } = await records.in(Integrations).list({ where: { id: ids, status: "active" }, limit: ids.length, offset: 0 });
  const said = await records
    .in(IntegrationWorkspaces)
    .list({ where: { workspace_id: workspaceId, integration_id: ids }, limit: ids.length, offset: 0 });
  const own = new Map(said.data.map(({ integration_id, enabled }) => [integration_id, enabled]));
  const mayUse = (found: Integration): boolean => own.get(found.id) ?? grantsOthers(found);
  return new Map(data.filter(mayUse).map((integration) => [integration.id, integration]));
}

/** What may be asked: models that are named and not disabled, and the provider's others where all are allowed. */
function allowedModels({ models, allow_all_models }: Integration, known: readonly string[]): readonly string[] {
  const said = new Map((models ?? []).map(({ slug, enabled }) => [slug, enabled]));
  const named = [...said].flatMap(([slug, enabled]) => (enabled ? slug : []));
  return allow_all_models ? [...named, ...known.filter((model) => !said.has(model))] : named;
}

const matches = (entry: Entry, query: ModelsQuery): boolean =>
  (query.ai_service === undefined || entry.service === query.ai_service) &&
  (query.provider === undefined || entry.provider === query.provider.replace(/^@/, ""));

function sorted(entries: readonly Entry[], query: ModelsQuery): Entry[] {
  const key = SORT_KEY[query.sort ?? "name"];
  const sign = query.order === "desc" ? -1 : 1;
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return entries.toSorted((a, b) => sign * (order(a[key], b[key]) || order(a.model, b.model) || order(a.provider, b.provider)));
}

const body = ({ model, provider, service, createdAt }: Entry): Json => ({
  id: `@${provider}/${model}`,
  object: "model",
  created: Math.floor(createdAt / 1000),
  owned_by: service,
});
