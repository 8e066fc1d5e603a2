/** A gateway with the pack `stuck`, whose checks do what no check should, bundled as a vendor would. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chat, type GatewayProcess, type StartOptions, startGateway } from "./process.ts";

const SOURCE = join(import.meta.dir, "../external/stuck");

export interface StuckGateway {
  readonly gateway: GatewayProcess;
  /** Asks the offline provider, with these checks in a guardrail that denies. */
  judged(checks: object, content: string, more?: object): ReturnType<typeof chat>;
  close(): Promise<void>;
}

export async function startStuck(options: StartOptions = {}): Promise<StuckGateway> {
  const home = mkdtempSync(join(tmpdir(), "gateway-stuck-"));
  const folder = join(home, "plugins/stuck");
  const built = Bun.spawnSync(
    [process.execPath, "build", join(SOURCE, "index.ts"), "--target", "bun", "--outfile", join(folder, "dist/index.js")],
    {
      cwd: SOURCE,
    },
  );
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  cpSync(join(SOURCE, "manifest.json"), join(folder, "manifest.json"));
  const profile = join(home, "profile.json");
  writeFileSync(profile, JSON.stringify({ title: "Stuck", extends: "default", pluginsDir: "plugins" }));
  const gateway = await startGateway({ ...options, env: { GATEWAY_PROFILE: profile, ...options.env } });
  return {
    gateway,
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
