import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Generation } from "../kernel/generation.ts";
import { readSettings, type Settings } from "../kernel/settings/settings.ts";
import { withGeneration } from "./with-generation.ts";

/** Boots the deployment over an empty database of its own, serving nobody: for what is asked of its plugins and not of its records. */
export async function apart<T>(settings: Settings, work: (generation: Generation) => T | Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), "gateway-apart-"));
  try {
    const empty = readSettings({ ...settings.env, GATEWAY_DATA_DIR: dataDir, DATABASE_URL: "", REDIS_URL: "", LOG_LEVEL: "error" });
    return await withGeneration(empty, { looksOnly: false }, work);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
