/** The switches of a private deployment: what OFF takes away, what goes on, and flags that nothing reads. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "bun:test";
import { type Json, scopesOf } from "#contract";
import { verifies } from "../requirements/verifies.ts";
import { ADMIN_KEY, type Answer, ask, chat, GATEWAY_KEY, type GatewayProcess, SOURCE, startGateway, until } from "./process.ts";

const running: GatewayProcess[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-flags-"));
  folders.push(folder);
  return folder;
};
const start = async (env: Readonly<Record<string, string>> = {}, dataDir = newFolder()): Promise<GatewayProcess> => {
  const gateway = await startGateway({ env, dataDir });
  running.push(gateway);
  return gateway;
};
/** Stops it and starts another on the same folder. */
async function restarted(gateway: GatewayProcess, env: Readonly<Record<string, string>>): Promise<GatewayProcess> {
  await gateway.stop();
  return start(env, gateway.dataDir);
}
const admin = (gateway: GatewayProcess, method: string, path: string, body?: Json): Promise<Answer> =>
  ask(gateway.base + path, method, ADMIN_KEY, body);

/** Runs `gateway check` to its end. */
async function check(env: Readonly<Record<string, string>>): Promise<{ code: number; out: string; err: string }> {
  const base = { PATH: process.env["PATH"], HOME: process.env["HOME"], GATEWAY_DATA_DIR: newFolder() };
  const child = Bun.spawn([...SOURCE, "check"], { env: { ...base, ...env }, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { code, out, err };
}

const NOTHING: Json = { type: "requests", unit: "rph", value: 0 };
const POLICY: Json = {
  name: "none",
  ...NOTHING,
  conditions: [{ key: "model", value: "*" }],
  group_by: [{ key: "api_key" }],
  workspace_id: "default",
};
const keyOf = (more: Json): Json => ({ name: "k", workspace_id: "default", scopes: ["completions.write"], ...more });

describe("USAGE_LIMITS_ENABLED", () => {
  const statusWith = async (gateway: GatewayProcess, key: string): Promise<number> =>
    (await chat({ base: gateway.base, gatewayKey: key }, {})).status;

  test(verifies(
    "9.flag-usage",
    "OFF ignores the rate limits of keys, which are kept, and hold again once it is ON; policies hold throughout",
  ), async () => {
    const before = await start();
    const made = (await admin(before, "POST", "/v2/api-keys/service", keyOf({ rate_limits: [NOTHING] }))).json;
    expect(await statusWith(before, String(made["key"]))).toBe(429);

    const off = await restarted(before, { USAGE_LIMITS_ENABLED: "OFF" });
    expect(await statusWith(off, String(made["key"]))).toBe(200);
    const written = await admin(off, "POST", "/v2/api-keys/service", keyOf({ rate_limits: [NOTHING] }));
    expect(written.status).toBe(200);
    expect((await admin(off, "GET", `/v2/api-keys/${written.json["id"]}`)).json).toMatchObject({ rate_limits: [NOTHING] });
    expect(await statusWith(off, String(written.json["key"]))).toBe(200);
    expect(off.output()).toMatch(/"event":"rate limits off"[^\n]*kept, but not enforced/);
    expect((await admin(off, "POST", "/v2/policies/rate-limits", POLICY)).status).toBe(200);
    expect(await statusWith(off, String(made["key"]))).toBe(429);

    const on = await restarted(off, { USAGE_LIMITS_ENABLED: "ON", POLICY_ENABLED: "OFF" });
    expect([await statusWith(on, String(made["key"])), await statusWith(on, String(written.json["key"]))]).toEqual([429, 429]);
    expect(await statusWith(on, GATEWAY_KEY)).toBe(200);
    expect(on.output()).not.toContain("rate limits off");
  }, 20_000);
});

describe("API_ACCESS_ENABLED", () => {
  interface Operation {
    readonly method: string;
    readonly path: string;
  }
  /** Every documented route below the prefixes, path parameters filled in. */
  async function routes(gateway: GatewayProcess, prefix: RegExp): Promise<Operation[]> {
    const { paths } = (await ask(`${gateway.base}/openapi.json`, "GET", null)).json as unknown as { paths: Record<string, object> }; // what OpenAPI calls paths
    return Object.entries(paths)
      .filter(([path]) => prefix.test(path))
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: path.replace(/\{[^}]+\}/g, "nobody") })),
      );
  }
  const CLOSED = {
    error: { type: "permission_error", code: "AB03", message: expect.stringMatching(/closed to this key: API access is switched off/) },
  };

  test(verifies(
    "9.flag-api-access",
    "OFF closes every route of the control and admin planes to keys, says so, and leaves the data plane open",
  ), async () => {
    const before = await start();
    const every = scopesOf("workspace-service").filter((scope) => !scope.startsWith("workspace_service_api_keys"));
    const { key } = (await admin(before, "POST", "/v2/api-keys/service", keyOf({ scopes: every }))).json;
    expect((await ask(`${before.base}/v2/configs`, "GET", String(key))).status).toBe(200);

    const off = await restarted(before, { API_ACCESS_ENABLED: "OFF" });
    const closed = (await routes(off, /^\/(v2|admin)\//)).filter(
      ({ path }) => !path.endsWith("/invites/accept") && !path.includes("/model-configs/pricing/"), // whoever has the link; anybody
    );
    expect(closed.length).toBeGreaterThan(25);
    for (const { method, path } of closed)
      for (const secret of [ADMIN_KEY, GATEWAY_KEY, String(key)]) {
        const answer = await ask(off.base + path, method, secret, method === "POST" || method === "PUT" ? {} : undefined);
        expect({ method, path, status: answer.status, json: answer.json as Json }).toMatchObject({ status: 403, json: CLOSED });
      }
    expect((await ask(`${off.base}/v2/configs`, "GET", "nobodysKey0123456789")).status).toBe(401);
    expect((await chat(off, {})).status).toBe(200);
    expect((await ask(`${off.base}/v1/models`, "GET", String(key))).status).toBe(200);
    for (const { method, path } of await routes(off, /^\/v1\//))
      expect((await ask(off.base + path, method, GATEWAY_KEY, method === "POST" ? {} : undefined)).text).not.toContain("API access");

    const on = await restarted(off, { API_ACCESS_ENABLED: "ON" });
    expect((await admin(on, "GET", "/v2/configs")).status).toBe(200);
  }, 30_000);
  test("OFF is told beside the admin key that the first start prints, and not where it is ON", async () => {
    const off = await start({ API_ACCESS_ENABLED: "OFF" });
    await until("the keys are printed", () => off.output().includes("Try it:"));
    expect(off.output()).toMatch(
      /admin key +taken from GATEWAY_ADMIN_KEY +\(.*admin\.key\)\n +refused for now: API access is switched off.*API_ACCESS_ENABLED/,
    );
    const on = await start();
    await until("the keys are printed", () => on.output().includes("Try it:"));
    expect(on.output()).not.toContain("refused for now");
  });
});

describe("a flag that nothing of the deployment reads", () => {
  const ABSENT = { DATA_EXPORTS_ENABLED: "OFF", SCIM_ENABLED: "off" };
  const namesIn = (text: string): string[] => [...text.matchAll(/"event":"flag\.unread","variable":"(\w+)"/g)].map(([, name = ""]) => name);

  test("is named at start, once each, and the gateway goes on; what is read, empty or no flag is not named", async () => {
    const profile = join(newFolder(), "profile.json");
    const named = { "policy/api-key": { config: { apiAccess: "${OWN_SWITCH_ENABLED}" } } };
    writeFileSync(profile, JSON.stringify({ title: "p", extends: "default", plugins: named }));
    const gateway = await start({
      ...ABSENT,
      GATEWAY_PROFILE: profile,
      OWN_SWITCH_ENABLED: "on",
      EMPTY_ENABLED: "",
      POLICY_ENABLED: "ON",
      NOT_A_FLAG: "ON",
    });
    expect((await admin(gateway, "POST", "/admin/v2/generations")).status).toBe(200);
    expect(namesIn(gateway.output()).filter((name) => !(name in process.env))).toEqual(Object.keys(ABSENT).sort());
    expect(gateway.output()).toContain("no plugin of this deployment reads it");
    expect((await chat(gateway, {})).status).toBe(200);
  }, 15_000);
  test("is named by `gateway check`, which finds nothing else wrong", async () => {
    const { code, out, err } = await check({ ...ABSENT, USAGE_LIMITS_ENABLED: "OFF" });
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("nothing wrong") });
    expect(err.trim().split("\n").sort()).toEqual(
      Object.keys(ABSENT)
        .sort()
        .map((name) => `Warning: ${name} is set, but no plugin of this deployment reads it, so it switches nothing.`),
    );
  });
});

describe("the words of a flag", () => {
  const FLAGS = ["GUARDRAILS_ENABLED", "POLICY_ENABLED", "USAGE_LIMITS_ENABLED", "API_ACCESS_ENABLED"] as const;
  const all = (word: string): Record<string, string> => Object.fromEntries(FLAGS.map((flag) => [flag, word]));

  test.each(["ON", "on", "True", "1", "OFF", "oFF", "false", "0", " off "])("%p is understood", async (word) => {
    expect(await check(all(word))).toMatchObject({ code: 0, err: "" });
  });
  test.each(FLAGS.flatMap((flag) => ["yes", "no", "2"].map((word) => [flag, word] as const)))("%s=%s is refused", async (flag, word) => {
    const { code, err } = await check({ [flag]: word });
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining(`The setting ${flag}=${word} is not valid: it must be ON or OFF.`),
    });
  });
  test("one that is neither is refused also where the profile leaves its plugins out", async () => {
    const profile = join(newFolder(), "profile.json");
    const off = Object.fromEntries(["policy/rate-limit", "admin/rate-limit-policies"].map((name) => [name, { enabled: false }]));
    writeFileSync(profile, JSON.stringify({ title: "p", extends: "default", plugins: off }));
    for (const flag of ["USAGE_LIMITS_ENABLED", "POLICY_ENABLED"]) {
      const { code, err } = await check({ GATEWAY_PROFILE: profile, [flag]: "maybe" });
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`${flag}=maybe is not valid: it must be ON or OFF`) });
    }
  });
});
