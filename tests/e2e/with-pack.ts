/** A gateway with a pack of tests/external, bundled as a vendor would. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chat, type GatewayProcess, type StartOptions, startGateway } from "./process.ts";

export interface PackGateway {
  readonly gateway: GatewayProcess;
  /** The folder of its profile. */
  readonly home: string;
  /** Asks the offline provider, with these checks in a guardrail that denies. */
  judged(checks: object, content: string, more?: object): ReturnType<typeof chat>;
  close(): Promise<void>;
}
export interface PackOptions extends StartOptions {
  /** Members of the profile beside the plugins folder. */
  readonly profile?: object;
}

/** Bundles a pack into the plugins folder of a home. */
export function install(name: string, home: string): void {
  const source = join(import.meta.dir, "../external", name);
  const folder = join(home, "plugins", name);
  const built = Bun.spawnSync(
    [process.execPath, "build", join(source, "index.ts"), "--target", "bun", "--outfile", join(folder, "dist/index.js")],
    { cwd: source },
  );
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  cpSync(join(source, "manifest.json"), join(folder, "manifest.json"));
}

export async function startWithPack(name: string, { profile, ...options }: PackOptions = {}): Promise<PackGateway> {
  const home = mkdtempSync(join(tmpdir(), `gateway-${name}-`));
  install(name, home);
  const file = join(home, "profile.json");
  writeFileSync(file, JSON.stringify({ title: name, extends: "default", pluginsDir: "plugins", ...profile }));
  const gateway = await startGateway({ ...options, env: { GATEWAY_PROFILE: file, ...options.env } });
  return {
    gateway,
    home,
    judged: (checks, content, more = {}) => {
      const config = { provider: "sandbox", input_guardrails: [{ ...checks, deny: true, ...more }] };
      return chat(gateway, { messages: [{ role: "user", content }] }, { "x-gateway-config": JSON.stringify(config) });
    },
    async close() {
      await gateway.stop();
      gateway.remove();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
