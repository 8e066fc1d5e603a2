import { type Catalog, Integrations, type Json, Providers, type RecordOf, type RecordsHandle } from "#contract";
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
  const services = await servicesOf(records, saved.data);
  return saved.data.flatMap(({ slug, integration_id, created_at }) => {
    const service = services.get(integration_id);
    return service === undefined
      ? []
      : (models.get(service) ?? []).map((model) => ({ model, provider: slug, service, createdAt: created_at }));
  });
}

/** Integration id -> provider id, of those in use. */
async function servicesOf(records: RecordsHandle, providers: readonly RecordOf<typeof Providers>[]): Promise<ReadonlyMap<string, string>> {
  if (providers.length === 0) return new Map();
  const ids = [...new Set(providers.map((provider) => provider.integration_id))];
  const { data } = await records.in(Integrations).list({ where: { id: ids, status: "active" }, limit: ids.length, offset: 0 });
  return new Map(data.map((integration) => [integration.id, integration.ai_provider_id]));
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
