/* Copies of a SQLite folder: whole and consistent while it is written to, judged before they are put back. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Archive, GatewayError, type OwnArchive, type Running, type Storage } from "#contract";
import { archive as sqliteArchive } from "../../storage/sqlite/archive.ts";
import type { SqliteConfig } from "../../storage/sqlite/config.ts";
import { connectSqlite } from "../../storage/sqlite/index.ts";
import { logRow } from "../kit/storage/logs.ts";
import { thing, Things } from "../kit/storage/sample.ts";
import { handleOf } from "../kit/storage/subject.ts";

setDefaultTimeout(60_000); // processes are started, and bytes go to the disk

const own = (archive: Archive<SqliteConfig>): OwnArchive<SqliteConfig> => ("elsewhere" in archive ? expect.unreachable() : archive);
const { backUp, restore } = own(sqliteArchive);
const quiet = (): void => undefined;

const at: { root: string; running: Running<Storage>[] } = { root: "", running: [] };
const folder = (name: string): string => join(at.root, name);
const configOf = (name: string): SqliteConfig => ({ dir: folder(name), busyTimeoutMs: 1000 });
const open = async (name: string): Promise<Running<Storage>> => {
  const running = connectSqlite({ log: () => undefined, now: Date.now }, configOf(name));
  at.running.push(running);
  await running.ready?.();
  await handleOf(running.provides, "records").migrate([Things]);
  return running;
};
const records = ({ provides }: Running<Storage>) => handleOf(provides, "records").in(Things);
const blobs = ({ provides }: Running<Storage>) => handleOf(provides, "blobs");
const logs = ({ provides }: Running<Storage>) => handleOf(provides, "logs");
const bodyOf = async (running: Running<Storage>, key: string): Promise<string | undefined> => {
  const body = await blobs(running).get(key);
  return body && (await new Response(body).text());
};
const put = (running: Running<Storage>, key: string, text: string) => blobs(running).put(key, new Blob([text]).stream());
/** A copy of what `data` holds now. */
const backedUp = async (name = "backup"): Promise<string> => {
  mkdirSync(folder(name));
  await backUp(configOf("data"), folder(name), quiet);
  return folder(name);
};
const restored = async (name: string, from: string): Promise<string> => (await restore(configOf(name), from, quiet)).replace("replaced");
const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "it was accepted",
    (error: unknown) => (GatewayError.is(error) ? `${error.code}: ${error.message}` : String(error)),
  );

beforeEach(() => {
  at.root = mkdtempSync(join(tmpdir(), "gateway-archive-"));
});
afterEach(async () => {
  for (const running of at.running.splice(0)) await running.close?.();
  rmSync(at.root, { recursive: true, force: true });
});

describe("a copy", () => {
  test("holds records, logs and blobs as they were, and another folder goes on from it", async () => {
    const data = await open("data");
    const one = thing("one");
    await records(data).insert(one);
    await logs(data).write([logRow({ id: "log" })]);
    await put(data, "blob", "its body");
    const copy = await backedUp();
    await records(data).insert(thing("later"));

    await restored("other", copy);
    const other = await open("other");
    expect((await records(other).list({ where: {}, limit: 9, offset: 0 })).data).toEqual([one]);
    expect((await logs(other).get("log"))?.id).toBe("log");
    expect(await bodyOf(other, "blob")).toBe("its body");
    await records(other).insert(thing("it goes on"));
  });
  test("is nobody else's to read, nor is what was put back from one that travelled", async () => {
    const modesIn = (dir: string): ReadonlySet<string> =>
      new Set(
        (readdirSync(dir, { recursive: true }) as string[])
          .map((name) => statSync(join(dir, name)))
          .map((entry) => `${entry.isDirectory()} ${(entry.mode & 0o777).toString(8)}`),
      );
    await put(await open("data"), "blob", "its body");
    const copy = await backedUp();
    expect(modesIn(copy)).toEqual(new Set(["true 700", "false 600"]));
    for (const name of readdirSync(copy, { recursive: true }) as string[]) chmodSync(join(copy, name), 0o755);
    await restored("other", copy);
    expect(modesIn(folder("other"))).toEqual(new Set(["true 700", "false 600"]));
  });
  test("made while blobs are replaced and deleted names no body that it does not hold", async () => {
    const data = await open("data");
    for (let index = 0; index < 30; index += 1) await put(data, `blob-${index}`, `first ${index}`);
    const changing = (async () => {
      for (let index = 0; index < 30; index += 1) {
        if (index % 3 === 0) await put(data, `blob-${index}`, `second ${index}`);
        if (index % 3 === 1) await blobs(data).delete(`blob-${index}`);
      }
    })();
    const copy = await backedUp();
    await changing;
    await restored("other", copy);
    const other = await open("other");
    for (let index = 0; index < 30; index += 1) {
      const allowed = [[`first ${index}`, `second ${index}`], [`first ${index}`, undefined], [`first ${index}`]][index % 3];
      expect(allowed).toContain(await bodyOf(other, `blob-${index}`));
    }
  });
  test("is refused when the file of a blob is lost: it would not be whole", async () => {
    const data = await open("data");
    await put(data, "blob", "its body");
    for (const file of readdirSync(join(folder("data"), "blobs"))) rmSync(join(folder("data"), "blobs", file));
    expect(await refusalOf(backedUp())).toMatch(/^STORAGE_UNUSABLE: .+ it is the file of the blob blob and is missing/);
  });
});

describe("a copy without logs.db", () => {
  /** What becomes of a copy of a folder whose logs.db is like this, and which no process has open. */
  const refusal = async (spoil: (file: string) => void, filled: boolean): Promise<string> => {
    const data = await open("data");
    if (filled) await records(data).insert(thing("there"));
    cpSync(await backedUp(), folder("idle"), { recursive: true });
    spoil(join(folder("idle"), "logs.db"));
    mkdirSync(folder("copy"));
    return refusalOf(backUp(configOf("idle"), folder("copy"), quiet));
  };
  const remove = (file: string): void => rmSync(file);
  const empty = (file: string): void => writeFileSync(file, "");
  test.each([true, false])("is not made where the file is missing (records: %p): it could not be put back whole", async (filled) => {
    expect(await refusal(remove, filled)).toMatch(/^BACKUP_REFUSED: .+ there is no .+logs\.db/);
  });
  test("is refused as not made yet, not as damaged, while the first start is under way", async () => {
    expect(await refusal(empty, false)).toMatch(/^BACKUP_REFUSED: .+logs\.db/);
  });
  test("is refused as damaged where records say that the file was filled", async () => {
    expect(await refusal(empty, true)).toMatch(/^STORAGE_UNUSABLE: .+logs\.db .+ it is empty, and main\.db beside it is not/);
  });
  test("of an older build is put back without logs, and the command says so", async () => {
    const data = await open("data");
    await records(data).insert(thing("kept"));
    const copy = await backedUp();
    rmSync(join(copy, "logs.db"));
    const lines: string[] = [];
    await (await restore(configOf("other"), copy, (line) => void lines.push(line))).replace("replaced");
    expect(lines).toContain("logs.db  not in this copy: the gateway begins without logs");
    const other = await open("other");
    expect((await records(other).list({ limit: 9, offset: 0 })).total).toBe(1);
    await logs(other).write([logRow({ id: "log" })]);
    expect((await logs(other).get("log"))?.id).toBe("log");
  });
});

describe("putting a copy back", () => {
  /** A folder whose files no process has open, and a copy of it. */
  const prepare = async (): Promise<string> => {
    const data = await open("data");
    await records(data).insert(thing("kept"));
    await put(data, "blob", "its body");
    await logs(data).write([logRow({ id: "log" })]);
    const copy = await backedUp();
    const again = await backedUp("again");
    cpSync(again, folder("idle"), { recursive: true });
    return copy;
  };
  const snapshot = (dir: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      (readdirSync(dir, { recursive: true }) as string[])
        .filter((name) => statSync(join(dir, name)).isFile())
        .map((name) => [name, new Bun.CryptoHasher("sha256").update(readFileSync(join(dir, name))).digest("hex")]),
    );

  test("keeps what it replaces", async () => {
    const copy = await prepare();
    const before = snapshot(folder("idle"));
    const aside = await restored("idle", copy);
    expect(snapshot(aside)).toMatchObject({ "main.db": expect.any(String), "logs.db": before["logs.db"] });
    expect(readdirSync(folder("idle")).sort()).toEqual(["blobs", "logs.db", "main.db", "replaced"]);
  });

  const FLAWS: Readonly<Record<string, readonly [spoil: (copy: string) => void, why: RegExp]>> = {
    "a page of zeroes": [
      (copy) => {
        const bytes = readFileSync(join(copy, "main.db"));
        writeFileSync(join(copy, "main.db"), bytes.fill(0, 8 * 4096, 12 * 4096));
      },
      /^BACKUP_REFUSED: Nothing was changed: .+backup.main\.db cannot be put in place: its content is damaged/,
    ],
    "logs that are no database": [
      (copy) => writeFileSync(join(copy, "logs.db"), "no database".repeat(1000)),
      /^BACKUP_REFUSED: .+backup.logs\.db cannot be put in place: it is not a SQLite database/,
    ],
    "no main.db": [(copy) => rmSync(join(copy, "main.db")), /holds no main\.db/],
    "a blob less": [
      (copy) => rmSync(join(copy, "blobs"), { recursive: true }),
      /the backup is not whole: the file .+ of its blobs is missing or cut/,
    ],
    "a migration of a newer build": [
      (copy) => change(join(copy, "main.db"), `insert into "_migrations" values ('9999_later', 'x', 0)`),
      /^MIGRATION_REFUSED: .+ the migration 9999_later, which this build does not know/,
    ],
    "a database of something else": [(copy) => change(join(copy, "main.db"), `drop table "_migrations"`), /is no database of a gateway/],
  };
  const change = (path: string, sql: string): void => {
    const db = new Database(path);
    db.run(sql);
    db.close(true);
  };
  for (const [what, [spoil, why]] of Object.entries(FLAWS)) {
    test(`is refused for a copy with ${what}, and the folder stays as it is`, async () => {
      const copy = await prepare();
      spoil(copy);
      const before = snapshot(folder("idle"));
      expect(await refusalOf(restored("idle", copy))).toMatch(why);
      expect(snapshot(folder("idle"))).toEqual(before);
      expect(readdirSync(folder("idle")).sort()).toEqual(["blobs", "logs.db", "main.db"]);
    });
  }
  test("that was interrupted keeps a gateway from starting until it is done again", async () => {
    const copy = await prepare();
    writeFileSync(join(folder("idle"), "restore-under-way"), "");
    const started = open("idle");
    expect(await refusalOf(started)).toMatch(
      /^STORAGE_UNUSABLE: .+idle cannot be used: a restore into it goes on, or was interrupted .+ run "gateway restore <folder>" again/,
    );
    await restored("idle", copy);
    expect(existsSync(join(folder("idle"), "restore-under-way"))).toBe(false);
    expect((await records(await open("idle")).list({ where: {}, limit: 9, offset: 0 })).total).toBe(1);
  });
  test("works where the files it replaces are damaged, or no files", async () => {
    const copy = await prepare();
    writeFileSync(join(folder("idle"), "logs.db"), "no database".repeat(1000));
    rmSync(join(folder("idle"), "main.db"));
    mkdirSync(join(folder("idle"), "main.db"));
    const aside = await restored("idle", copy);
    expect(readdirSync(aside).sort()).toEqual(["blobs", "logs.db", "main.db"]);
    expect((await records(await open("idle")).list({ where: {}, limit: 9, offset: 0 })).total).toBe(1);
  });
  test("is refused while another process has the folder open, and says which", async () => {
    const copy = await prepare();
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "sqlite-child.ts"), "stay", folder("idle")], {
      stdout: "pipe",
      stderr: "inherit",
    });
    await child.stdout.getReader().read(); // it says so once it has started
    expect(await refusalOf(restored("idle", copy))).toBe(
      `BACKUP_REFUSED: Nothing was changed: the data folder ${folder("idle")} is in use by process ${child.pid}; stop that gateway first, then run the command again.`,
    );
    child.kill("SIGKILL");
    await child.exited;
    await restored("idle", copy);
  });
});
