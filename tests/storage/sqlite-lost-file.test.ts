/* SQLite files whose lock or journal this process loses: nothing more is acknowledged, and what is still seen is saved. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayError, type Running, type Storage } from "#contract";
import { archive } from "../../storage/sqlite/archive.ts";
import { connectSqlite } from "../../storage/sqlite/index.ts";
import { logRow } from "../kit/storage/logs.ts";
import { thing, Things } from "../kit/storage/sample.ts";
import { codeOf, eventually, handleOf } from "../kit/storage/subject.ts";

setDefaultTimeout(60_000); // processes are started, and bytes go to the disk

const { backUp, restore } = "elsewhere" in archive ? expect.unreachable() : archive;

interface Line {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}
const at: { dir: string; running: Running<Storage>; lines: Line[] } = { dir: "", running: { provides: {} }, lines: [] };
const open = (busyTimeoutMs: number): Running<Storage> =>
  connectSqlite({ log: (_, event, fields = {}) => void at.lines.push({ event, fields }), now: Date.now }, { dir: at.dir, busyTimeoutMs });

beforeEach(async () => {
  at.dir = mkdtempSync(join(tmpdir(), "gateway-sqlite-"));
  at.lines = [];
  at.running = open(1000);
  await at.running.ready?.();
  await handleOf(at.running.provides, "records").migrate([Things]);
});
afterEach(async () => {
  await at.running.close?.();
  rmSync(at.dir, { recursive: true, force: true });
});

const records = () => handleOf(at.running.provides, "records").in(Things);
const logs = () => handleOf(at.running.provides, "logs");
const path = (file: string): string => join(at.dir, file);
const savedOf = (file: string): string[] => readdirSync(at.dir).filter((name) => new RegExp(`^${file}\\.saved-[^-]+-\\d+$`).test(name));
const isLocked = (file: string): boolean =>
  readFileSync("/proc/locks", "utf8")
    .split("\n")
    .some((line) => new RegExp(` ${process.pid} \\S+:${statSync(path(file)).ino} `).test(line));
/** What this runtime does when somebody in it reads a file: the locks of the whole process go with the descriptor. */
const openAndClose = (file: string): void => closeSync(openSync(path(file), "r"));
const sentenceOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "",
    (error: unknown) => (GatewayError.is(error) ? error.message : String(error)),
  );
const count = (file: string, table: string): number => {
  const db = new Database(path(file), { readonly: true });
  const found = db.query<{ rows: number }, []>(`select count(*) as "rows" from "${table}"`).get()?.rows ?? -1;
  db.close();
  return found;
};

describe("the lock on a database file", () => {
  test("stays while tables are made, and while the same folder is opened again, with another configuration, and closed", async () => {
    expect([isLocked("main.db"), isLocked("logs.db")]).toEqual([true, true]);
    await handleOf(at.running.provides, "records").migrate([Things]);
    const second = open(2000);
    await second.ready?.();
    await handleOf(second.provides, "records").migrate([Things]);
    expect([isLocked("main.db"), isLocked("logs.db")]).toEqual([true, true]);
    await second.close?.();
    expect([isLocked("main.db"), isLocked("logs.db")]).toEqual([true, true]);
    expect(at.running.health?.()).toMatchObject({ degraded: [], detail: { records: { lock: "held" } } });
  });
  test("that is lost stops every write with a sentence, saves what is seen, and lets reads go on", async () => {
    const kept = Array.from({ length: 20 }, () => thing("kept"));
    for (const one of kept) await records().insert(one);
    openAndClose("main.db");
    await eventually("the loss is noticed", () => at.lines.length > 0, 5_000);

    const { kv, counters, feed, blobs } = at.running.provides;
    const writes: Readonly<Record<string, () => Promise<unknown> | undefined>> = {
      insert: () => records().insert(thing("late")),
      update: () => records().update(kept[0]?.id ?? "", { small: 1 }),
      remove: () => records().remove(kept[0]?.id ?? ""),
      "kv.set": () => kv?.set("a", new Uint8Array(1)),
      "kv.add": () => kv?.add("a", new Uint8Array(1)),
      "kv.delete": () => kv?.delete("a"),
      "counters.add": () => counters?.add([{ key: "a", by: 1, expiresAt: Number.MAX_SAFE_INTEGER }]),
      "counters.reserve": () => counters?.reserve([{ key: "a", by: 1, limit: 9, expiresAt: Number.MAX_SAFE_INTEGER }]),
      "feed.publish": () => feed?.publish("a", "b"),
      "blobs.put": () => blobs?.put("a", new Blob(["b"]).stream()),
      "blobs.delete": () => blobs?.delete("a"),
    };
    const codes = await Promise.all(
      Object.entries(writes).map(async ([name, write]) => [name, await codeOf(write() ?? Promise.resolve())]),
    );
    expect(codes).toEqual(Object.keys(writes).map((name) => [name, "STORAGE_UNAVAILABLE"]));
    expect((await records().list({ where: {}, limit: 1, offset: 0 })).total).toBe(20);

    const [saved = ""] = savedOf("main.db");
    expect(count(saved, Things.name)).toBe(20);
    expect((statSync(path(saved)).mode & 0o777).toString(8)).toBe("600");
    const sentence = await sentenceOf(records().insert(thing("late")));
    expect(sentence).toContain("main.db takes no more writes, because this process's lock on main.db is gone");
    expect(sentence).toContain(`saved to ${saved}`);
    expect(at.lines.map(({ event }) => event)).toEqual(["storage.lost"]);
    expect(at.lines[0]?.fields).toMatchObject({ saved: path(saved) });
    expect(at.running.health?.().degraded).toEqual([expect.stringContaining(`saved to ${saved}`)]);
  });
});

describe("a journal that another program takes away", () => {
  const taken: Readonly<Record<string, () => void>> = {
    removed: () => unlinkSync(path("main.db-wal")),
    replaced: () => {
      renameSync(path("main.db-wal"), path("elsewhere"));
      writeFileSync(path("main.db-wal"), "");
    },
  };
  for (const [how, take] of Object.entries(taken)) {
    test(`and that is ${how} lets no write be acknowledged any more, the very next one neither`, async () => {
      const kept = Array.from({ length: 20 }, () => thing("kept"));
      for (const one of kept) await records().insert(one);
      take();
      expect(await sentenceOf(records().insert(thing("late")))).toContain(`another program has ${how} main.db-wal while it was open`);
      const [saved = ""] = savedOf("main.db");
      expect(count(saved, Things.name)).toBe(20);
      expect(savedOf("main.db")).toHaveLength(1);
    });
  }
  test("while a write is under way does not let that write be acknowledged", async () => {
    await records().insert(thing("first"));
    const writing = records().insert(thing("under way"));
    unlinkSync(path("main.db-wal"));
    expect(await codeOf(writing)).toBe("STORAGE_UNAVAILABLE");
  });
  test("and a database file in whose place another one is put are treated the same", async () => {
    renameSync(path("main.db"), path("elsewhere.db"));
    writeFileSync(path("main.db"), "");
    expect(await sentenceOf(records().insert(thing("late")))).toContain("another program has replaced main.db");
  });
});

/** Moves what the journal of main.db holds into the file, as any SQLite does now and then. */
const checkpointed = async (): Promise<void> => {
  const db = new Database(path("main.db"));
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
  await records().insert(thing("after its journal was emptied"));
};
describe("a database file that another program cuts short while it is open", () => {
  const cuts: Readonly<Record<string, { readonly file: string; readonly cut: () => void | Promise<void>; readonly saved: boolean }>> = {
    "main.db to nothing, all of it in the journal": { file: "main.db", cut: () => truncateSync(path("main.db"), 0), saved: true },
    "main.db to its half": {
      file: "main.db",
      cut: async () => {
        await checkpointed();
        truncateSync(path("main.db"), statSync(path("main.db")).size / 2);
      },
      saved: false,
    },
    "main.db to nothing, all of it in the file": {
      file: "main.db",
      cut: async () => {
        await checkpointed();
        truncateSync(path("main.db"), 0);
      },
      saved: false,
    },
    "the journal of main.db to nothing": { file: "main.db-wal", cut: () => truncateSync(path("main.db-wal"), 0), saved: false },
  };
  for (const [what, { file, cut, saved }] of Object.entries(cuts)) {
    test(`(${what}) lets the very next write be acknowledged no more, and what is seen is saved or said to be gone`, async () => {
      const kept = Array.from({ length: 20 }, () => thing("kept"));
      for (const one of kept) await records().insert(one);
      await cut();
      const sentence = await sentenceOf(records().insert(thing("late")));
      expect(sentence).toContain(`another program has cut ${file} short while it was open`);
      const copies = savedOf("main.db");
      if (saved) expect(copies).toHaveLength(1);
      for (const copy of copies) expect(count(copy, Things.name)).toBeGreaterThanOrEqual(20);
      expect(sentence).toContain(
        copies[0] === undefined ? 'put a backup back with "gateway restore <folder>"' : `was saved to ${copies[0]}, beside it`,
      );
    });
  }
  test("stops counters too, within a moment, though no record is written", async () => {
    truncateSync(path("main.db"), 0);
    await eventually("the loss is noticed", () => at.lines.length > 0, 5_000);
    const { counters } = at.running.provides;
    expect(await codeOf(counters?.add([{ key: "a", by: 1, expiresAt: Number.MAX_SAFE_INTEGER }]) ?? Promise.resolve())).toBe(
      "STORAGE_UNAVAILABLE",
    );
  });
  test("is told from one that SQLite itself made smaller", async () => {
    for (let index = 0; index < 300; index += 1) await records().insert(thing("many"));
    await checkpointed();
    const { data } = await records().list({ where: {}, limit: 290, offset: 0 });
    for (const { id } of data) await records().remove(id);
    const before = statSync(path("main.db")).size;
    const db = new Database(path("main.db"));
    db.run("vacuum");
    db.close();
    await checkpointed();
    expect(statSync(path("main.db")).size).toBeLessThan(before);
    expect(at.lines).toEqual([]);
    expect((await records().list({ where: {}, limit: 1, offset: 0 })).total).toBe(12);
  });
});

describe("what a process saved of a file it lost", () => {
  const JOURNALS: Readonly<Record<string, string>> = { "main.db": "main.db-wal", "logs.db": "logs.db-wal" };
  /** A gateway that lost the journal and was killed; what its folder holds then. */
  const lost = (file: string): { readonly dir: string; readonly saved: string } => {
    const dir = join(at.dir, "killed");
    Bun.spawnSync([process.execPath, join(import.meta.dir, "sqlite-child.ts"), "lose", dir, JOURNALS[file] ?? ""], { stderr: "inherit" });
    return { dir, saved: readdirSync(dir).find((name) => name.startsWith(`${file}.saved-`)) ?? expect.unreachable() };
  };
  const start = async (dir: string): Promise<Running<Storage>> => {
    const running = connectSqlite({ log: () => undefined, now: Date.now }, { dir, busyTimeoutMs: 1000 });
    await running.ready?.().catch(async (error: unknown) => {
      await running.close?.();
      throw error;
    });
    return running;
  };
  const failureOf = (dir: string): Promise<string> =>
    start(dir).then(
      async (running) => {
        await running.close?.();
        return "it started";
      },
      (error: unknown) => (GatewayError.is(error) ? error.message : String(error)),
    );
  const writeFromOutside = (file: string): void => {
    const db = new Database(file);
    db.run("create table mine (a)");
    db.run("pragma wal_checkpoint(truncate)");
    db.close();
  };

  for (const file of Object.keys(JOURNALS))
    test(`(${file}) is not passed over by the next start, nor by a backup`, async () => {
      const { dir, saved } = lost(file);
      const sentence = await failureOf(dir);
      expect(sentence).toContain(
        `${join(dir, file)} cannot be used: ${saved} beside it holds what was written last, and ${file} does not.`,
      );
      expect(sentence).toContain(
        `put ${saved} in the place of ${file} (without ${file}-wal and ${file}-shm) to go on from there, or move it away`,
      );
      const to = join(at.dir, "backup");
      mkdirSync(to);
      expect(await sentenceOf(backUp({ dir, busyTimeoutMs: 1000 }, to, () => undefined))).toContain(
        `${saved} beside it holds what was written last`,
      );
      renameSync(join(dir, saved), join(dir, file));
      for (const end of ["-wal", "-shm"]) rmSync(join(dir, `${file}${end}`), { force: true });
      expect(await failureOf(dir)).toBe("it started");
    });
  test("is not passed over either when another program has written to the file since", async () => {
    const { dir, saved } = lost("main.db");
    writeFromOutside(join(dir, "main.db"));
    expect(await failureOf(dir)).toContain(`${saved} beside it holds what was written last`);
    rmSync(join(dir, saved));
    expect(await failureOf(dir)).toBe("it started");
  });
  test("holds nobody up where the file has it all: only the lock was lost", async () => {
    const dir = join(at.dir, "killed");
    Bun.spawnSync([process.execPath, join(import.meta.dir, "sqlite-child.ts"), "lose", dir, "lock"], { stderr: "inherit" });
    expect(readdirSync(dir).filter((name) => name.startsWith("main.db.saved-"))).toHaveLength(1);
    expect(await failureOf(dir)).toBe("it started");
  });
  test("goes where a restore puts what it replaces", async () => {
    const { dir, saved } = lost("main.db");
    const to = join(at.dir, "backup");
    mkdirSync(to);
    await backUp({ dir: at.dir, busyTimeoutMs: 1000 }, to, () => undefined);
    await (await restore({ dir, busyTimeoutMs: 1000 }, to, () => undefined)).replace("replaced");
    expect(readdirSync(join(dir, "replaced"))).toContain(saved);
    expect(await failureOf(dir)).toBe("it started");
  });
});

describe("logs.db", () => {
  const row = (id: string) => logRow({ id });
  test("whose lock is lost takes no more records, saves those it has, and goes on showing them", async () => {
    await logs().write([row("a"), row("b")]);
    openAndClose("logs.db");
    await eventually("the loss is noticed", () => at.lines.length > 0, 5_000);
    expect(await sentenceOf(logs().write([row("c")]))).toContain(
      "logs.db takes no more writes, because this process's lock on logs.db is gone",
    );
    expect(await codeOf(logs().prune({ newerThan: Date.now(), maxBytes: 0 }))).toBe("STORAGE_UNAVAILABLE");
    expect((await logs().get("b"))?.id).toBe("b");
    expect(count(savedOf("logs.db")[0] ?? "", "logs")).toBe(2);
    expect(at.lines.map(({ event }) => event)).toEqual(["storage.lost"]);
    expect(at.running.health?.().degraded).toEqual([expect.stringContaining("logs.db takes no more writes")]);
    await records().insert(thing("records go on"));
  });
  test("whose journal is removed does not acknowledge the next batch", async () => {
    await logs().write([row("a")]);
    unlinkSync(path("logs.db-wal"));
    expect(await sentenceOf(logs().write([row("b")]))).toContain("another program has removed logs.db-wal");
    expect(count(savedOf("logs.db")[0] ?? "", "logs")).toBe(1);
  });
  test("that is cut to nothing does not acknowledge the next batch, and what it held is saved", async () => {
    await logs().write([row("a")]);
    truncateSync(path("logs.db"), 0);
    expect(await sentenceOf(logs().write([row("b")]))).toContain("another program has cut logs.db short while it was open");
    expect(count(savedOf("logs.db")[0] ?? "", "logs")).toBe(1);
  });
});

test("records are written with synchronous = full, counters with normal, each by the connection that writes them", () => {
  expect(at.running.health?.().detail).toMatchObject({ records: { synchronous: "full" }, counters: { synchronous: "normal" } });
});
