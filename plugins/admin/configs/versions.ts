import { Type } from "@sinclair/typebox";
import {
  type Asked,
  Configs,
  defineAction,
  defineCollection,
  isoTime,
  JsonObject,
  maskSecrets,
  nextTurn,
  Nullable,
  OneOf,
  type RecordOf,
  Stamps,
  Uuid,
} from "#contract";
import { ConfigVersion } from "./schema.ts";
import { openedVault } from "./opened-vault.ts";

type Config = RecordOf<typeof Configs>;

/** Every state a config was saved in; `id` is the version's id. */
export const ConfigVersions = defineCollection({
  name: "config_versions",
  schema: Type.Object({
    ...Stamps,
    organisation_id: Uuid("Organisation."),
    workspace_id: Uuid("Workspace."),
    config_id: Uuid("Config it is a version of."),
    name: Type.String({ maxLength: 255, description: "Name." }),
    status: OneOf(["active", "archived"], { description: "State." }),
    is_default: Type.Integer({ minimum: 0, maximum: 1, description: "1 marks the workspace's default." }),
    updated_by: Nullable(Uuid("Who wrote it.")),
    config: JsonObject("The config itself."),
  }),
  index: [["config_id"]],
});

/** Written before the config shows it, so that no config is without its version. */
export function keepVersion(record: Config, { records, now }: Pick<Asked, "records" | "now">): Promise<void> {
  const { version_id: id, organisation_id, workspace_id, name, status, is_default, updated_by, config } = record;
  return records.in(ConfigVersions).insert({
    id,
    organisation_id,
    workspace_id,
    config_id: record.id,
    name,
    status,
    is_default,
    updated_by,
    config,
    created_at: now,
    last_updated_at: now,
  });
}

const MAX_VERSIONS = 1000;

export async function forgetVersions(record: Config, { records }: Pick<Asked, "records">): Promise<void> {
  const versions = records.in(ConfigVersions);
  for (;;) {
    const { data } = await versions.list({ where: { config_id: record.id }, limit: MAX_VERSIONS, offset: 0, omit: ["config"] });
    if (data.length === 0) return;
    await Promise.all(data.map((version) => versions.remove(version.id)));
  }
}

export const listVersions = defineAction(Configs, {
  method: "GET",
  path: "/versions",
  summary: "List the versions of a config",
  scope: "configs.read",
  reply: Type.Object({ object: Type.Literal("list"), total: Type.Integer({ description: "How many." }), data: Type.Array(ConfigVersion) }),
  description: "The newest first; as many as one answer holds well: `total` says how many there are.",
  async run(record, { records, vault }) {
    const found = await newest(record, { records, vault });
    const data = found.data.map(({ version, config }) => ({
      id: record.id,
      name: version.name,
      slug: record.slug,
      organisation_id: version.organisation_id,
      workspace_id: version.workspace_id,
      is_default: version.is_default,
      status: version.status,
      owner_id: record.owner_id,
      updated_by: version.updated_by,
      created_at: isoTime(record.created_at),
      last_updated_at: isoTime(version.created_at),
      config,
      format: "json" as const,
      type: "config" as const,
      version_id: version.id,
      object: "config" as const,
    }));
    return { object: "list" as const, total: found.total, data };
  },
});

interface Shown {
  readonly version: RecordOf<typeof ConfigVersions>;
  /** As JSON text, its secrets masked. */
  readonly config: string;
}
/** Read in one go behind a short one. One that is longer, as text, is read alone: each may be as large as a body. */
const AT_ONCE = 2;
const SHORT = 64 * 1024;
/** Of the configs in one answer together: a thousand versions of a large one would hold up everybody. */
const MAX_SHOWN_CHARS = 4 * 1024 * 1024;

/** First which there are, then their configs, as many as are shown; others have their turn in between. */
async function newest({ id }: Config, { records, vault }: Pick<Asked, "records" | "vault">): Promise<{ total: number; data: Shown[] }> {
  const versions = records.in(ConfigVersions);
  const orderBy = { by: "created_at", direction: "desc" } as const;
  const found = await versions.list({ where: { config_id: id }, orderBy, limit: MAX_VERSIONS, offset: 0, omit: ["config"] });
  const data: Shown[] = [];
  let chars = 0;
  for (let at = 0, size = 1; at < found.data.length && chars < MAX_SHOWN_CHARS; ) {
    await nextTurn();
    const before = chars;
    for (const shown of await withConfigs(found.data.slice(at, at + size), { records, vault })) {
      chars += shown.config.length;
      if (data.length === 0 || chars <= MAX_SHOWN_CHARS) data.push(shown);
    }
    at += size;
    size = chars - before < SHORT ? AT_ONCE : 1;
  }
  await nextTurn(); // the answer's own
  return { total: found.total, data };
}

async function withConfigs(of: readonly { readonly id: string }[], { records, vault }: Pick<Asked, "records" | "vault">): Promise<Shown[]> {
  const ids = of.map(({ id }) => id);
  const { data } = await records.in(ConfigVersions).list({ where: { id: ids }, limit: ids.length, offset: 0 });
  const byId = new Map(data.map((version) => [version.id, version]));
  const shown: Shown[] = [];
  for (const id of ids) {
    const version = byId.get(id);
    if (!version) continue; // forgotten meanwhile
    await nextTurn();
    const masked = maskSecrets(version.config, await openedVault(version.config, vault));
    await nextTurn();
    shown.push({ version, config: JSON.stringify(masked) });
  }
  return shown;
}
