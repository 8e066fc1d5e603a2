import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayError } from "#contract";
import { sqliteCounters } from "../../storage/sqlite/counters.ts";
import { type Connection, connect, openDatabase } from "../../storage/sqlite/database.ts";
import { sqliteFeed } from "../../storage/sqlite/feed.ts";
import { connectSqlite } from "../../storage/sqlite/index.ts";
import { MIGRATIONS as LOGS } from "../../storage/sqlite/logs-migrations/index.ts";
import { packed, unpacked } from "../../storage/sqlite/logs-batch.ts";
import { logsTable } from "../../storage/sqlite/logs-table.ts";
import { sqliteLogs } from "../../storage/sqlite/logs.ts";
import { sqliteRecords } from "../../storage/sqlite/records.ts";
import { logRow } from "../kit/storage/logs.ts";
import { thing, Things } from "../kit/storage/sample.ts";
import { codeOf, eventually, handleOf } from "../kit/storage/subject.ts";

const host = { log: () => undefined, now: Date.now };
const root = mkdtempSync(join(tmpdir(), "gateway-sqlite-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const on: { dir: string; path: string; connection: Connection } = { dir: "", path: "", connection: connect(":memory:", 0) };
const parts = () => {
  const records = sqliteRecords(on.connection, { path: on.path, busyTimeoutMs: 0, now: Date.now, keepsTables: false });
  return { records: records.in(Things), counters: sqliteCounters(on.connection, Date.now) };
};
const claim = (key: string) => [{ key, by: 1, limit: 1e9, expiresAt: Number.MAX_SAFE_INTEGER }];

beforeEach(async () => {
  on.dir = join(root, crypto.randomUUID());
  on.path = join(on.dir, "main.db");
  const first = connectSqlite(host, { dir: on.dir, busyTimeoutMs: 1000 });
  await handleOf(first.provides, "records").migrate([Things]);
  await first.close?.();
  on.connection.close();
  on.connection = connect(on.path, 0);
});
afterEach(() => on.connection.close());

describe("a full disk", () => {
  test("is STORAGE_UNAVAILABLE, loses nothing that was there, and passes", async () => {
    const { records, counters } = parts();
    const { page_count: pages } = on.connection.db.query<{ page_count: number }, []>("pragma page_count").get() ?? { page_count: 0 };
    on.connection.db.run(`pragma max_page_count = ${pages + 20}`);
    const kept: string[] = [];
    const fill = async (): Promise<never> => {
      for (;;) {
        const one = thing("full", { body: { text: "x".repeat(4000) } });
        await records.insert(one);
        kept.push(one.id);
      }
    };
    expect(await codeOf(fill())).toBe("STORAGE_UNAVAILABLE");
    const many = Array.from({ length: 2000 }, (_, index) => claim(`key-${index}-${"x".repeat(200)}`)).flat();
    expect(await codeOf(counters.reserve(many))).toBe("STORAGE_UNAVAILABLE");
    expect(await counters.read([many[0]?.key ?? ""])).toEqual([0]);
    expect((await records.list({ where: { id: kept }, limit: 1, offset: 0 })).total).toBe(kept.length);

    on.connection.db.run("pragma max_page_count = 1000000");
    await records.insert(thing("full"));
    expect(await counters.reserve(many)).toMatchObject({ granted: true });
  });
});

describe("a file that another process keeps locked", () => {
  test("is STORAGE_UNAVAILABLE to writers, goes on answering readers, and passes", async () => {
    const { records, counters } = parts();
    const one = thing("locked");
    await records.insert(one);
    const holder = new Database(on.path);
    holder.run("begin immediate");
    expect(await codeOf(records.insert(thing("locked")))).toBe("STORAGE_UNAVAILABLE");
    expect(await codeOf(records.update(one.id, { small: 1 }))).toBe("STORAGE_UNAVAILABLE");
    expect(await codeOf(counters.reserve(claim("locked")))).toBe("STORAGE_UNAVAILABLE");
    expect(await codeOf(counters.reserve([...claim("a"), ...claim("b")]))).toBe("STORAGE_UNAVAILABLE");
    expect(await records.get(one.id)).toEqual(one);
    holder.run("rollback");
    holder.close();
    expect(await records.update(one.id, { small: 1 })).toBe(true);
    expect(await counters.reserve([...claim("a"), ...claim("b")])).toMatchObject({ granted: true });
  });
});

test("a folder that cannot be made, and a file that is no database, are STORAGE_UNUSABLE", () => {
  const file = join(root, "a-file");
  writeFileSync(file, "this is not a database, it only lies where one should be".repeat(100));
  const spoilt = join(root, "spoilt");
  mkdirSync(spoilt);
  writeFileSync(join(spoilt, "main.db"), "this is not a database, it only lies where one should be".repeat(100));
  for (const dir of [join(file, "below"), spoilt]) {
    const thrown = (() => {
      try {
        return connectSqlite(host, { dir, busyTimeoutMs: 0 });
      } catch (error) {
        return error;
      }
    })();
    expect(GatewayError.is(thrown) ? thrown.code : thrown).toBe("STORAGE_UNUSABLE");
  }
});

test("counters of windows long past are forgotten a few at a time, the others stay", async () => {
  const { counters } = parts();
  for (let window = 0; window < 1200; window += 1) await counters.add([{ key: `past:${window}`, by: 1, expiresAt: 1000 + window }]);
  await counters.add([{ key: "present", by: 1, expiresAt: Number.MAX_SAFE_INTEGER }]);
  const left = on.connection.db.query<{ left: number }, []>(`select count(*) as "left" from "_counters"`).get()?.left ?? 0;
  expect(left).toBeLessThan(600);
  expect(await counters.read(["present"])).toEqual([1]);
});

test("a listener learns that messages were forgotten before it could hear them", async () => {
  const feed = sqliteFeed(on.connection, Date.now, () => undefined);
  const heard: (string | null)[] = [];
  await feed.handle.publish("topic", "before");
  await feed.handle.subscribe("topic", (message) => heard.push(message));
  const elsewhere = new Database(on.path);
  const write = elsewhere.query(`insert into "_feed" ("topic", "message", "origin", "created_at") values ('topic', ?1, 'other', 0)`);
  elsewhere.transaction(() => {
    write.run("lost");
    write.run("kept");
    elsewhere.run(`delete from "_feed" where "message" <> 'kept'`);
  })();
  await eventually("the later message arrives", () => heard.includes("kept"), 1000);
  expect(heard).toEqual([null, "kept"]);
  elsewhere.close();
  feed.close();
});

test("a log worker that dies fails what waits for it with STORAGE_UNAVAILABLE, and the next call has a new one", async () => {
  const workers: Worker[] = [];
  const spawn = (): Worker => {
    const worker = new Worker(new URL("../../storage/sqlite/logs.worker.ts", import.meta.url));
    workers.push(worker);
    return worker;
  };
  const logs = sqliteLogs(
    { path: join(on.dir, "logs.db"), busyTimeoutMs: 1000, beside: undefined, allowDestructive: undefined, keepsTables: false },
    () => undefined,
    spawn,
  );
  await logs.ready();
  const waiting = codeOf(logs.handle.get("x"));
  workers[0]?.terminate();
  expect(await waiting).toBe("STORAGE_UNAVAILABLE");
  expect(await logs.handle.get("x")).toBeUndefined();
  expect(workers.length).toBe(2);
  await logs.close();
  expect(await codeOf(logs.handle.get("x"))).toBe("STORAGE_UNAVAILABLE");
});

test("the space of pruned logs goes back to the file system", async () => {
  const db = openDatabase(join(on.dir, "logs.db"), 0);
  for (const { sql } of LOGS) db.run(sql);
  const table = logsTable(db);
  const row = logRow({ response: "x".repeat(4000) });
  table.write(unpacked(packed(Array.from({ length: 500 }, (_, index) => ({ ...row, id: String(index), createdAt: index })))));
  const pages = (): number => db.query<{ page_count: number }, []>("pragma page_count").get()?.page_count ?? 0;
  const full = pages();
  expect(table.pruneOlder(400)).toBe(400);
  expect(pages()).toBeLessThan(full / 2);
  expect(table.get("399")).toBeUndefined();
  expect(table.get("400")).toEqual({ ...row, id: "400", createdAt: 400 });
  db.close();
});

test("files of blobs that were never finished are removed at start, young and known ones are not", async () => {
  const running = connectSqlite(host, { dir: on.dir, busyTimeoutMs: 1000 });
  await running.ready?.();
  await handleOf(running.provides, "blobs").put("known", new Blob(["known"]).stream());
  await running.close?.();
  const [old, young] = [join(on.dir, "blobs", "old"), join(on.dir, "blobs", "young")];
  for (const path of [old, young]) writeFileSync(path, "x");
  const db = new Database(on.path);
  const { file } = db.query<{ file: string }, []>(`select "file" from "_blobs"`).get() ?? { file: "" };
  db.close();
  for (const path of [old, join(on.dir, "blobs", file)]) utimesSync(path, 1, 1);

  const again = connectSqlite(host, { dir: on.dir, busyTimeoutMs: 1000 });
  await again.ready?.();
  expect([existsSync(old), existsSync(young), existsSync(join(on.dir, "blobs", file))]).toEqual([false, true, true]);
  await again.close?.();
});
