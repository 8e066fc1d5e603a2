/** `gateway backup` and `gateway restore` as an operator runs them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ADMIN_KEY, ask, chat, GATEWAY_KEY, type GatewayProcess, SOURCE, startGateway } from "./process.ts";

setDefaultTimeout(60_000); // processes are started, and bytes go to the disk

const root = mkdtempSync(join(tmpdir(), "gateway-backup-"));
const on: { gateway?: GatewayProcess } = {};
const gateway = (): GatewayProcess => on.gateway ?? expect.unreachable("the gateway runs from beforeAll on");
beforeAll(async () => {
  on.gateway = await startGateway({ dataDir: join(root, "data") });
}, 30_000);
afterAll(async () => {
  await on.gateway?.stop("SIGKILL");
  rmSync(root, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}
/** The command line with the data folder of this test, unless told otherwise. */
const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Ran => {
  const { HOST: _h, PORT: _p, DATABASE_URL: _d, REDIS_URL: _r, GATEWAY_PROFILE: _g, ...inherited } = process.env;
  const { exitCode, stdout, stderr } = Bun.spawnSync([...SOURCE, ...args], {
    env: { ...inherited, GATEWAY_DATA_DIR: join(root, "data"), ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  return { code: exitCode, out: stdout.toString(), err: stderr.toString() };
};
const config = (name: string) => ({ name, config: { retry: { attempts: 1 } }, workspace_id: "default" });

describe("gateway backup", () => {
  test("says what it does while the gateway runs, and leaves one folder that only its user can read", async () => {
    expect((await chat(gateway(), {})).status).toBe(200);
    const { code, out, err } = run(["backup", join(root, "first")]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const line of [
      /^storage\/sqlite {2}main\.db {2}copied and checked, \d/m,
      /^storage\/sqlite {2}logs\.db {2}copied and checked, \d/m,
      /^key files {2}secret\.key, admin\.key, gateway\.key$/m,
      /^It holds secret\.key, which opens every sealed secret in it: keep it as safe as the data folder\.$/m,
    ])
      expect(out).toMatch(line);
    expect(out).toEndWith(`Put it back with: gateway restore ${join(root, "first")}\n`);
    const entries = ["", ...(readdirSync(join(root, "first"), { recursive: true }) as string[])].map((name) =>
      statSync(join(root, "first", name)),
    );
    expect(new Set(entries.map((entry) => (entry.mode & 0o777).toString(8)))).toEqual(new Set(["700", "600"]));
    expect(readdirSync(root).filter((name) => name.includes("partial"))).toEqual([]);
    expect((await chat(gateway(), {})).status).toBe(200);
  });
  test("never writes over what is there: a folder with something in it, a file, an interrupted backup", () => {
    mkdirSync(join(root, "taken"));
    writeFileSync(join(root, "taken", "mine"), "");
    writeFileSync(join(root, "file"), "mine");
    mkdirSync(join(root, "begun.partial"));
    for (const [name, why] of [
      ["taken", "is there already; name a new folder"],
      ["file", "is there already; name a new folder"],
      ["begun", "was interrupted; remove it, or name another folder"],
    ] as const) {
      const { code, err } = run(["backup", join(root, name)]);
      expect({ name, code, said: err.includes(why) }).toEqual({ name, code: 1, said: true });
    }
    expect(readdirSync(join(root, "taken"))).toEqual(["mine"]);
    expect(readFileSync(join(root, "file"), "utf8")).toBe("mine");
  });
  test("of a folder without a gateway's database says so, and leaves nothing", () => {
    const { code, err } = run(["backup", join(root, "none")], { GATEWAY_DATA_DIR: join(root, "no-data") });
    expect(code).toBe(1);
    expect(err).toContain(`BACKUP_REFUSED: Nothing was changed: there is no ${join(root, "no-data", "main.db")}`);
    expect(existsSync(join(root, "none")) || existsSync(join(root, "none.partial"))).toBe(false);
  });
  test("says that the secret key is not in it when the environment has it", async () => {
    const env = { GATEWAY_SECRET_KEY: "0123456789abcdef-0123456789abcdef-x" };
    const other = await startGateway({ env });
    await other.stop();
    const { code, out } = run(["backup", join(root, "sealed")], { ...env, GATEWAY_DATA_DIR: other.dataDir });
    other.remove();
    expect(code).toBe(0);
    expect(out).toContain("The secret key is not in it");
    expect(run(["restore", join(root, "sealed")], { GATEWAY_DATA_DIR: join(root, "fresh") }).err).toContain(
      "the backup was made with another secret key; set the one it was made with",
    );
    expect(run(["restore", join(root, "sealed")], { ...env, GATEWAY_DATA_DIR: join(root, "fresh") }).code).toBe(0);
  });
});

describe("where another database keeps the records", () => {
  test("each command says that its own tools do it, and does nothing", () => {
    for (const command of ["backup", "restore"]) {
      const folder = command === "backup" ? join(root, "elsewhere") : join(root, "first");
      const { code, err } = run([command, folder], { DATABASE_URL: "postgres://127.0.0.1:1/none" });
      expect({ command, code, said: err.includes("PostgreSQL's own tools do it: pg_dump") }).toEqual({ command, code: 1, said: true });
    }
    expect(existsSync(join(root, "elsewhere"))).toBe(false);
  });
  test("a backup without the counters says where they are", () => {
    const { code, out } = run(["backup", join(root, "counted")], { REDIS_URL: "redis://127.0.0.1:1" });
    expect(code).toBe(0);
    expect(out).toContain("Not in it: counters, kv, feed of storage/redis; Redis does it itself");
  });
});

describe("gateway restore", () => {
  test("refuses while the gateway runs, and says which process it is", () => {
    const { code, err } = run(["restore", join(root, "first")]);
    expect(code).toBe(1);
    expect(err).toContain(`the data folder ${join(root, "data")} is in use by process ${gateway().pid}; stop that gateway first`);
  });
  test("refuses a folder that is no backup", () => {
    const { code, err } = run(["restore", join(root, "taken")], { GATEWAY_DATA_DIR: join(root, "fresh2") });
    expect({ code, err }).toEqual({
      code: 1,
      err: `BACKUP_REFUSED: Nothing was changed: ${join(root, "taken")} is no backup: it has no backup.json.\n`,
    });
  });
  test("takes the gateway back to where the backup was made, and keeps what it replaced", async () => {
    const before = await ask(`${gateway().base}/v2/configs`, "POST", ADMIN_KEY, config("before"));
    expect(run(["backup", join(root, "second")]).code).toBe(0);
    const after = await ask(`${gateway().base}/v2/configs`, "POST", ADMIN_KEY, config("after"));
    expect([before.status, after.status]).toEqual([200, 200]);
    await gateway().stop();

    const { code, out } = run(["restore", join(root, "second")]);
    expect(code).toBe(0);
    const kept = /in (\S+); remove it/.exec(out)?.[1] ?? "";
    expect(readdirSync(kept)).toEqual(expect.arrayContaining(["main.db", "logs.db", "secret.key", "admin.key", "gateway.key"]));

    on.gateway = await startGateway({ dataDir: join(root, "data") });
    const configs = (await ask(`${gateway().base}/v2/configs`, "GET", ADMIN_KEY)).text;
    expect(configs).toContain('"name":"before"');
    expect(configs).not.toContain('"name":"after"');
    expect((await chat(gateway(), {})).status).toBe(200);
    expect(readFileSync(join(root, "data", "gateway.key"), "utf8").trim()).toBe(GATEWAY_KEY);
  }, 30_000);
});

test("a start on a damaged database says which file, why, and which command puts a backup back; that command helps", async () => {
  const data = join(root, "damaged");
  expect(run(["restore", join(root, "second")], { GATEWAY_DATA_DIR: data }).code).toBe(0);
  truncateSync(join(data, "main.db"), 20_000);
  const { code, err } = run(["serve"], { GATEWAY_DATA_DIR: data, PORT: "0" });
  expect(code).toBe(1);
  expect(err).toContain(`STORAGE_UNUSABLE: ${join(data, "main.db")} cannot be used: its content is damaged`);
  expect(err).toContain('Put a backup back with "gateway restore <folder>"');
  expect(run(["restore", join(root, "second")], { GATEWAY_DATA_DIR: data }).code).toBe(0);
  const again = await startGateway({ dataDir: data });
  expect((await chat(again, {})).status).toBe(200);
  await again.stop();
}, 30_000);

test("both commands explain themselves, and want one folder", () => {
  for (const command of ["backup", "restore"]) {
    const help = run([command, "--help"]);
    expect({ command, code: help.code, explains: help.out.startsWith(`gateway ${command} <folder>`) }).toEqual({
      command,
      code: 0,
      explains: true,
    });
    expect(run([command])).toMatchObject({ code: 2, err: expect.stringContaining(`gateway ${command} takes one folder.`) });
    expect(run(["--help"]).out).toContain(`${command} <folder>`);
  }
});
