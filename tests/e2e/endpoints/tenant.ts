/** Plants a tenant into a gateway's own SQLite folder: organisations and workspaces have no routes yet. */
import { ApiKeys, BLANK_WORKSPACE, type KeyType, NO_ROTATION, Organisations, scopesOf, Workspaces } from "#contract";
import { createVault, vaultSecret } from "../../../core/kernel/secrets/vault.ts";
import { readSettings } from "../../../core/kernel/settings/settings.ts";
import { connectSqlite } from "../../../storage/sqlite/index.ts";
import { handleOf } from "../../kit/storage/subject.ts";
import type { Json } from "./api.ts";

export interface Tenant {
  readonly organisationId: string;
  readonly workspaceId: string;
  /** Organisation service key. */
  readonly adminKey: string;
  /** Workspace service key. */
  readonly gatewayKey: string;
}
export interface Planting {
  readonly dataDir: string;
  /** An organisation that is there; a new one otherwise. */
  readonly organisationId?: string;
  readonly slug?: string;
  /** The workspace's defaults. */
  readonly defaults?: Json;
}

export async function plantTenant({
  dataDir,
  organisationId = crypto.randomUUID(),
  slug = "default",
  defaults = {},
}: Planting): Promise<Tenant> {
  const running = connectSqlite({ log: () => undefined, now: Date.now }, { dir: dataDir, busyTimeoutMs: 20_000 });
  const records = handleOf(running.provides, "records");
  await records.migrate([Organisations, Workspaces, ApiKeys]);
  const vault = createVault(vaultSecret(readSettings({ GATEWAY_DATA_DIR: dataDir })), () => undefined);
  const stamps = () => ({ id: crypto.randomUUID(), created_at: Date.now(), last_updated_at: Date.now() });
  const workspaceId = crypto.randomUUID();
  const key = async (type: KeyType): Promise<string> => {
    const secret = crypto.randomUUID().replaceAll("-", "");
    await records.in(ApiKeys).insert({
      ...stamps(),
      organisation_id: organisationId,
      workspace_id: type === "organisation-service" ? null : workspaceId,
      user_id: null,
      created_by: crypto.randomUUID(),
      type,
      creation_mode: "auto",
      name: type,
      description: null,
      digest: vault.digest(secret),
      masked_key: "pl*******ed",
      status: "active",
      scopes: [...scopesOf(type)],
      rate_limits: [],
      usage_limits: null,
      defaults: {},
      alert_emails: [],
      expires_at: null,
      ...NO_ROTATION,
    });
    return secret;
  };
  try {
    if (!(await records.in(Organisations).get(organisationId)))
      await records.in(Organisations).insert({ ...stamps(), id: organisationId, name: "Planted", settings: {} });
    await records
      .in(Workspaces)
      .insert({ ...stamps(), id: workspaceId, organisation_id: organisationId, name: slug, slug, ...BLANK_WORKSPACE, defaults });
    return { organisationId, workspaceId, adminKey: await key("organisation-service"), gatewayKey: await key("workspace-service") };
  } finally {
    await running.close?.();
  }
}
