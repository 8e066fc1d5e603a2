/** `gateway backup` and `gateway restore` as an operator runs them. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ADMIN_KEY, ask, chat, GATEWAY_KEY, type GatewayProcess, SOURCE, startGateway, until } from "./process.ts";

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
type Env = Readonly<Record<string, string>>;
/** The data folder of this test, unless told otherwise. */
const environment = (env: Env): Record<string, string | undefined> => {
  const { HOST: _h, PORT: _p, DATABASE_URL: _d, REDIS_URL: _r, GATEWAY_PROFILE: _g, ...inherited } = process.env;
  return { ...inherited, GATEWAY_DATA_DIR: join(root, "data"), ...env };
};
const run = (args: readonly string[], env: Env = {}): Ran => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...SOURCE, ...args], { env: environment(env), stdout: "pipe", stderr: "pipe" });
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
      "GATEWAY_SECRET_KEY= is not valid: it is not set, and the backup holds no secret key; set the one that the backup was made with",
    );
    const another = { GATEWAY_SECRET_KEY: "another0123456789abcdef-0123456789-x", GATEWAY_DATA_DIR: join(root, "fresh") };
    expect(run(["restore", join(root, "sealed")], another).err).toContain("the backup was made with another secret key");
    expect(run(["restore", join(root, "sealed")], { ...env, GATEWAY_DATA_DIR: join(root, "fresh") }).code).toBe(0);
  });
});

test("a backup from which the secret key was taken names the file that is missing", () => {
  cpSync(join(root, "first"), join(root, "keyless"), { recursive: true });
  rmSync(join(root, "keyless/keys/secret.key"));
  const { code, err } = run(["restore", join(root, "keyless")], { GATEWAY_DATA_DIR: join(root, "never") });
  expect(code).toBe(1);
  expect(err).toContain(`Nothing was changed: ${join(root, "keyless/keys/secret.key")} is missing`);
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

test("a copy in which anything was changed is not put in place, and what was there stays as it was", () => {
  const [copy, data] = [join(root, "changed"), join(root, "unchanged")];
  cpSync(join(root, "second"), copy, { recursive: true });
  const files = [...new Bun.Glob("**/*").scanSync({ cwd: copy })].filter((file) => file !== "backup.json");
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) {
    const path = join(copy, file);
    const before = readFileSync(path);
    const changed = Buffer.from(before);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1; // a page is whole with another value in it
    writeFileSync(path, changed);
    const { code, err } = run(["restore", copy], { GATEWAY_DATA_DIR: data });
    expect({ file, code, err }).toEqual({ file, code: 1, err: expect.stringContaining(copy) });
    writeFileSync(path, before);
  }
  expect([...new Bun.Glob("**/*").scanSync({ cwd: data })]).toEqual([]);
  expect(run(["restore", copy], { GATEWAY_DATA_DIR: data }).code).toBe(0);
}, 30_000);

describe("log records that wait on disk", () => {
  interface Waiting {
    readonly waiting_records: number;
    readonly disk_bytes: number;
  }
  const waitingOf = async ({ base }: GatewayProcess): Promise<Waiting> => {
    const { json } = await ask(`${base}/status`, "GET", null);
    return (json as unknown as { parts: Record<string, { detail: Waiting }> }).parts["exporter/logs"]?.detail ?? expect.unreachable();
  };
  /** Requests whose answers came, so many at a time, until told to stop. */
  const traffic = (to: GatewayProcess, clients: number) => {
    const ids: string[] = [];
    const state = { on: true };
    const client = async (): Promise<void> => {
      while (state.on) {
        const answer = await chat(to, {});
        expect(answer.status).toBe(200);
        ids.push(answer.headers.get("x-gateway-request-id") ?? "");
      }
    };
    const done = Promise.all(Array.from({ length: clients }, client));
    const stop = async (): Promise<void> => {
      state.on = false;
      await done;
    };
    return { ids, stop };
  };
  const logsIn = (data: string): ReadonlySet<string> => {
    const db = new Database(join(data, "logs.db"), { readwrite: true });
    const rows = db.query<{ id: string }, []>(`select "id" from "logs"`).all();
    db.close();
    return new Set(rows.map(({ id }) => id));
  };
  const spoolIn = (folder: string): readonly string[] => [...new Bun.Glob("spool/**/*.jsonl").scanSync({ cwd: folder })];
  /** As long as it is held, no log can be written, and reading goes on. */
  const holdLogs = (data: string): (() => void) => {
    const db = new Database(join(data, "logs.db"), { readwrite: true });
    db.run("pragma busy_timeout = 10000"); // the gateway may be writing one just now
    db.run("begin immediate");
    return () => {
      db.run("rollback");
      db.close();
    };
  };
  const spooled = (of: GatewayProcess): Promise<unknown> =>
    until(
      "they wait on disk",
      async () => {
        const { waiting_records: waiting, disk_bytes: bytes } = await waitingOf(of);
        return waiting === 0 && bytes > 0;
      },
      30_000,
    );
  const written = (of: GatewayProcess): Promise<unknown> =>
    until(
      "nothing waits",
      async () => {
        const { waiting_records: waiting, disk_bytes: bytes } = await waitingOf(of);
        return waiting + bytes === 0;
      },
      30_000,
    );

  test("are in the copy while more are written; restored, they are written to the logs, and those of the replaced data are kept aside", async () => {
    const profile = join(root, "impatient.json"); // a log that cannot be written is said to be so soon
    writeFileSync(
      profile,
      JSON.stringify({ title: "Impatient", extends: "default", plugins: { "storage/sqlite": { config: { busyTimeoutMs: 200 } } } }),
    );
    const env = { GATEWAY_PROFILE: profile, GATEWAY_DATA_DIR: join(root, "waits") };
    const first = await startGateway({ dataDir: env.GATEWAY_DATA_DIR, env });
    const early = traffic(first, 4);
    await until("some were answered", () => early.ids.length > 50);
    const release = holdLogs(first.dataDir);
    await early.stop();
    const held = (await chat(first, {})).headers.get("x-gateway-request-id") ?? "";
    await spooled(first);
    const late = traffic(first, 8);
    const copying = Bun.spawn([...SOURCE, "backup", join(root, "waiting")], {
      env: environment(env),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [code, out] = await Promise.all([copying.exited, new Response(copying.stdout).text()]);
    await late.stop();
    expect({ code, says: /^spool {2}\d+ files of log records/m.test(out) }).toEqual({ code: 0, says: true });
    await first.stop("SIGKILL");
    release();
    expect(logsIn(first.dataDir).has(held)).toBe(false); // it waits on disk only

    const replacedFiles = spoolIn(first.dataDir);
    const back = run(["restore", join(root, "waiting")], env);
    expect({ code: back.code, err: back.err }).toEqual({ code: 0, err: "" });
    const kept = /in (\S+); remove it/.exec(back.out)?.[1] ?? "";
    expect(spoolIn(kept)).toEqual(replacedFiles);
    const modes = readdirSync(join(first.dataDir, "spool"), { recursive: true }).map(
      (name) => statSync(join(first.dataDir, "spool", String(name))).mode & 0o077,
    );
    expect(new Set(modes)).toEqual(new Set([0]));

    const again = await startGateway({ dataDir: first.dataDir, env });
    await until("it took what was restored", () => again.output().includes("spool.adopted"), 10_000);
    await written(again);
    await again.stop();
    const logs = logsIn(first.dataDir);
    expect([...early.ids, held].filter((id) => !logs.has(id))).toEqual([]);
    expect(logs.has(late.ids.at(-1) ?? "")).toBe(false); // answered after the copy was made
  }, 60_000);
  test("a copy that lacks some of them is not put back", () => {
    for (const file of spoolIn(join(root, "waiting"))) rmSync(join(root, "waiting", file));
    const { code, err } = run(["restore", join(root, "waiting")], { GATEWAY_DATA_DIR: join(root, "fresh3") });
    expect(code).toBe(1);
    expect(err).toMatch(/BACKUP_REFUSED: .+ the backup is not whole: it holds 0 of \d+ files of its spool/);
    expect(readdirSync(join(root, "fresh3"))).toEqual([]);
  });
});

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
