/** A check whose credential is missing: what is said of it before any request, and what a request meets. */
import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pack from "../external/acme/manifest.json" with { type: "json" };
import { ADMIN_KEY, ask, chat, type GatewayProcess, SOURCE, startGateway, until } from "./process.ts";

const home = mkdtempSync(join(tmpdir(), "missing-secret-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const NAME = pack.needs.find((need) => need.startsWith("secret:"))?.slice("secret:".length) ?? "";
const PLUGIN = `guardrail/${pack.id}`;
const checks = { [`${pack.id}.risk`]: {} };

/** A pack from outside the tree, for whose checks no tenant can keep an account. */
const plugins = join(home, "plugins");
const source = join(import.meta.dir, "../external/acme");
mkdirSync(join(plugins, pack.id), { recursive: true });
cpSync(join(source, "manifest.json"), join(plugins, pack.id, "manifest.json"));
Bun.spawnSync([process.execPath, "build", "index.ts", "--target=bun", `--outfile=${join(plugins, pack.id, pack.entry)}`], { cwd: source });
const guardedBy = (deny: boolean) => ({
  "x-gateway-config": JSON.stringify({ provider: "sandbox", input_guardrails: [{ ...checks, deny }] }),
});

let profiles = 0;
const profileWith = (more: object): string => {
  profiles += 1;
  const path = join(home, `profile-${profiles}.json`);
  writeFileSync(path, JSON.stringify({ title: "p", extends: "default", pluginsDir: plugins, ...more }));
  return path;
};
function run(command: string, env: Readonly<Record<string, string>>): { code: number; out: string; err: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...SOURCE, command], {
    env: { PATH: process.env["PATH"] ?? "", HOME: home, GATEWAY_DATA_DIR: home, ...env },
  });
  return { code: exitCode, out: stdout.toString(), err: stderr.toString() };
}
async function withGateway(env: Readonly<Record<string, string>>, use: (gateway: GatewayProcess) => Promise<void>): Promise<void> {
  const gateway = await startGateway({ env: { [NAME]: "", ...env } });
  try {
    await use(gateway);
  } finally {
    await gateway.stop();
    gateway.remove();
  }
}

/** Ways to be without it, and what would be right. */
const WAYS: readonly (readonly [how: string, env: Readonly<Record<string, string>>, says: RegExp])[] = [
  ["is not set", { GATEWAY_PROFILE: profileWith({}) }, new RegExp(`The secret ${NAME} is missing: set the environment variable ${NAME}`)],
  [
    "is mapped to what is not set",
    { [NAME]: "here", GATEWAY_PROFILE: profileWith({ secrets: { [NAME]: "env:ELSEWHERE" } }) },
    /set the environment variable ELSEWHERE/,
  ],
  [
    "would be read by a plugin that is off",
    { [NAME]: "here", GATEWAY_PROFILE: profileWith({ plugins: { "secret/env": { enabled: false } } }) },
    new RegExp(`no running secret plugin reads env:${NAME}`),
  ],
];

describe.each(WAYS)("a credential that %s", (_, env, says) => {
  test("is told by check, by list, by the banner, by /readyz and by the list of plugins, before any request", async () => {
    const checked = run("check", env);
    expect({ code: checked.code, out: checked.out }).toEqual({ code: 0, out: expect.stringMatching(says) });
    expect(checked.out).toMatch(new RegExp(`Missing: ${PLUGIN}`));
    const listed = run("list", env);
    expect(listed.out.split("\n").find((line) => line.startsWith(PLUGIN))).toMatch(says);
    await withGateway(env, async (gateway) => {
      const banner = gateway.output().split("\n");
      await until("the log names it", () => gateway.output().includes(`"event":"secret.missing","plugin":"${PLUGIN}","name":"${NAME}"`));
      expect(banner.find((line) => line.includes(`lacking: ${PLUGIN}`))).toMatch(says);
      const ready = await ask(`${gateway.base}/readyz`, "GET", null);
      expect([ready.status, ready.json]).toMatchObject([
        200,
        { status: "ready", lacking: expect.arrayContaining([{ part: PLUGIN, why: expect.stringMatching(says) }]) },
      ]);
      const { data } = (await ask(`${gateway.base}/admin/v2/plugins`, "GET", ADMIN_KEY)).json as unknown as {
        data: readonly { name: string; state: string; why: string | null }[]; // the route's own schema
      };
      expect(data.find(({ name }) => name === PLUGIN)).toMatchObject({ state: "running", why: expect.stringMatching(says) });
      const denied = await chat(gateway, {}, guardedBy(true));
      expect([denied.status, denied.text]).toEqual([446, expect.stringContaining("Authentication error")]);
      expect((await chat(gateway, {}, guardedBy(false))).status).toBe(200);
    });
  }, 20_000);
});

test("a credential that is there is missed nowhere", async () => {
  const env = { [NAME]: "canaryPassword1", GATEWAY_PROFILE: profileWith({}) };
  for (const command of ["check", "list"]) expect(run(command, env).out).not.toContain(`The secret ${NAME} is missing`);
  await withGateway(env, async (gateway) => {
    expect((await ask(`${gateway.base}/readyz`, "GET", null)).text).not.toContain(NAME);
    expect(gateway.output()).not.toMatch(new RegExp(`(degraded|lacking): ${PLUGIN}|${NAME} is missing|canaryPassword1`));
  });
}, 20_000);
