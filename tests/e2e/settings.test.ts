/** Settings of a self-hosted gateway, and what is refused at start. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import type { Json, LogRow } from "#contract";
import { connectSqlite } from "../../storage/sqlite/index.ts";
import { Config as PostgresConfig } from "../../storage/postgres/config.ts";
import postgresManifest from "../../storage/postgres/manifest.json" with { type: "json" };
import { handleOf } from "../kit/storage/subject.ts";
import { verifies } from "../requirements/verifies.ts";
import { isSkip, newDatabase, ownPostgres } from "../servers/index.ts";
import { ADMIN_KEY, type Answer, ask, chat, GATEWAY_KEY, type GatewayProcess, SOURCE, startGateway, until } from "./process.ts";

const running: GatewayProcess[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-settings-"));
  folders.push(folder);
  return folder;
};
const start = async (env: Readonly<Record<string, string>> = {}, dataDir = newFolder()): Promise<GatewayProcess> => {
  const gateway = await startGateway({ env, dataDir });
  running.push(gateway);
  return gateway;
};

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}
/** Runs a command of the gateway to its end; `undefined` takes a variable away. */
async function run(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): Promise<Run> {
  const base = {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    PORT: "0",
    GATEWAY_DATA_DIR: newFolder(),
    GATEWAY_ADMIN_KEY: ADMIN_KEY,
    GATEWAY_API_KEY: GATEWAY_KEY,
  };
  const child = Bun.spawn([...SOURCE, ...args], { env: { ...base, ...env }, stdout: "pipe", stderr: "pipe" });
  const killer = setTimeout(() => child.kill("SIGKILL"), 15_000); // it should have been refused
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  clearTimeout(killer);
  return { code, out, err };
}

const GUARDED = JSON.stringify({ provider: "sandbox", input_guardrails: [{ deny: true, "default.wordCount": { maxWords: 0 } }] });
const feedback = (value: number): Json => ({ feedback: { value, weight: 1, metadata: "" } });
const ACTIONS: Json = { deny: true, async: false, on_success: feedback(5), on_fail: feedback(-5) };
const admin = (gateway: GatewayProcess, method: string, path: string, body?: Json): Promise<Answer> =>
  ask(gateway.base + path, method, ADMIN_KEY, body);
const LIMIT: Json = {
  name: "none",
  type: "requests",
  unit: "rph",
  value: 0,
  conditions: [{ key: "model", value: "*" }],
  group_by: [{ key: "api_key" }],
  workspace_id: "default",
};

describe("flags", () => {
  test(verifies("9.flags-default", "without any, guardrails and policies are on"), async () => {
    const gateway = await start();
    expect((await admin(gateway, "GET", "/v2/guardrails")).status).toBe(200);
    expect((await chat(gateway, {}, { "x-gateway-config": GUARDED })).status).toBe(446);
    expect((await admin(gateway, "POST", "/v2/policies/rate-limits", LIMIT)).status).toBe(200);
    expect((await chat(gateway, {})).status).toBe(429);
  });
  test(
    verifies(
      "9.flag-guardrails",
      "GUARDRAILS_ENABLED=OFF takes guardrails away from the control plane; what denies goes on denying, so that no door opens",
    ),
    async () => {
      const dataDir = newFolder();
      const before = await start({}, dataDir);
      const { slug } = (
        await admin(before, "POST", "/v2/guardrails", {
          name: "g",
          workspace_id: "default",
          checks: [{ id: "default.wordCount", parameters: { maxWords: 0 } }],
          actions: ACTIONS,
        })
      ).json;
      await before.stop();
      const gateway = await start({ GUARDRAILS_ENABLED: "OFF" }, dataDir);
      for (const path of ["/v2/guardrails", "/admin/v2/guardrails"]) expect((await admin(gateway, "GET", path)).status).toBe(404);
      expect(JSON.stringify((await ask(`${gateway.base}/openapi.json`, "GET", null)).json)).not.toContain("/v2/guardrails");
      const named = JSON.stringify({ provider: "sandbox", input_guardrails: [slug] });
      expect([
        (await chat(gateway, {}, { "x-gateway-config": named })).status,
        (await chat(gateway, {}, { "x-gateway-config": GUARDED })).status,
        (await chat(gateway, {})).status,
      ]).toEqual([446, 446, 200]);
    },
  );
  test(verifies("9.flag-policy", "POLICY_ENABLED=OFF ignores rate-limit policies and takes them away; limits of keys hold"), async () => {
    const dataDir = newFolder();
    const before = await start({}, dataDir);
    await admin(before, "POST", "/v2/policies/rate-limits", LIMIT);
    const { key } = (
      await admin(before, "POST", "/v2/api-keys/service", {
        name: "k",
        workspace_id: "default",
        scopes: ["completions.write"],
        rate_limits: [{ type: "requests", unit: "rph", value: 0 }],
      })
    ).json;
    expect((await chat(before, {})).status).toBe(429);
    await before.stop();
    const gateway = await start({ POLICY_ENABLED: "OFF" }, dataDir);
    expect((await admin(gateway, "GET", "/v2/policies/rate-limits")).status).toBe(404);
    expect((await chat(gateway, {})).status).toBe(200);
    expect((await chat({ base: gateway.base, gatewayKey: String(key) }, {})).status).toBe(429);
  });
  test("`gateway list` says which flag turned a plugin off", async () => {
    const { code, out } = await run(["list"], { GUARDRAILS_ENABLED: "OFF" });
    expect(code).toBe(0);
    expect(out).toMatch(/admin\/guardrails\s+disabled.*GUARDRAILS_ENABLED is OFF/);
    expect((await run(["list"])).out).toMatch(/admin\/guardrails\s+enabled/);
  });
});

describe("retention of logs", () => {
  const DAY_MS = 86_400_000;
  const row = (id: string, daysAgo: number): LogRow => ({
    id,
    organisationId: "o",
    workspaceId: null,
    createdAt: Date.now() - daysAgo * DAY_MS,
    traceId: id,
    provider: null,
    model: null,
    status: 200,
    costCents: null,
    inputTokens: 0,
    outputTokens: 0,
    responseTimeMs: 1,
    apiKeyId: null,
    cacheStatus: "MISS",
    metadata: {},
    facts: null,
    request: null,
    sent: null,
    response: null,
    hooks: null,
  });
  const opened = async (dir: string) => {
    const store = connectSqlite({ log: () => undefined, now: Date.now }, { dir, busyTimeoutMs: 20_000 });
    await store.ready?.();
    return { logs: handleOf(store.provides, "logs"), close: () => store.close?.() };
  };
  /** Which of these are left after a gateway has started on the folder. */
  async function keptAfterStart(env: Readonly<Record<string, string>>, ages: readonly number[], gone: number): Promise<readonly number[]> {
    const dir = newFolder();
    const store = await opened(dir);
    await store.logs.write(ages.map((days) => row(`log-${days}`, days)));
    await start(env, dir);
    await until("the oldest is deleted", async () => (await store.logs.get(`log-${gone}`)) === undefined, 10_000);
    const kept = await Promise.all(ages.map(async (days) => ((await store.logs.get(`log-${days}`)) ? [days] : [])));
    await store.close();
    return kept.flat();
  }
  test(verifies("9.log-retention", "is 90 days unless LOG_RETENTION_DISPLAY says otherwise"), async () => {
    expect(await keptAfterStart({}, [1, 89, 91, 400], 400)).toEqual([1, 89]);
    expect(await keptAfterStart({ LOG_RETENTION_DISPLAY: "30" }, [1, 29, 31, 89], 89)).toEqual([1, 29]);
  }, 30_000);
});

describe("the database", () => {
  test(verifies("8.pool-size", "has 12 connections unless DB_POOL_SIZE says otherwise"), () => {
    expect(Value.Default(PostgresConfig, {})).toMatchObject({ poolSize: 12 });
    expect(postgresManifest.env).toMatchObject({
      DB_POOL_SIZE: "poolSize",
      DB_SSL: "ssl",
      DB_SSL_CA: "sslCa",
      DB_SSL_CERT: "sslCert",
      DB_SSL_KEY: "sslKey",
    });
  });
});

describe("a database that goes away", () => {
  test("is named by /readyz and the log without the password of its URL, and requests go on being answered", async () => {
    const server = await ownPostgres();
    if (isSkip(server)) return console.warn(`skipped: ${server.skip}`);
    const url = new URL(await newDatabase(server));
    url.password = "canaryPassword1";
    try {
      const gateway = await start({ DATABASE_URL: url.href });
      expect((await ask(`${gateway.base}/readyz`, "GET", null)).status).toBe(200);
      await server.stop();
      const ready = () => ask(`${gateway.base}/readyz`, "GET", null);
      const away = await until(
        "/readyz says so",
        async () => (await ready().then((answer) => answer.text.includes("cannot be reached") && answer)) || undefined,
        15_000,
      );
      expect([away.status, away.json]).toMatchObject([200, { status: "degraded", degraded: expect.any(Array) }]);
      expect((away.json as unknown as { missing: string[] }).missing.join()).toContain("storage cannot be reached");
      expect((await ask(`${gateway.base}/healthz`, "GET", null)).status).toBe(200);
      await gateway.stop();
      for (const shown of [away.text, gateway.output()]) expect(shown).not.toContain("canaryPassword1");
    } finally {
      await server.remove();
    }
  }, 60_000);
});

describe("what is refused at start, with a sentence and an exit code", () => {
  const DATABASE_URL = "postgres://nobody:canaryPassword1@127.0.0.1:1/none";
  const refusals: readonly (readonly [what: string, env: Readonly<Record<string, string | undefined>>, says: RegExp])[] = [
    [
      "an address other machines reach, without an admin key",
      { HOST: "0.0.0.0", GATEWAY_ADMIN_KEY: undefined },
      /HOST=0\.0\.0\.0 is not valid.*GATEWAY_ADMIN_KEY must be set/,
    ],
    ["every address, IPv6", { HOST: "::", GATEWAY_ADMIN_KEY: undefined }, /GATEWAY_ADMIN_KEY must be set/],
    ["a short admin key", { GATEWAY_ADMIN_KEY: "short" }, /GATEWAY_ADMIN_KEY=\*\*\* is not valid.*5 characters.*at least 16/],
    ["a short gateway key", { GATEWAY_API_KEY: "tooShort" }, /GATEWAY_API_KEY.*at least 16/],
    ["a short secret key", { GATEWAY_SECRET_KEY: "0123456789abcdef" }, /GATEWAY_SECRET_KEY.*at least 32/],
    [
      "an admin key in base64",
      { GATEWAY_ADMIN_KEY: "q7Rk+2n/Zp8vXw1yT4uJcA5eHs0d=" },
      /GATEWAY_ADMIN_KEY=\*\*\* is not valid: a key has letters, digits, - and _/,
    ],
    [
      "a gateway key with dots",
      { GATEWAY_API_KEY: "team.gateway.key.8f3a91c2d7" },
      /GATEWAY_API_KEY=\*\*\* is not valid: a key has letters/,
    ],
    [
      "a gateway key longer than any is",
      { GATEWAY_API_KEY: "aB3_dE5-".repeat(33) },
      /GATEWAY_API_KEY=\*\*\* is not valid: a key has .*at most 256/,
    ],
    ["a secret that repeats itself", { GATEWAY_ADMIN_KEY: "aaaaaaaaaaaaaaaaaaaa" }, /repeats a few characters/],
    ["a secret everybody knows", { GATEWAY_ADMIN_KEY: "change-me-please-please" }, /well-known default/],
    ["one key for both", { GATEWAY_API_KEY: ADMIN_KEY }, /same as GATEWAY_ADMIN_KEY/],
    ["a port that is none", { PORT: "eighty" }, /PORT=eighty is not valid/],
    ["an origin that is none", { CORS_ALLOWED_ORIGINS: "app.example" }, /CORS_ALLOWED_ORIGINS=app\.example is not valid/],
    [
      "an origin of half an address",
      { CORS_ALLOWED_ORIGINS: "https://a.example, https://[" },
      /CORS_ALLOWED_ORIGINS=\S+ \S+ is not valid: https:\/\/\[ is no origin/,
    ],
    [
      "an origin of a port alone",
      { CORS_ALLOWED_ORIGINS: "https://:80" },
      /CORS_ALLOWED_ORIGINS=https:\/\/:80 is not valid: https:\/\/:80 is no origin/,
    ],
    ["a port out of range", { PORT: "70000" }, /PORT=70000 is not valid/],
    ["an unknown profile", { GATEWAY_PROFILE: "no-such-profile" }, /no-such-profile.*default, minimal, full/],
    ["a flag that is neither", { GUARDRAILS_ENABLED: "perhaps" }, /GUARDRAILS_ENABLED=perhaps is not valid.*ON or OFF/],
    ["POLICY_ENABLED that is neither", { POLICY_ENABLED: "perhaps" }, /POLICY_ENABLED=perhaps is not valid.*ON or OFF/],
    ["USAGE_LIMITS_ENABLED that is neither", { USAGE_LIMITS_ENABLED: "perhaps" }, /USAGE_LIMITS_ENABLED=perhaps is not valid.*ON or OFF/],
    ["API_ACCESS_ENABLED that is neither", { API_ACCESS_ENABLED: "perhaps" }, /API_ACCESS_ENABLED=perhaps is not valid.*ON or OFF/],
    ["a retention that is none", { LOG_RETENTION_DISPLAY: "long" }, /LOG_RETENTION_DISPLAY=long is not valid.*expected integer/],
    ["a retention of no days", { LOG_RETENTION_DISPLAY: "0" }, /LOG_RETENTION_DISPLAY=0 is not valid/],
    ["an address the machine does not have", { HOST: "203.0.113.9" }, /203\.0\.113\.9/],
    ["a database of another make", { DATABASE_URL: "mysql://nobody:canaryPassword1@127.0.0.1/none" }, /DATABASE_URL=\*\*\* is not valid/],
    ["a trusted host that is none", { GATEWAY_TRUSTED_HOSTS: "http://x" }, /GATEWAY_TRUSTED_HOSTS/],
    ["an alias that is no header prefix", { GATEWAY_HEADER_ALIASES: "x acme" }, /GATEWAY_HEADER_ALIASES/],
    ["an alias without its dash", { GATEWAY_HEADER_ALIASES: "x-acme-,x-corp" }, /GATEWAY_HEADER_ALIASES/],
    ["a log level that is none", { LOG_LEVEL: "loud" }, /LOG_LEVEL=loud is not valid/],
    ["a pool of no connections", { DATABASE_URL, DB_POOL_SIZE: "0" }, /DB_POOL_SIZE=0 is not valid/],
    ["a TLS mode that is none", { DATABASE_URL, DB_SSL: "MAYBE" }, /DB_SSL=MAYBE is not valid.*VERIFY_CA/],
    ["the cloud's TLS mode without its bundle", { DATABASE_URL, DB_SSL: "Amazon RDS" }, /DB_SSL.*set DB_SSL_CA/],
    ["a certificate that is not there", { DATABASE_URL, DB_SSL: "VERIFY_CA", DB_SSL_CA: "/no/such/file.pem" }, /DB_SSL_CA/],
    ["a database that is not there", { DATABASE_URL }, /storage\/postgres.*127\.0\.0\.1/],
    [
      "a database that is not there, with an @ in its password",
      { DATABASE_URL: DATABASE_URL.replace("canary", "p@canary") },
      /PostgreSQL at 127\.0\.0\.1 cannot be used/,
    ],
    [
      "several of them, with one",
      { DATABASE_URL: "postgres://nobody:p@canaryPassword1@127.0.0.1:1,127.0.0.1:2/none" },
      /PostgreSQL at 127\.0\.0\.1 cannot/,
    ],
  ];
  test.each(refusals)(
    "%s",
    async (_, env, says) => {
      const { code, out, err } = await run(["serve"], env);
      expect({ code, err: err.replaceAll("\n", " ") }).toEqual({ code: 1, err: expect.stringMatching(says) });
      expect(out).not.toContain("listens on");
      for (const secret of ["canaryPassword1", "aaaaaaaaaaaaaaaaaaaa", "change-me-please-please", ADMIN_KEY])
        expect(err).not.toContain(secret);
      expect(err).not.toMatch(/^\s+at /m); // a sentence, not a stack
    },
    20_000,
  );
  const SENTENCES: readonly (readonly [what: string, env: Readonly<Record<string, string>>, says: RegExp])[] = [
    ["an IPv4 address that is none", { HOST: "999.1.1.1" }, /HOST=999\.1\.1\.1 is not valid: it is no IPv4 address/],
    ["a host with its port", { HOST: "localhost:8787" }, /HOST=localhost:8787 is not valid: the port is a variable of its own, PORT/],
    ["a name that nobody knows", { HOST: "nosuchhost.invalid" }, /no address is known for that name/],
    ["a data folder that is a file", { GATEWAY_DATA_DIR: import.meta.path }, /GATEWAY_DATA_DIR=.*is a file and no folder/],
    ["a data folder below a file", { GATEWAY_DATA_DIR: join(import.meta.path, "below") }, /GATEWAY_DATA_DIR=.*is a file and no folder/],
    ["a profile that is a folder", { GATEWAY_PROFILE: import.meta.dir }, /cannot be read; give a path, or one of default/],
    ["a pool size that is none, where no pool is", { DB_POOL_SIZE: "abc" }, /DB_POOL_SIZE=abc is not valid.*expected integer/],
    ["a TLS mode that is none, where no database is", { DB_SSL: "maybe" }, /DB_SSL=maybe is not valid.*VERIFY_CA/],
    ["a database URL that is none", { DATABASE_URL: "postgres://u:canaryPassword1@h:99999/db" }, /DATABASE_URL=\*\*\* is not valid/],
    ["a Redis URL of another make", { REDIS_URL: "http://:canaryPassword1@127.0.0.1" }, /REDIS_URL=\*\*\* is not valid/],
    ["names of headers that are none", { ORGANISATION_HEADERS_TO_MASK: "a b,c" }, /ORGANISATION_HEADERS_TO_MASK=a b,c is not valid/],
    ["a migration that is none", { GATEWAY_ALLOW_DESTRUCTIVE_MIGRATION: "zzz" }, /GATEWAY_ALLOW_DESTRUCTIVE_MIGRATION=zzz is not valid/],
    ["a misspelt variable", { GATEWAY_PROFIL: "minimal" }, /GATEWAY_PROFIL=minimal is not valid.*GATEWAY_PROFILE was probably meant/],
    ["a misspelt secret", { GATEWAY_ADMINKEY: "canaryPassword1" }, /GATEWAY_ADMINKEY=\*\*\* is not valid.*GATEWAY_ADMIN_KEY/],
    [
      "a misspelt variable, for several workers",
      { GATEWAY_WORKER: "4", GATEWAY_WORKERS: "2", PORT: "1" },
      /GATEWAY_WORKERS was probably meant/,
    ],
  ];
  test.each(SENTENCES)(
    "%s: one sentence, of `serve` and of `check`",
    async (_, env, says) => {
      for (const command of ["serve", "check"]) {
        const { code, out, err } = await run([command], env);
        expect({ command, code, err }).toEqual({ command, code: 1, err: expect.stringMatching(says) });
        expect(err.trimEnd().split("\n").length).toBe(1);
        expect(err + out).not.toMatch(/canaryPassword1|listens on|^\s+at /m);
      }
    },
    20_000,
  );
  test("a variable of ours that nothing reads is told once, by one of several workers too; links of a container platform are not", async () => {
    const links = { GATEWAY_PORT: "tcp://10.0.0.1:80", GATEWAY_SERVICE_HOST: "10.0.0.1", GATEWAY_PORT_80_TCP_ADDR: "10.0.0.1" };
    const gateway = await start({ ...links, GATEWAY_FAVOURITE_COLOUR: "blue" });
    expect((await admin(gateway, "POST", "/admin/v2/generations")).status).toBe(200);
    const told = gateway.output().match(/"event":"variable\.unread","variable":"\w+"/g);
    expect(told).toEqual(['"event":"variable.unread","variable":"GATEWAY_FAVOURITE_COLOUR"']);
    const { code, err } = await run(["check"], { ...links, GATEWAY_FAVOURITE_COLOUR: "blue" });
    expect({ code, err: err.trim() }).toEqual({
      code: 0,
      err: "Warning: GATEWAY_FAVOURITE_COLOUR is set, but nothing of this deployment reads a variable of that name.",
    });
  }, 20_000);
  test("a port that is taken", async () => {
    const gateway = await start();
    const { code, err } = await run(["serve"], { PORT: String(gateway.port) });
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringMatching(new RegExp(`127\\.0\\.0\\.1:${gateway.port} is not valid: another program listens there`)),
    });
    expect(err).not.toMatch(/^\s+at /m);
  }, 20_000);
  test("a profile file that is no JSON, and one that names a plugin there is not", async () => {
    const file = join(newFolder(), "profile.json");
    writeFileSync(file, "{");
    expect(await run(["serve"], { GATEWAY_PROFILE: file })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/profile\.json.*not JSON/),
    });
    writeFileSync(file, JSON.stringify({ title: "t", extends: "default", plugins: { "provider/nobody": {} } }));
    expect(await run(["serve"], { GATEWAY_PROFILE: file })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/provider\/nobody.*there is no such plugin/),
    });
  }, 20_000);
  test("a command and an option that there are not, with the exit code 2 and the help", async () => {
    expect(await run(["dance"])).toMatchObject({ code: 2, err: expect.stringMatching(/There is no command dance\.[\s\S]*serve/) });
    expect(await run(["serve", "--loud"])).toMatchObject({ code: 2, err: expect.stringContaining("--loud") });
  }, 20_000);
  test("a loopback address needs no admin key: one is made", async () => {
    const dataDir = newFolder();
    const { GATEWAY_ADMIN_KEY: _, ...rest } = process.env;
    const child = Bun.spawn([...SOURCE, "serve"], {
      env: { ...rest, PORT: "0", HOST: "127.0.0.1", GATEWAY_DATA_DIR: dataDir },
      stdout: "pipe",
      stderr: "ignore",
    });
    let printed = "";
    const decoder = new TextDecoder();
    for await (const bytes of child.stdout) {
      printed += decoder.decode(bytes, { stream: true });
      if (printed.includes("Try it:")) break;
    }
    expect(printed).toMatch(/admin key {4}[A-Za-z0-9]{40}/);
    child.kill();
    expect(await child.exited).toBe(0);
  }, 20_000);
});
