/** What is missing never opens a door: a policy that does not run is not a policy that lets everything pass. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ADMIN_KEY, ask, chat, type GatewayProcess, SOURCE, startGateway } from "./process.ts";

const home = mkdtempSync(join(tmpdir(), "missing-policy-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

type Json = Readonly<Record<string, unknown>>;
/** A profile with these entries, over a folder of plugins with this one policy in it. */
function deployment(plugins: Json, policy?: { readonly manifest: string; readonly code: string }): string {
  const folder = mkdtempSync(join(home, "deployment-"));
  const profile = join(folder, "profile.json");
  mkdirSync(join(folder, "plugins/gatekeeper"), { recursive: true });
  if (policy) writeFileSync(join(folder, "plugins/gatekeeper/manifest.json"), policy.manifest);
  if (policy) writeFileSync(join(folder, "plugins/gatekeeper/plugin.mjs"), policy.code);
  writeFileSync(profile, JSON.stringify({ title: "Missing", extends: "default", pluginsDir: "plugins", plugins }));
  return profile;
}
const MANIFEST: Json = { id: "gatekeeper", kind: "policy", version: "1.0.0", contract: "^1.0.0", title: "Gatekeeper", entry: "plugin.mjs" };
const BROKEN = { manifest: JSON.stringify(MANIFEST), code: 'throw new Error("no luck today")' };
const OPEN = `const schema = { [Symbol.for("TypeBox.Kind")]: "Object", type: "object", properties: {} };
  export default { kind: "policy", config: schema, needs: [], setup: () => ({ provides: { admit: () => undefined } }) };`;
const typo = { config: { nonsense: 1 } };

async function withGateway(profile: string, use: (gateway: GatewayProcess) => Promise<void>): Promise<void> {
  const gateway = await startGateway({ env: { GATEWAY_PROFILE: profile } });
  try {
    await use(gateway);
  } finally {
    await gateway.stop();
    gateway.remove();
  }
}
/** Starts one that should end by itself. */
async function start(profile: string): Promise<{ readonly code: number; readonly err: string }> {
  const { DATABASE_URL: _, REDIS_URL: __, ...env } = process.env;
  const own = { PORT: "0", GATEWAY_PROFILE: profile, GATEWAY_DATA_DIR: join(profile, "../data") };
  const child = Bun.spawn([...SOURCE, "serve"], { env: { ...env, ...own }, stdout: "ignore", stderr: "pipe" });
  const killer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  const [err, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  clearTimeout(killer);
  return { code, err };
}

/** `gateway check` of a profile, beside an empty data folder. */
async function check(
  profile: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const { DATABASE_URL: _, REDIS_URL: __, ...inherited } = process.env;
  const env = { ...inherited, GATEWAY_DATA_DIR: join(profile, "../unused"), ...more };
  const child = Bun.spawn([...SOURCE, "check", "--profile", profile], { env, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { code, out, err };
}
test("`gateway check` finds what ends the start: a policy whose setup throws", async () => {
  const code = OPEN.replace(
    "setup: () => ({ provides: { admit: () => undefined } })",
    'setup: () => { throw new Error("no luck today"); }',
  );
  const profile = deployment({ "policy/gatekeeper": {} }, { manifest: JSON.stringify(MANIFEST), code });
  expect((await start(profile)).err).toMatch(/PLUGIN_SETUP: .*policy\/gatekeeper.*no luck today/);
  expect(await check(profile)).toEqual({
    code: 1,
    out: expect.stringContaining(", 1 problem."),
    err: expect.stringMatching(/^The plugin policy\/gatekeeper .*no luck today/m),
  });
}, 20_000);
test("code that cannot be read is told with its first fault, its file and its line", async () => {
  const profile = deployment(
    { "policy/gatekeeper": {} },
    { manifest: JSON.stringify(MANIFEST), code: "export default {\n  kind: x y,\n  z: ;\n};" },
  );
  expect((await check(profile)).err).toMatch(/policy\/gatekeeper .* failed in import: Expected .* \(.*plugin\.mjs:2:\d+\)\./);
}, 20_000);
const NO_STORAGE = (): string => deployment({ "storage/sqlite": { enabled: false } });
test("`gateway check` does not judge a storage that it would not have for itself, does not open it, and says so", async () => {
  const opened = `const schema = { [Symbol.for("TypeBox.Kind")]: "Object", type: "object", properties: {} };
    export default { kind: "storage", config: schema, needs: [], setup: () => { console.log("the storage was opened"); throw new Error("x"); } };`;
  const manifest = JSON.stringify({ ...MANIFEST, kind: "storage", title: "Elsewhere" });
  const outside = deployment({ "storage/gatekeeper": {}, "storage/sqlite": { enabled: false } }, { manifest, code: opened });
  const { code, out, err } = await check(outside);
  expect({ code, says: err.includes("Not judged: the storage"), opened: out.includes("was opened") }).toEqual({
    code: 0,
    says: true,
    opened: false,
  });
  const server = await check(NO_STORAGE(), { DATABASE_URL: "postgres://127.0.0.1:1/none" });
  expect({ code: server.code, says: server.err.includes("Not judged: the storage") }).toEqual({ code: 0, says: true });
  for (const summary of [out, server.out]) expect(summary).toMatch(/nothing wrong in what was judged, \d not judged\.$/m);
  expect(await check(NO_STORAGE())).toMatchObject({ code: 1, err: expect.stringMatching(/^The plugin \(the gateway itself\) requires/m) });
}, 20_000);
test.each([["DATABASE_URL", "postgres://127.0.0.1:1/none"] as const, ["REDIS_URL", "redis://127.0.0.1:1"] as const])(
  "`gateway check` claims nothing of the server behind %s, which it did not ask",
  async (variable, url) => {
    const { code, out, err } = await check(deployment({}), { [variable]: url });
    expect({ code, out, err }).toEqual({
      code: 0,
      out: expect.stringContaining("nothing wrong in what was judged, 1 not judged."),
      err: expect.stringContaining(`Not judged: the server of ${variable}`),
    });
    expect((await check(deployment({}))).out).toMatch(/nothing wrong\.$/m);
  },
  20_000,
);
test("`gateway check` fails where no policy tells who asks", async () => {
  const profile = deployment({ "policy/api-key": { enabled: false } });
  const child = Bun.spawn([...SOURCE, "check", "--profile", profile], { cwd: join(profile, ".."), stdout: "ignore", stderr: "pipe" });
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
    1,
    expect.stringContaining("No enabled policy tells who asks"),
  ]);
}, 15_000);

describe("a policy that fails at the first start", () => {
  test.each([
    ["the limits, by a typing error", deployment({ "policy/rate-limit": typo }), /policy\/rate-limit[\s\S]*nonsense/],
    ["the keys, by a typing error", deployment({ "policy/api-key": typo }), /policy\/api-key[\s\S]*nonsense/],
    ["one from outside, whose code throws", deployment({ "policy/gatekeeper": {} }, BROKEN), /policy\/gatekeeper[\s\S]*no luck today/],
    [
      "one from outside, whose manifest is not valid",
      deployment({}, { manifest: JSON.stringify({ ...MANIFEST, surprise: true }), code: "" }),
      /gatekeeper[\s\S]*surprise/,
    ],
    [
      "one that requires what is not there",
      deployment({ "policy/gatekeeper": {} }, { manifest: JSON.stringify({ ...MANIFEST, requires: ["guardrail/absent"] }), code: OPEN }),
      /policy\/gatekeeper requires guardrail\/absent/,
    ],
  ])(
    "%s: the gateway does not start, and says why",
    async (_, profile, says) => expect(await start(profile)).toEqual({ code: 1, err: expect.stringMatching(says) }),
    15_000,
  );

  test.each([
    ["the limits", "policy/rate-limit", deployment({ "policy/rate-limit": { ...typo, required: false } })],
    ["one from outside", "policy/gatekeeper", deployment({ "policy/gatekeeper": { required: false } }, BROKEN)],
  ])(
    "%s, where the profile says that the gateway may start without: nobody passes who would have been judged",
    async (_, name, profile) => {
      await withGateway(profile, async (gateway) => {
        const answer = await chat(gateway, {});
        expect({ status: answer.status, error: answer.json["error"] as unknown, retry: answer.headers.get("retry-after") }).toEqual({
          status: 503,
          error: expect.objectContaining({ message: expect.stringContaining(`The policy ${name} is not running`) }),
          retry: "5",
        });
        const ready = await ask(`${gateway.base}/readyz`, "GET", null);
        expect([ready.status, ready.text]).toEqual([503, expect.stringContaining(name)]);
        expect((await ask(`${gateway.base}/admin/v2/plugins`, "GET", ADMIN_KEY)).status).toBe(200); // so that it can be mended
      });
    },
    15_000,
  );
  test("the keys, where the profile says so: nobody is known, and nobody is called unknown", async () => {
    await withGateway(deployment({ "policy/api-key": { ...typo, required: false } }), async (gateway) => {
      for (const path of ["/v1/models", "/v2/configs", "/admin/v2/plugins"])
        expect([path, (await ask(gateway.base + path, "GET", ADMIN_KEY)).status]).toEqual([path, 503]);
    });
  }, 15_000);
  test("a routing strategy, where the profile says so: a config that names it is refused, others go on", async () => {
    await withGateway(deployment({ "policy/loadbalance": { ...typo, required: false } }), async (gateway) => {
      const config = JSON.stringify({ strategy: { mode: "loadbalance" }, targets: [{ provider: "sandbox" }] });
      expect((await chat(gateway, {}, { "x-gateway-config": config })).status).toBe(400);
      expect((await chat(gateway, {})).status).toBe(200);
      expect((await ask(`${gateway.base}/readyz`, "GET", null)).status).toBe(200);
    });
  }, 15_000);
});

describe("a policy that the profile turns off", () => {
  const off = { "policy/api-key": { enabled: false } };
  const askAll = (gateway: GatewayProcess, key: string | null): Promise<readonly number[]> =>
    Promise.all(
      ["/v1/models", "/v2/configs", "/admin/v2/plugins"].map(async (path) => (await ask(gateway.base + path, "GET", key)).status),
    );
  test("the keys: nobody is known, and nobody is called unknown", async () => {
    await withGateway(deployment(off), async (gateway) => {
      for (const key of [ADMIN_KEY, "a-key-that-nobody-has", null])
        expect([key, await askAll(gateway, key)]).toEqual([key, [503, 503, 503]]);
      const answer = await chat(gateway, {});
      expect([answer.text, answer.headers.get("retry-after")]).toEqual([
        expect.stringContaining("no policy runs that could tell who asks"),
        "2",
      ]);
      const ready = await ask(`${gateway.base}/readyz`, "GET", null);
      expect([ready.status, ready.text]).toEqual([503, expect.stringContaining("No policy runs that could tell who asks")]);
    });
  }, 15_000);
  test("the keys, at a reload: it is refused unless it is forced", async () => {
    const profile = deployment({});
    await withGateway(profile, async (gateway) => {
      writeFileSync(profile, JSON.stringify({ title: "Missing", extends: "default", plugins: off }));
      const reload = (query: string) => ask(`${gateway.base}/admin/v2/generations${query}`, "POST", ADMIN_KEY, {});
      expect(await reload("")).toMatchObject({ status: 500, text: expect.stringMatching(/policy\/api-key.*who asks/) });
      expect((await chat(gateway, {})).status).toBe(200);
      expect((await reload("?force=true")).status).toBe(200);
      expect(await askAll(gateway, ADMIN_KEY)).toEqual([503, 503, 503]);
    });
  }, 15_000);
  test("the limits: that is a wish, and a reload grants it", async () => {
    const profile = deployment({});
    await withGateway(profile, async (gateway) => {
      writeFileSync(
        profile,
        JSON.stringify({ title: "Missing", extends: "default", plugins: { "policy/rate-limit": { enabled: false } } }),
      );
      expect((await ask(`${gateway.base}/admin/v2/generations`, "POST", ADMIN_KEY, {})).status).toBe(200);
      expect((await chat(gateway, {})).status).toBe(200);
    });
  }, 15_000);
});
