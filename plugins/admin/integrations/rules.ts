import type { Static } from "@sinclair/typebox";
import {
  type Asked,
  GatewayError,
  type Integrations,
  type Made,
  makeSlug,
  maskSecret,
  openUrls,
  refusePinned,
  Providers,
  type RecordOf,
  type Revision,
  type Where,
  Workspaces,
} from "#contract";
import { sealedConfigurations } from "./configurations.ts";
import { refuseMoved } from "./moved.ts";
import type { CreateBody, ListQuery, UpdateBody } from "./schema.ts";

type Integration = RecordOf<typeof Integrations>;
type Schema = typeof Integrations.schema;

export function make(asked: Asked<Static<typeof CreateBody>>): Made<Schema> {
  refusePinned(asked.caller, "integrations");
  const { name, slug = makeSlug("", name), ai_provider_id, key, description = null, configurations = {}, tags = {} } = asked.body;
  return {
    record: {
      name,
      slug,
      ai_provider_id,
      description,
      tags,
      status: "active",
      owner_id: asked.actor,
      ...credential(key, asked),
      configurations: sealedConfigurations(ai_provider_id, configurations, asked),
    },
  };
}

export function change(record: Integration, asked: Asked<Static<typeof UpdateBody>>): Revision<Schema> {
  refusePinned(asked.caller, "integrations");
  const { key, configurations, ...rest } = asked.body;
  const next = configurations && sealedConfigurations(record.ai_provider_id, configurations, asked, record.configurations);
  const keepsKey = record.key_sealed !== null && (key === undefined || key === record.masked_key);
  const target = asked.catalog.providers().find(({ id }) => id === record.ai_provider_id)?.target;
  if (next) refuseMoved({ before: openUrls(record.configurations, asked.vault), next: openUrls(next, asked.vault), keepsKey, target });
  return {
    ...rest,
    ...(key !== undefined && key !== record.masked_key && credential(key, asked)),
    ...(next && { configurations: next }),
  };
}

const credential = (key: string | undefined, { vault }: Pick<Asked, "vault">): Pick<Integration, "key_sealed" | "masked_key"> =>
  key === undefined ? { key_sealed: null, masked_key: null } : { key_sealed: vault.seal(key), masked_key: maskSecret(key) };

/** Shows what the key's scopes cover: the organisation's, the workspaces', or both. */
export async function visible({
  query,
  caller,
  records,
  workspaceId,
}: Asked<undefined, Static<typeof ListQuery>>): Promise<Where<Integration>> {
  const shows = (level: "workspace" | "organisation"): boolean =>
    (query.type ?? "all") !== other(level) && caller.scopes.has(`${level}_integrations.list`);
  if (shows("organisation")) return shows("workspace") ? {} : { workspace_id: null };
  if (!shows("workspace"))
    throw new GatewayError("SCOPE_MISSING", { scope: `${query.type}_integrations.list`, action: "listing these integrations" });
  return { workspace_id: workspaceId === null ? await workspaceIds(caller.organisationId, records) : workspaceId };
}
const other = (level: "workspace" | "organisation"): string => (level === "workspace" ? "organisation" : "workspace");

async function workspaceIds(organisation_id: string, records: Asked["records"]): Promise<string[]> {
  const { data } = await records.in(Workspaces).list({ where: { organisation_id }, limit: 10_000, offset: 0 });
  return data.map(({ id }) => id);
}

export async function createDefaultProvider(record: Integration, { body, records, now }: Asked<Static<typeof CreateBody>>): Promise<void> {
  if (record.workspace_id === null || body.create_default_provider === false) return;
  await records.in(Providers).insert({
    id: crypto.randomUUID(),
    created_at: now,
    last_updated_at: now,
    organisation_id: record.organisation_id,
    workspace_id: record.workspace_id,
    integration_id: record.id,
    name: record.name,
    slug: body.default_provider_slug ?? record.slug,
    note: null,
    status: "active",
    usage_limits: null,
    rate_limits: [],
    expires_at: null,
    tags: {},
  });
}

export async function removeProviders(record: Integration, { records, caller }: Pick<Asked, "records" | "caller">): Promise<void> {
  refusePinned(caller, "integrations");
  const providers = records.in(Providers);
  for (;;) {
    const { data } = await providers.list({ where: { integration_id: record.id }, limit: 500, offset: 0 });
    if (data.length === 0) return;
    await Promise.all(data.map(({ id }) => providers.remove(id)));
  }
}
