import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSettings } from "../kernel/settings.ts";
import { readOptions } from "./options.ts";
import { withGeneration } from "./with-generation.ts";

/** `gateway openapi`: boots the deployment over an empty database of its own and prints what it would serve. */
export async function openapi(args: readonly string[]): Promise<number> {
  const { settings } = readOptions(args);
  const dataDir = mkdtempSync(join(tmpdir(), "gateway-openapi-"));
  try {
    const apart = readSettings({ ...settings.env, GATEWAY_DATA_DIR: dataDir, DATABASE_URL: "", REDIS_URL: "", LOG_LEVEL: "error" });
    const [document, { INFO }] = await Promise.all([import("../http/openapi.ts"), import("../http/public.ts")]);
    console.log(
      JSON.stringify(await withGeneration(apart, { looksOnly: false }, (generation) => document.openapi(generation, INFO)), null, 2),
    );
    return 0;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
