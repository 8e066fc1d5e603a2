import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGenerations } from "../kernel/generations.ts";
import { readSettings } from "../kernel/settings.ts";
import { readOptions } from "./options.ts";
import { createRuntime } from "./runtime.ts";

/** `gateway openapi`: boots the deployment over an empty database of its own and prints what it would serve. */
export async function openapi(args: readonly string[]): Promise<number> {
  const { settings } = readOptions(args);
  const dataDir = mkdtempSync(join(tmpdir(), "gateway-openapi-"));
  try {
    const apart = readSettings({ ...settings.env, GATEWAY_DATA_DIR: dataDir, DATABASE_URL: "", REDIS_URL: "", LOG_LEVEL: "error" });
    const runtime = createRuntime(apart);
    const [document, { INFO }] = await Promise.all([import("../http/openapi.ts"), import("../http/public.ts")]);
    const generations = await startGenerations({
      build: runtime.build,
      attach: (generation) => document.openapi(generation, INFO),
      detach: async () => undefined,
      log: runtime.log.log,
      redact: runtime.log.redact,
      parts: runtime.parts,
      idleLimitMs: 0,
    });
    console.log(JSON.stringify(generations.current.attached, null, 2));
    await generations.close();
    return 0;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
