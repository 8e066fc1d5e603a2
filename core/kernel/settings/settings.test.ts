import { expect, test } from "bun:test";
import { readSettings, SETTINGS, type SettingRow } from "./settings.ts";

test("without any variable the gateway listens on this machine only", () => {
  expect(readSettings({})).toMatchObject({
    host: "127.0.0.1",
    port: 8787,
    dataDir: "./data",
    profile: "default",
    workers: 1,
    trustedHosts: [],
    requestTimeoutMs: 300_000,
  });
});

test("the settings and their lists are frozen", () => {
  const settings = readSettings({ GATEWAY_TRUSTED_HOSTS: "a.test, b.test:80,," });
  expect(settings.trustedHosts).toEqual(["a.test", "b.test:80"]);
  expect(Object.isFrozen(settings) && Object.isFrozen(settings.trustedHosts) && Object.isFrozen(settings.env)).toBe(true);
});

test("an older name is read, and the newer one wins", () => {
  expect(readSettings({ TRUSTED_CUSTOM_HOSTS: "old.test" }).trustedHosts).toEqual(["old.test"]);
  expect(readSettings({ TRUSTED_CUSTOM_HOSTS: "old.test", GATEWAY_TRUSTED_HOSTS: "new.test" }).trustedHosts).toEqual(["new.test"]);
});

const REFUSED: readonly (readonly [env: Record<string, string>, says: string])[] = [
  [{ PORT: "80a" }, 'The setting PORT=80a is not valid: it is "80a"; expected integer'],
  [{ PORT: "65536" }, "less or equal to 65535"],
  [{ LOG_LEVEL: "loud" }, "must be one of debug, info, warn, error"],
  [{ GATEWAY_WORKERS: "0" }, "greater or equal to 1"],
  [{ GATEWAY_HEADER_ALIASES: "x portkey" }, "GATEWAY_HEADER_ALIASES"],
  [{ HOST: "0.0.0.0" }, "GATEWAY_ADMIN_KEY must be set"],
  [{ GATEWAY_ADMIN_KEY: "short" }, "it has 5 characters and needs at least 16"],
  [{ GATEWAY_ADMIN_KEY: "changeme-changeme" }, "well-known default"],
  [{ GATEWAY_API_KEY: "aaaaaaaaaaaaaaaaaaaa" }, "repeats a few characters"],
  [{ GATEWAY_SECRET_KEY: "only-24-characters-long!" }, "needs at least 32"],
  [{ GATEWAY_ADMIN_KEY: "one-preset-0123456789", GATEWAY_API_KEY: "one-preset-0123456789" }, "the same as GATEWAY_ADMIN_KEY"],
];
for (const [env, says] of REFUSED) {
  test(`${JSON.stringify(env)} is refused with a sentence`, () => {
    expect(() => readSettings(env)).toThrow(says);
  });
}

test("a refusal never shows a secret", () => {
  expect(() => readSettings({ GATEWAY_ADMIN_KEY: "hunter2" })).toThrow("GATEWAY_ADMIN_KEY=***");
});

test("another address is accepted once the admin key is set", () => {
  expect(readSettings({ HOST: "0.0.0.0", GATEWAY_ADMIN_KEY: "k3y-of-an-operator-42" }).host).toBe("0.0.0.0");
});

test("every setting has a description and a variable of its own", () => {
  const rows = Object.values<SettingRow>(SETTINGS);
  for (const { env, schema } of rows) expect(`${env}: ${schema.description ?? ""}`.length).toBeGreaterThan(env.length + 12);
  expect(new Set(rows.map(({ env }) => env)).size).toBe(rows.length);
});
