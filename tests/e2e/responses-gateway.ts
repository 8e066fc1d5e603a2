/**
 * The profile of a gateway that serves Responses: by the built-in plugin where that makes them, else by the small one in
 * tests/external. A provider that has the API itself, `answers-llm`, is there too.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import builtIn from "../../plugins/api/responses/manifest.json" with { type: "json" };

const SOURCES = join(import.meta.dir, "../external");

export interface ResponsesProfile {
  /** For GATEWAY_PROFILE. */
  readonly path: string;
  remove(): void;
}

export function responsesProfile(): ResponsesProfile {
  const home = mkdtempSync(join(tmpdir(), "gateway-responses-"));
  const isBuiltIn = builtIn.provides.includes("createModelResponse");
  for (const plugin of isBuiltIn ? ["answers-llm"] : ["answers-llm", "answers"]) bundle(plugin, join(home, "plugins", plugin));
  const plugins = isBuiltIn ? {} : { "api/responses": { enabled: false } };
  const path = join(home, "profile.json");
  writeFileSync(path, JSON.stringify({ title: "Responses", extends: "default", pluginsDir: "plugins", plugins }));
  return { path, remove: () => rmSync(home, { recursive: true, force: true }) };
}

function bundle(plugin: string, folder: string): void {
  const cwd = join(SOURCES, plugin);
  const command = [process.execPath, "build", join(cwd, "index.ts"), "--target", "bun", "--outfile", join(folder, "dist/index.js")];
  const built = Bun.spawnSync(command, { cwd });
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  cpSync(join(cwd, "manifest.json"), join(folder, "manifest.json"));
}
