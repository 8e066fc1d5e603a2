/** The profile of a gateway with a provider that has the Responses API itself: `answers-llm` of tests/external. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SOURCES = join(import.meta.dir, "../external");

export interface ResponsesProfile {
  /** For GATEWAY_PROFILE. */
  readonly path: string;
  remove(): void;
}

export function responsesProfile(): ResponsesProfile {
  const home = mkdtempSync(join(tmpdir(), "gateway-responses-"));
  bundle("answers-llm", join(home, "plugins/answers-llm"));
  const path = join(home, "profile.json");
  writeFileSync(path, JSON.stringify({ title: "Responses", extends: "default", pluginsDir: "plugins" }));
  return { path, remove: () => rmSync(home, { recursive: true, force: true }) };
}

function bundle(plugin: string, folder: string): void {
  const cwd = join(SOURCES, plugin);
  const command = [process.execPath, "build", join(cwd, "index.ts"), "--target", "bun", "--outfile", join(folder, "dist/index.js")];
  const built = Bun.spawnSync(command, { cwd });
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  cpSync(join(cwd, "manifest.json"), join(folder, "manifest.json"));
}
