import { describe, expect, test } from "bun:test";
import { GatewayError } from "#contract";
import { inFolder, manifestOf, PROFILE } from "../../../tests/kit/deployment.ts";
import { registry } from "../../generated/registry.ts";
import { deploymentOf } from "../discovery/deployment.ts";
import { judgePlaces } from "./places.ts";
import { readProfile } from "./profile.ts";
import { type Environment, readSettings, SETTINGS, type SettingRow } from "./settings.ts";
import { judgeVariables, knownVariables, type Unread } from "./variables.ts";

/** As a start judges it, before anything is opened. */
async function judged(env: Environment): Promise<readonly Unread[]> {
  const settings = readSettings(env);
  await judgePlaces(settings);
  const profile = await readProfile(settings.profile, settings.env);
  const { plugins } = await deploymentOf(profile, registry, settings.env);
  const { errors, unread } = await judgeVariables(plugins, profile, settings.env);
  if (errors[0]) throw errors[0];
  return unread;
}
const refusalOf = (env: Environment): Promise<unknown> =>
  judged(env).then(
    () => "accepted",
    (thrown: unknown) => thrown,
  );

const { plugins } = await deploymentOf(await readProfile("default", {}), registry, {});
const known = [
  ...knownVariables(
    plugins.map(({ manifest }) => manifest),
    PROFILE,
  ),
];
/** An opaque text: any value may be right. */
const isSecretNeed = (name: string): boolean => plugins.some(({ manifest }) => manifest.needs?.includes(`secret:${name}`));

describe("every variable that there is", () => {
  const GARBAGE = ["\u0007 no value", "-1", "maybe", "http://[", "1e9", "{}", "x".repeat(5_000), "%zz", "../../.."];

  test.each(known)("%s: whatever it says is taken, or refused with a sentence that names it", async (name) => {
    for (const value of GARBAGE) {
      const refusal = await refusalOf({ [name]: value });
      if (refusal === "accepted") continue;
      expect({ name, value, refusal: GatewayError.is(refusal) ? refusal.code : refusal }).toEqual({
        name,
        value,
        refusal: name === "GATEWAY_PROFILE" ? expect.stringMatching(/^(SETTING|PROFILE)_INVALID$/) : "SETTING_INVALID",
      });
      const { message } = refusal as GatewayError;
      expect(message).toMatch(name === "GATEWAY_PROFILE" ? /GATEWAY_PROFILE|The profile/ : /^The (setting|variable)/);
      const names = Object.values<SettingRow>(SETTINGS).find(({ also = [] }) => also.includes(name))?.env ?? name;
      if (name !== "GATEWAY_PROFILE") expect(message).toContain(names);
      expect(message).not.toMatch(/\n|^\s*at /);
    }
  });
  test.each(known.filter((name) => !isSecretNeed(name)))("%s: what can be no value is not taken in silence", async (name) => {
    expect(await refusalOf({ [name]: "\u0007 no value" })).not.toBe("accepted");
  });
});

describe("variables of a plugin that is off", () => {
  test.each([
    ["DB_POOL_SIZE", "abc"],
    ["DB_POOL_SIZE", "0"],
    ["DB_SSL", "maybe"],
    ["DB_SSL", "Amazon RDS"],
    ["DB_SSL_CA", "/no/such/file.pem"],
    ["DB_SSL_KEY", "/no/such/file.pem"],
  ])("%s=%s is refused", async (name, value) => {
    expect(await refusalOf({ [name]: value })).toMatchObject({ code: "SETTING_INVALID", message: expect.stringContaining(`${name}=`) });
  });
  test("are accepted when they are right, and all that are wrong are told at once", async () => {
    expect(await judged({ DB_POOL_SIZE: "5", DB_SSL: "REQUIRED" })).toEqual([]);
    const settings = readSettings({ DB_POOL_SIZE: "abc", DB_SSL: "maybe", GATEWAY_PROFIL: "x" });
    const { errors } = await judgeVariables((await deploymentOf(PROFILE, registry, settings.env)).plugins, PROFILE, settings.env);
    expect(errors.map(({ details }) => details["name"]).sort()).toEqual(["DB_POOL_SIZE", "DB_SSL", "GATEWAY_PROFIL"]);
  });
  test.each([
    "postgres://",
    "postgres://h:99999/db",
    "postgres://[::1/db",
    "postgres://u:p%zz@h/db",
    "postgres://h:port/db",
    "http://h/db",
    "postgres://a,b:99999/db",
  ])("DATABASE_URL=%s is refused, and not shown", async (url) => {
    const refusal = await refusalOf({ DATABASE_URL: url });
    expect(refusal).toMatchObject({ code: "SETTING_INVALID", message: expect.stringContaining("DATABASE_URL=***") });
  });
  test.each([
    "postgres://u:p%20z@h:5432/db",
    "postgres://h1:5432,h2:5433/db",
    "postgresql://u@[::1]:5432/db?sslmode=require",
    "postgres:///db",
  ])("DATABASE_URL=%s is taken", async (url) => expect(await judged({ DATABASE_URL: url })).toEqual([]));
  test.each(["redis://", "redis://h:99999", "redis://:p%zz@h", "redis://h/abc", "http://h", "redis"])(
    "REDIS_URL=%s is refused, and not shown",
    async (url) => {
      const refusal = await refusalOf({ REDIS_URL: url });
      expect(refusal).toMatchObject({ code: "SETTING_INVALID", message: expect.stringContaining("REDIS_URL=***") });
    },
  );
  test.each(["redis://h", "rediss://u:p%20z@h:6379/1", "redis://[::1]:6379"])("REDIS_URL=%s is taken", async (url) =>
    expect(await judged({ REDIS_URL: url })).toEqual([]),
  );
});

describe("a name that is none", () => {
  test.each([
    ["GATEWAY_PROFIL", "GATEWAY_PROFILE"],
    ["GATEWAY_DATADIR", "GATEWAY_DATA_DIR"],
    ["GATEWAY_DATA-DIR", "GATEWAY_DATA_DIR"],
    ["GATEWAY_WORKER", "GATEWAY_WORKERS"],
    ["GATEWAY_TRUSTED_HOST", "GATEWAY_TRUSTED_HOSTS"],
    ["GATEWAY_ADMINKEY", "GATEWAY_ADMIN_KEY"],
    ["GATEWAY_ALLOW_DESTRUCTIVE_MIGRATIONS", "GATEWAY_ALLOW_DESTRUCTIVE_MIGRATION"],
    ["GATEWY_PROFILE", "GATEWAY_PROFILE"],
    ["gateway_profile", "GATEWAY_PROFILE"],
  ])("%s is refused, and %s named", async (name, meant) => {
    const says = `there is no such variable; ${meant} was probably meant`;
    expect(await refusalOf({ [name]: "some value" })).toMatchObject({ code: "SETTING_INVALID", message: expect.stringContaining(says) });
  });
  test("of a secret is refused without its value", async () => {
    expect(String(await refusalOf({ GATEWAY_ADMINKEY: "hunter2-hunter2-hunter2" }))).not.toContain("hunter2");
  });
  test("and that resembles nothing is told, once; one that is empty, another's or of a container platform is not", async () => {
    const links = {
      GATEWAY_SERVICE_HOST: "10.0.0.1",
      GATEWAY_SERVICE_PORT: "80",
      GATEWAY_SERVICE_PORT_HTTP: "80",
      GATEWAY_PORT: "tcp://10.0.0.1:80",
      GATEWAY_PORT_80_TCP: "tcp://10.0.0.1:80",
      GATEWAY_PORT_80_TCP_ADDR: "10.0.0.1",
      GATEWAY_PORT_80_TCP_PORT: "80",
      GATEWAY_PORT_80_TCP_PROTO: "tcp",
      GATEWAY_PORT_53_UDP: "udp://10.0.0.1:53",
      GATEWAY_ADMIN_SERVICE_HOST: "10.0.0.1",
      GATEWAY_ADMIN_PORT: "tcp://10.0.0.1:80",
      GATEWAY_API_PORT_80_TCP: "tcp://10.0.0.1:80",
    };
    const none = { GATEWAY_KEY: "of a command", GATEWAY_NOTHING: " ", SOMETHING_ELSE: "x", GATEWAY_INTERNAL_WORKER: "0" };
    expect(await judged({ ...links, ...none, GATEWAY_FAVOURITE_COLOUR: "blue" })).toEqual([
      { variable: "GATEWAY_FAVOURITE_COLOUR", why: "nothing of this deployment reads a variable of that name" },
    ]);
  });
  test("is one when a manifest, a need for a secret, or the profile names it, though the plugin is off", () => {
    const manifests = [
      manifestOf({ kind: "guardrail", id: "a", env: { GATEWAY_A_SIZE: "size" }, needs: ["secret:GATEWAY_A_KEY"] }),
      manifestOf({ kind: "policy", id: "b", flag: { env: "GATEWAY_B", when: "set" } }),
    ];
    const profile = { variables: new Set(["GATEWAY_OWN"]), secrets: { A_KEY: "env:GATEWAY_ELSEWHERE" } };
    const names = knownVariables(manifests, profile);
    for (const name of ["GATEWAY_A_SIZE", "GATEWAY_A_KEY", "GATEWAY_B", "GATEWAY_OWN", "GATEWAY_ELSEWHERE"])
      expect([name, names.has(name)]).toEqual([name, true]);
  });
});

describe("an address to listen on", () => {
  const KEY = { GATEWAY_ADMIN_KEY: "k3y-of-an-operator-42" };
  test.each([
    "999.1.1.1",
    "1.2.3.4.5.6:x",
    "localhost:80",
    "http://localhost",
    "a b",
    "/tmp/socket",
    "1:2:3",
    "[::1",
    "nosuchhost.invalid",
  ])(
    "%s is refused",
    async (host) =>
      expect(await refusalOf({ ...KEY, HOST: host })).toMatchObject({ message: expect.stringContaining(`HOST=${host} is not valid`) }),
    20_000,
  );
  test.each([
    "127.0.0.1",
    "127.8.9.10",
    "localhost",
    "LOCALHOST",
    "::1",
    "[::1]",
    "0.0.0.0",
    "::",
    "[::]",
    "::ffff:127.0.0.1",
    "203.0.113.9",
  ])("%s is one", async (host) => expect(await judged({ ...KEY, HOST: host })).toEqual([]));
  test("that only looks like this machine's is none, and any other needs an admin key", async () => {
    expect(String(await refusalOf({ HOST: "127.999.1.1" }))).toContain("it is no IPv4 address");
    expect(String(await refusalOf({ HOST: "0.0.0.0" }))).toContain("GATEWAY_ADMIN_KEY must be set");
  });
});

describe("a folder for the data", () => {
  test("that is a file, lies below one, or may not be looked into is refused; one that is not there yet is not", () =>
    inFolder(async (folder) => {
      const file = `${folder}/file`;
      await Bun.write(file, "");
      for (const dir of [file, `${file}/below`, `${file}/far/below`, `${folder}/${"x".repeat(300)}`])
        expect(await refusalOf({ GATEWAY_DATA_DIR: dir })).toMatchObject({
          code: "SETTING_INVALID",
          message: expect.stringMatching(/^The setting GATEWAY_DATA_DIR=.*(is a file and no folder|name too long)/),
        });
      for (const dir of [folder, `${folder}/new`, `${folder}/new/and/deep`]) expect(await judged({ GATEWAY_DATA_DIR: dir })).toEqual([]);
    }));
});
