import {
  type RuleInput,
  GatewayError,
  Integrations,
  IntegrationWorkspaces,
  inserting,
  type Json,
  mappedInside,
  openUrls,
  Providers,
  type RecordOf,
  type Where,
  type Write,
  updating,
  type Written,
  Workspaces,
} from "#contract";
import { sealedConfigurations } from "./configurations.ts";
import { INSIDE, integrationMappings, keepsKey, mapsSecret, placed, targetOf } from "./mappings.ts";
import { refuseMoved } from "./moved.ts";

type Integration = RecordOf<typeof Integrations>;

/** The target fields as they are stored: sealed, judged by the provider's schema, and going where they went. */
export async function storedConfigurations(
  given: Json,
  input: RuleInput<Written<(typeof Integrations)["fields"]>>,
  record: Integration | undefined,
): Promise<Json> {
  const id = record?.ai_provider_id ?? input.body.ai_provider_id ?? "";
  const { secret_mappings: said } = input.body;
  const mappings = said === undefined ? (record?.secret_mappings ?? null) : await integrationMappings(said, input, record);
  const next = sealedConfigurations(id, given, input, mappedInside(mappings, INSIDE), record?.configurations);
  if (!record) return next;
  const target = targetOf(id, input);
  const before = placed(openUrls(record.configurations, input.vault), record.secret_mappings, target);
  const kept = { keepsKey: keepsKey(record, input), keepsMapped: said === undefined && mapsSecret(record, input) };
  refuseMoved({ before, next: placed(openUrls(next, input.vault), mappings, target), ...kept, target });
  return next;
}

/** Shows what the key's scopes cover: the organisation's, the workspaces', or both. */
export async function visible({
  query,
  caller,
  records,
  workspaceId,
}: RuleInput<undefined, { readonly type?: "workspace" | "organisation" | "all" }>): Promise<Where<Integration>> {
  const shows = (level: "workspace" | "organisation"): boolean =>
    (query.type ?? "all") !== other(level) && caller.scopes.has(`${level}_integrations.list`);
  if (shows("organisation")) return shows("workspace") ? {} : { workspace_id: null };
  if (!shows("workspace"))
    throw new GatewayError("SCOPE_MISSING", { scope: `${query.type}_integrations.list`, action: "listing these integrations" });
  return { workspace_id: workspaceId === null ? await workspaceIds(caller.organisationId, records) : workspaceId };
}
const other = (level: "workspace" | "organisation"): string => (level === "workspace" ? "organisation" : "workspace");

async function workspaceIds(organisation_id: string, records: RuleInput["records"]): Promise<string[]> {
  const { data } = await records.in(Workspaces).list({ where: { organisation_id }, limit: 10_000, offset: 0 });
  return data.map(({ id }) => id);
}

interface DefaultProvider {
  readonly create_default_provider?: boolean;
  readonly default_provider_slug?: string;
}
export async function defaultProvider(record: Integration, input: RuleInput<DefaultProvider>): Promise<readonly Write[]> {
  const { body, records, now } = input;
  const { workspace_id } = record;
  if (workspace_id === null || body.create_default_provider === false) return [];
  const slug = body.default_provider_slug ?? record.slug;
  const isTwice = await records.in(Integrations).first({ organisation_id: record.organisation_id, slug: record.slug }); // that is told first
  if (!isTwice && (await records.in(Providers).first({ workspace_id, slug })))
    throw new GatewayError("CONFLICT", { what: `A provider ${slug} in the workspace` }, { param: "default_provider_slug" });
  return [inserting(Providers, providerOf(record, workspace_id, slug, now))];
}

/** A provider made of the integration in a workspace. */
export const providerOf = (record: Integration, workspace_id: string, slug: string, now: number): RecordOf<typeof Providers> => ({
  id: crypto.randomUUID(),
  created_at: now,
  last_updated_at: now,
  organisation_id: record.organisation_id,
  workspace_id,
  integration_id: record.id,
  name: record.name,
  slug,
  note: null,
  status: "active",
  usage_limits: null,
  rate_limits: [],
  expires_at: null,
  tags: {},
});

/** A virtual key shows what is its integration's: it is another when that is changed, and so is its entity tag. */
export async function touchedVirtualKeys(next: Integration, { records, now }: RuleInput): Promise<readonly Write[]> {
  if (!next.made_as_virtual_key) return [];
  const { data } = await records.in(Providers).list({ where: { integration_id: next.id }, limit: 1_000, offset: 0 });
  return data.map(({ id, last_updated_at }) => updating(Providers, id, { last_updated_at: Math.max(now, last_updated_at + 1) }));
}

/** What was made of it, and what was said of workspaces, goes with it. */
export async function removeWhatIsMadeOfIt(record: Integration, { records }: Pick<RuleInput, "records">): Promise<void> {
  for (const made of [records.in(Providers), records.in(IntegrationWorkspaces)])
    for (;;) {
      const { data } = await made.list({ where: { integration_id: record.id }, limit: 500, offset: 0 });
      if (data.length === 0) break;
      await Promise.all(data.map(({ id }) => made.remove(id)));
    }
}
