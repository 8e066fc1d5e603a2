import { existsSync, mkdirSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import {
  ApiKeys,
  BLANK_WORKSPACE,
  DATA_PLANE_SCOPE,
  DEFAULT_WORKSPACE,
  EVERY_SCOPE,
  FIRST_ORGANISATION_ID,
  GatewayError,
  type KeyType,
  mayHold,
  maskGatewayKey,
  newGatewayKey,
  NO_ROTATION,
  Organisations,
  type RecordOf,
  type RecordsHandle,
  type Vault,
  Workspaces,
} from "#contract";
import { replace, secretIn } from "../kernel/secrets/key-file.ts";
import type { ProcessLog } from "../kernel/process/log.ts";
import { SETTINGS, type Settings } from "../kernel/settings/settings.ts";
import { ADMIN_KEY_FILE, GATEWAY_KEY_FILE, SECRET_KEY_FILE } from "../kernel/secrets/key-file-names.ts";

/*
 * The same ids everywhere: of two processes that start at once, one insert wins and the other finds its work done.
 * The organisation is written last; its record says that the first start is over, so that a key which an operator
 * deletes later does not come back.
 */
const WORKSPACE_ID = "5f0c6a3e-0000-4000-8000-000000000002";

/** A key that an organisation begins with. */
export interface FirstKeyOf {
  readonly id: string;
  readonly name: string;
  readonly type: KeyType;
  readonly organisationId: string;
  readonly workspaceId: string | null;
  readonly scopes: readonly string[];
}
interface FirstKey extends FirstKeyOf {
  readonly file: string;
  readonly preset: "adminKey" | "apiKey";
}
const ADMIN: FirstKey = {
  id: "5f0c6a3e-0000-4000-8000-000000000003",
  name: "First admin key",
  type: "organisation-service",
  organisationId: FIRST_ORGANISATION_ID,
  workspaceId: null,
  file: ADMIN_KEY_FILE,
  preset: "adminKey",
  scopes: [EVERY_SCOPE],
};
const GATEWAY: FirstKey = {
  id: "5f0c6a3e-0000-4000-8000-000000000004",
  name: "First gateway key",
  type: "workspace-service",
  organisationId: FIRST_ORGANISATION_ID,
  workspaceId: WORKSPACE_ID,
  file: GATEWAY_KEY_FILE,
  preset: "apiKey",
  scopes: [DATA_PLANE_SCOPE],
};

export interface FirstStartParts {
  readonly records: RecordsHandle;
  readonly vault: Vault;
  readonly settings: Settings;
  readonly hide: ProcessLog["hide"];
  readonly log: ProcessLog["log"];
  now(): number;
}
/** Secrets that this process made just now; `null` when the gateway had been started before. */
export type FirstKeys = { readonly admin: string; readonly gateway: string } | null;

/** Creates organisation, workspace and the two first keys, once per database; applies preset keys at every start. */
export async function firstStart(parts: FirstStartParts): Promise<FirstKeys> {
  const organisation = await parts.records.in(Organisations).get(FIRST_ORGANISATION_ID);
  if (organisation) {
    refuseOtherVault(organisation, parts.vault);
    for (const key of [ADMIN, GATEWAY]) await applyPreset(key, parts);
    return null;
  }
  mkdirSync(parts.settings.dataDir, { recursive: true, mode: 0o700 });
  await put(parts.records.in(Workspaces), defaultWorkspace(WORKSPACE_ID, FIRST_ORGANISATION_ID, parts.now()));
  const admin = await firstKey(ADMIN, parts);
  const gateway = await firstKey(GATEWAY, parts);
  const first = await put(parts.records.in(Organisations), organisationOf(parts));
  return first ? { admin, gateway } : null;
}

/** The first keys as they are known at a start: preset, or in the files of an earlier one. */
export const firstKeysOf = (settings: Settings): readonly string[] =>
  [ADMIN, GATEWAY].flatMap(({ preset, file }) => settings[preset] ?? fileText(join(settings.dataDir, file)) ?? []);
function fileText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined; // not made yet, or taken away by its operator
  }
}

/** Inserts unless another process was first; says whether it was this one. */
async function put<T>(records: { insert(value: T): Promise<void> }, value: T): Promise<boolean> {
  try {
    await records.insert(value);
    return true;
  } catch (error) {
    if (GatewayError.is(error) && error.code === "CONFLICT") return false;
    throw error;
  }
}

const stamps = (id: string, now: number) => ({ id, created_at: now, last_updated_at: now });

const organisationOf = ({ vault, now }: FirstStartParts): RecordOf<typeof Organisations> => ({
  ...stamps(FIRST_ORGANISATION_ID, now()),
  name: "My organisation",
  settings: { vault_check: vault.digest("vault check") },
});

/** The workspace that every organisation has. */
export const defaultWorkspace = (id: string, organisation_id: string, now: number): RecordOf<typeof Workspaces> => ({
  ...BLANK_WORKSPACE,
  ...stamps(id, now),
  organisation_id,
  name: "Default",
  slug: DEFAULT_WORKSPACE,
  description: "Made with its organisation.",
});

/** Makes the key, or takes the one that another process makes at this moment from the same file. */
async function firstKey(key: FirstKey, parts: FirstStartParts): Promise<string> {
  const { settings, records, vault, hide } = parts;
  const file = join(settings.dataDir, key.file);
  const preset = settings[key.preset];
  if (preset !== undefined && existsSync(file)) replace(file, preset);
  const { secret, made } = secretIn({ path: file, setting: SETTINGS[key.preset], remedy: REMEDY }, () => preset ?? newGatewayKey(vault));
  hide(secret);
  if (await put(records.in(ApiKeys), keyRecord(key, secret, parts, preset !== undefined))) return secret;
  const stored = await records.in(ApiKeys).get(key.id);
  if (made && stored?.digest !== vault.digest(secret)) unlinkSync(file); // another machine's process was first: this secret opens nothing
  return secret;
}

const REMEDY = "Delete it, and a new one is made at the next start";

export const keyRecord = (
  key: FirstKeyOf,
  secret: string,
  { vault, now }: Pick<FirstStartParts, "vault" | "now">,
  isPreset = false,
): RecordOf<typeof ApiKeys> => ({
  ...stamps(key.id, now()),
  organisation_id: key.organisationId,
  workspace_id: key.workspaceId,
  user_id: null,
  created_by: key.id,
  type: key.type,
  creation_mode: "auto",
  name: key.name,
  description: "Made with its organisation.",
  ...digested(secret, vault),
  status: "active",
  scopes: [...key.scopes],
  rate_limits: [],
  usage_limits: null,
  defaults: {},
  alert_emails: [],
  expires_at: null,
  ...NO_ROTATION,
  is_preset: isPreset,
});

const digested = (secret: string, vault: Vault) => ({
  digest: vault.digest(secret),
  masked_key: maskGatewayKey(secret, vault),
});

/**
 * A preset key that was changed in the environment is changed here; one that was deleted comes back, being asked for. While
 * it is preset, no rotation replaces it: the next start would bring the secret before it back.
 */
async function applyPreset(key: FirstKey, parts: FirstStartParts): Promise<void> {
  const preset = parts.settings[key.preset];
  const keys = parts.records.in(ApiKeys);
  const stored = await keys.get(key.id);
  if (stored && stored.is_preset !== (preset !== undefined)) await keys.update(key.id, { is_preset: preset !== undefined });
  if (preset === undefined) return;
  parts.hide(preset);
  const { digest, masked_key } = digested(preset, parts.vault);
  const change = { digest, masked_key, ...UNROTATED, last_updated_at: parts.now() };
  if (!stored) await put(keys, keyRecord(key, preset, parts, true));
  else if (stored.digest !== digest) await keys.update(key.id, change);
  else return;
  mkdirSync(parts.settings.dataDir, { recursive: true, mode: 0o700 });
  replace(join(parts.settings.dataDir, key.file), preset);
  const why = stored ? "the key it had before is not known any more" : "the key had been deleted";
  parts.log("warn", "first-key.preset", { key: key.name, variable: SETTINGS[key.preset].env, why });
}
/** What an earlier rotation left: neither the secret before nor the one after it counts any more. */
const UNROTATED = { previous_digest: null, key_transition_expires_at: null, secret_sealed: null, secret_kept_until: null } as const;

/** What the first gateway key of an older build may do beyond the data plane; empty when it may do nothing, or is gone. */
export async function wideScopes(records: RecordsHandle): Promise<readonly string[]> {
  const stored = await records.in(ApiKeys).get(GATEWAY.id);
  return stored?.scopes.filter((scope) => mayHold(ADMIN.type, scope)) ?? []; // what an admin key may hold is no data plane
}

/** Leaves the first gateway key the data plane and nothing else; `false` when that key is gone. */
export const narrowGatewayKey = (records: RecordsHandle, now: number): Promise<boolean> =>
  records.in(ApiKeys).update(GATEWAY.id, { scopes: [...GATEWAY.scopes], last_updated_at: now });

/** Is this a deployment that was started before, with this secret key? Throws for one with another. */
export async function wasStarted(records: RecordsHandle, vault: Vault): Promise<boolean> {
  const organisation = await records.in(Organisations).get(FIRST_ORGANISATION_ID);
  if (organisation) refuseOtherVault(organisation, vault);
  return organisation !== undefined;
}

/** Keys digested under another secret would all be unknown: better said at once than as 401 to every client. */
function refuseOtherVault({ settings }: RecordOf<typeof Organisations>, vault: Vault): void {
  const check = settings["vault_check"];
  if (check === undefined || check === vault.digest("vault check")) return;
  const why =
    "the database was written with another secret key; " +
    `set the same GATEWAY_SECRET_KEY (or put back ${SECRET_KEY_FILE}) as when it was made`;
  throw new GatewayError("SETTING_INVALID", { name: "GATEWAY_SECRET_KEY", value: "***", why });
}
