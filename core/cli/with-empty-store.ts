import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayError } from "#contract";
import { registry } from "../generated/registry.ts";
import { deploymentOf } from "../kernel/discovery/deployment.ts";
import type { Generation } from "../kernel/generation.ts";
import { readProfile } from "../kernel/settings/profile.ts";
import { readSettings, type Settings } from "../kernel/settings/settings.ts";
import { wantedStorage } from "../kernel/records/stores.ts";
import { withGeneration } from "./with-generation.ts";

/** Databases and caches that are servers: their storage is off where these are empty. */
export const SERVER_VARIABLES = ["DATABASE_URL", "REDIS_URL"] as const;

/**
 * Boots the deployment over an empty database of its own, serving nobody: for what is asked of its plugins and not of its
 * records. Refused where a storage from outside would open what it keeps, instead of that empty database.
 */
export async function withEmptyStore<T>(settings: Settings, work: (generation: Generation) => T | Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), "gateway-empty-"));
  try {
    const servers = Object.fromEntries(SERVER_VARIABLES.map((name) => [name, ""]));
    const empty = readSettings({ ...settings.env, ...servers, GATEWAY_DATA_DIR: dataDir, LOG_LEVEL: "error" });
    await refuseOutsideStorage(empty);
    return await withGeneration(empty, { keepsTables: false }, work);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function refuseOutsideStorage({ profile: file, env }: Settings): Promise<void> {
  const { plugins } = await deploymentOf(await readProfile(file, env), registry, env);
  const { wanted } = wantedStorage(plugins);
  const outside = wanted.find(({ origin }) => origin !== "built-in");
  if (!outside) return;
  throw new GatewayError("STORAGE_UNUSABLE", {
    file: outside.name,
    why: `this command sets plugins up over an empty database, and ${outside.name}, which is not built in, would open what it keeps`,
    remedy: "For this command, name a profile without it",
  });
}
