import { Type } from "@sinclair/typebox";
import {
  type Asked,
  Configs,
  defineAction,
  defineCollection,
  isoTime,
  JsonObject,
  maskSecrets,
  Nullable,
  OneOf,
  type RecordOf,
  Stamps,
  Uuid,
} from "#contract";
import { ConfigVersion } from "./schema.ts";

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
const PAGE = 20;
/** Of the configs in one answer together: a thousand versions of a large one would hold up everybody. */
const MAX_SHOWN_CHARS = 4 * 1024 * 1024;

async function newest({ id }: Config, { records, vault }: Pick<Asked, "records" | "vault">): Promise<{ total: number; data: Shown[] }> {
  const versions = records.in(ConfigVersions);
  const data: Shown[] = [];
  for (let chars = 0; ; ) {
    const page = { where: { config_id: id }, orderBy: { by: "created_at", direction: "desc" }, limit: PAGE, offset: data.length } as const;
    const found = await versions.list(page);
    for (const version of found.data) {
      const config = JSON.stringify(maskSecrets(version.config, vault));
      chars += config.length;
      if (data.length > 0 && chars > MAX_SHOWN_CHARS) return { total: found.total, data };
      data.push({ version, config });
    }
    if (found.data.length < PAGE || data.length >= MAX_VERSIONS) return { total: found.total, data };
  }
}
