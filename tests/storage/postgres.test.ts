import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import postgres from "postgres";
import { type Counters, type LogRow, type Running, type Storage, defineCollection } from "#contract";
import { testStorage } from "../kit/storage.ts";
import { logRow } from "../kit/storage/logs.ts";
import plugin from "../../storage/postgres/index.ts";
import { link as linkTo } from "../../storage/postgres/link.ts";
import { sweep } from "../../storage/postgres/sweep.ts";
import { dropDatabase, isSkip, load, newDatabase, ownPostgres, postgresServer, until } from "../servers/index.ts";

const shared = await postgresServer();
const own = await ownPostgres();

interface Line {
  readonly level: string;
  readonly event: string;
}
const open: Running<Storage>[] = [];
afterEach(async () => {
  for (const running of open.splice(0)) await running.close?.();
});
afterAll(async () => {
  if (!isSkip(own)) await own.remove();
});

const DEFAULTS = { poolSize: 12, logsPoolSize: 3, statementTimeoutMs: 1000, logsTimeoutMs: 30_000, connectTimeoutMs: 1000, prepare: true };
type Options = Partial<Parameters<typeof plugin.setup>[1]>;

/** The plugin set up on this database, not yet connected. */
function set(url: string, options: Options = {}) {
  const lines: Line[] = [];
  const clock = { now: Date.now };
  const host = { now: () => clock.now(), log: (level: string, event: string) => void lines.push({ level, event }) };
  return { running: plugin.setup(host, { ...DEFAULTS, ...options, url }), lines, clock };
}

/** The plugin at work on this database. */
async function started(url: string, options: Options = {}) {
  const { running: setting, lines, clock } = set(url, options);
  const running = await setting;
  open.push(running);
  await running.ready?.();
  const { records, logs, blobs, counters, kv, feed } = running.provides;
  if (!records || !logs || !blobs || !counters || !kv || !feed) throw new Error("a handle is missing");
  await records.migrate([Things]);
  return { records, things: records.in(Things), logs, blobs, counters, kv, feed, lines, clock };
}

const Things = defineCollection({
  name: "test_things",
  schema: Type.Object({
    id: Type.String(),
    name: Type.String(),
    data: Type.Record(Type.String(), Type.Unknown()),
    list: Type.Array(Type.String()),
  }),
  unique: [["name"]],
});
const thing = (name: string) => ({ id: crypto.randomUUID(), name, data: { deep: { quote: 'it\'s "so" \u0000 \\' } }, list: ["a", "b"] });

const inAMinute = () => Date.now() + 60_000;
const one = (counters: Counters) => counters.reserve([{ key: "load", by: 1, limit: 1e9, expiresAt: inAMinute() }]);
const bytes = (text: string) => new TextEncoder().encode(text);

/** A short row. */
const logOf = (id: string, createdAt: number, more: Partial<LogRow> = {}): LogRow =>
  logRow({ id, createdAt, metadata: { team: "a" }, facts: null, request: "hello", sent: null, response: null, hooks: null, ...more });

describe.skipIf(isSkip(shared))("PostgreSQL", () => {
  if (isSkip(shared)) return;

  testStorage(
    "postgres",
    async () => {
      const url = await newDatabase(shared);
      return { connect: () => set(url).running, destroy: () => dropDatabase(shared, url) };
    },
    { supports: ["records", "logs", "blobs", "counters", "kv", "feed"] },
  );

  test("processes that start at once on an empty database migrate it once", async () => {
    const url = await newDatabase(shared);
    await Promise.all(Array.from({ length: 6 }, () => started(url)));
    const sql = postgres(url, { max: 1 });
    const rows = await sql`select id, count(*)::int as times from _migrations group by id having count(*) > 1`;
    expect(rows).toHaveLength(0);
    await sql.end();
  });

  test("objects and arrays are stored as JSON, not as text that holds JSON", async () => {
    const url = await newDatabase(shared);
    const { things } = await started(url);
    const given = thing("one");
    await things.insert(given);
    expect(await things.get(given.id)).toEqual(given);
    const sql = postgres(url, { max: 1 });
    const [types] = await sql`select json_typeof(data::json) as data, json_typeof(list::json) as list from test_things`;
    expect(types).toEqual({ data: "object", list: "array" });
    await sql.end();
  });

  test("a name taken by another record is a CONFLICT", async () => {
    const { things } = await started(await newDatabase(shared));
    await things.insert(thing("taken"));
    expect(things.insert(thing("taken"))).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("a NUL in an id finds nothing and breaks nothing", async () => {
    const { things, counters, logs } = await started(await newDatabase(shared));
    expect(await things.get("a\0b")).toBeUndefined();
    expect(await counters.add([{ key: "k\0", by: 1, expiresAt: inAMinute() }])).toEqual([1]);
    const text = "a\0b \ud83d c \ude00\0";
    const row = logOf("nul", 1, { model: "m\0", metadata: { a: "\0\ud800" }, request: text, sent: text, response: text });
    await logs.write([row, logOf("other", 1)]);
    const kept = "a\uFFFDb \uFFFD c \uFFFD\uFFFD"; // neither NUL nor half a character is text to PostgreSQL
    expect(await logs.get("nul")).toEqual({ ...row, model: "m\uFFFD", request: kept, sent: kept, response: kept });
    expect(await logs.get("other")).toEqual(logOf("other", 1));
  });

  test("a database whose default isolation is stricter, on which the statements still work", async () => {
    const url = await newDatabase(shared);
    const sql = postgres(url, { max: 1 });
    await sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_isolation = 'serializable'`);
    await sql.end();
    const { counters } = await started(url);
    const answers = await Promise.all(Array.from({ length: 100 }, () => one(counters)));
    expect(answers.every((answer) => answer.granted)).toBe(true);
  });

  test("two processes share one limit: of 400 reservations at once exactly 10 pass", async () => {
    const url = await newDatabase(shared);
    const [a, b] = [await started(url), await started(url)];
    const claims = ["day", "minute"].map((key) => ({ key, by: 1, limit: key === "day" ? 1000 : 10, expiresAt: inAMinute() }));
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, index) => (index % 2 ? a : b).counters.reserve(index % 3 ? claims : [...claims].reverse())),
    );
    expect(answers.filter((answer) => answer.granted)).toHaveLength(10);
    expect(await a.counters.read(["minute", "day", "never"])).toEqual([10, 10, 0]);
  });

  test("reservations over the same keys in every order never deadlock", async () => {
    const { counters } = await started(await newDatabase(shared));
    const keys = Array.from({ length: 8 }, (_, index) => `key-${index}`);
    const shuffled = (seed: number) => [...keys].sort((a, b) => ((a.charCodeAt(4) * seed) % 7) - ((b.charCodeAt(4) * seed) % 7));
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        counters.reserve(shuffled(index + 1).map((key) => ({ key, by: 1, limit: 1e6, expiresAt: inAMinute() }))),
      ),
    );
    expect(answers.every((answer) => answer.granted)).toBe(true);
    expect(await counters.read(keys)).toEqual(keys.map(() => 300));
  });

  test("a refusal says which claim and its value; the same key twice counts twice; zero only asks", async () => {
    const { counters } = await started(await newDatabase(shared));
    const claim = (key: string, by: number, limit: number) => ({ key, by, limit, expiresAt: inAMinute() });
    await counters.add([claim("b", 5, 0)]);
    expect(await counters.reserve([claim("a", 1, 10), claim("b", 1, 5)])).toEqual({ granted: false, refused: 1, value: 5 });
    expect(await counters.reserve([claim("k", 2, 3), claim("k", 2, 3)])).toEqual({ granted: false, refused: 1, value: 2 });
    expect(await counters.reserve([claim("k", 2, 4), claim("k", 2, 4)])).toEqual({ granted: true, values: [2, 4] });
    expect(await counters.reserve([claim("b", 0, 6), claim("a", 1.5, 2)])).toEqual({ granted: true, values: [5, 1.5] });
    expect(await counters.reserve([claim("b", 0, 5)])).toEqual({ granted: false, refused: 0, value: 5 });
    expect(await counters.add([claim("b", -2, 0), claim("c", 9_007_199_254_740_000, 0)])).toEqual([3, 9_007_199_254_740_000]);
    expect(await counters.reserve([])).toEqual({ granted: true, values: [] });
  });

  test("an expired counter and an expired key count as gone", async () => {
    const { counters, kv, clock } = await started(await newDatabase(shared));
    const at = Date.now();
    clock.now = () => at;
    await counters.add([{ key: "w", by: 3, expiresAt: at + 1000 }]);
    await kv.set("k", bytes("v"), 1000);
    expect(await kv.add("k", bytes("other"), 1000)).toBe(false);
    clock.now = () => at + 1001;
    expect(await counters.read(["w"])).toEqual([0]);
    expect(await counters.reserve([{ key: "w", by: 1, limit: 1, expiresAt: at + 2000 }])).toEqual({ granted: true, values: [1] });
    expect(await kv.get("k")).toBeUndefined();
    expect(await kv.add("k", bytes("other"), 1000)).toBe(true);
    expect(await kv.get("k")).toEqual(bytes("other"));
  });

  test("a deleted body and one whose writer was killed leave no part behind", async () => {
    const url = await newDatabase(shared);
    const { blobs } = await started(url);
    const sql = postgres(url, { max: 1 });
    const parts = async () => (await sql`select count(*)::int as parts from _blob_parts`)[0]?.["parts"];
    await blobs.put("old", new Blob(["x".repeat(600_000)]).stream());
    await blobs.put("old", new Blob(["new"]).stream());
    expect(await parts()).toBe(4);
    await blobs.delete("old");
    expect(await parts()).toBe(0);

    await sql`insert into _blobs (id, key, state, parts, expires_at) values ('killed', 'k', 'writing', 0, ${Date.now() + 60_000})`;
    await sql`insert into _blob_parts (blob_id, number, bytes) values ('killed', 0, 'x')`;
    const link = linkTo({ ...DEFAULTS, url }, () => undefined, { listening: () => undefined, heard: () => undefined });
    await link.ready();
    await sweep(link, Date.now());
    expect(await parts()).toBe(1);
    await sweep(link, Date.now() + 60_001);
    expect(await parts()).toBe(0);
    link.close();
    await sql.end();
  });

  test("a body that is deleted under its reader breaks off, and is not taken for a shorter one", async () => {
    const { blobs } = await started(await newDatabase(shared));
    await blobs.put("long", new Blob(["x".repeat(600_000)]).stream());
    const reader = (await blobs.get("long"))?.getReader();
    await reader?.read();
    await blobs.delete("long");
    expect(reader?.read()).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  });

  test("a message of any length and script arrives whole, at its own topic only", async () => {
    const { feed } = await started(await newDatabase(shared));
    const heard: (string | null)[] = [];
    const leave = await feed.subscribe("long", (message) => heard.push(message));
    const long = 'š🙂\0"\\'.repeat(5_000);
    await Promise.all([feed.publish("other", "not this"), feed.publish("long", long), feed.publish("long", "short")]);
    await until("both messages", 5_000, () => heard.length === 2);
    expect(new Set(heard)).toEqual(new Set([long, "short"]));
    await leave();
  });

  test("a listener whose connection was ended gets null, then messages again", async () => {
    const url = await newDatabase(shared);
    const { feed } = await started(url);
    const heard: (string | null)[] = [];
    await feed.subscribe("changes", (message) => heard.push(message));
    const sql = postgres(url, { max: 1 });
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`;
    await until("the reconnect", 5_000, () => heard.includes(null));
    await sql.end();
    await until("publishing", 5_000, () =>
      feed.publish("changes", "again").then(
        () => true,
        () => false,
      ),
    );
    await until("the message", 5_000, () => heard.at(-1) === "again");
  });

  test("logs are written in batches, read back whole, and the oldest go first", async () => {
    const { logs } = await started(await newDatabase(shared));
    const row = logOf("id-1", 1_000, { workspaceId: "w", hooks: '{"before_request_hooks":[]}', response: "x".repeat(5_000) });
    await logs.write([row]);
    await logs.write([row, logOf("id-1", 1_000, { status: 500 })]);
    expect(await logs.get("id-1")).toEqual(logOf("id-1", 1_000, { status: 500 }));
    await logs.write(Array.from({ length: 2_500 }, (_, index) => logOf(`n-${index}`, 2_000 + index)));
    expect(await logs.prune({ newerThan: 3_500, maxBytes: 1e12 })).toBe(1_501);
    expect(await logs.get("n-1499")).toBeUndefined();
    expect(await logs.get("n-1500")).toBeDefined();
    expect(await logs.prune({ newerThan: 0, maxBytes: 100_000 })).toBeGreaterThan(700);
    expect(await logs.get("n-2499")).toBeDefined();
    expect(await logs.get("n-1500")).toBeUndefined();
    expect(await logs.prune({ newerThan: 0, maxBytes: 0 })).toBeGreaterThan(100);
  });
});

describe.skipIf(isSkip(own))("PostgreSQL away", () => {
  if (isSkip(own)) return;

  test("stopped for three seconds under load: every call fails fast, and all works again within five", async () => {
    const { things, counters, kv, feed, logs, lines } = await started(await newDatabase(own));
    const heard: (string | null)[] = [];
    await feed.subscribe("changes", (message) => heard.push(message));
    const kept = thing("kept");
    await things.insert(kept);
    const calls = load(10, () => one(counters));
    const reads = load(10, async () => expect(await things.get(kept.id)).toBeDefined());
    await until("load", 5_000, () => calls.outcomes.length > 50 && reads.outcomes.length > 50);
    await own.stop();
    const stoppedAt = performance.now();
    await until("three seconds", 4_000, () => performance.now() - stoppedAt > 3_000);
    const during = [...calls.outcomes, ...reads.outcomes].filter(({ endedAt }) => endedAt > stoppedAt + 100);
    expect(during.length).toBeGreaterThan(100);
    expect(new Set(during.map(({ error }) => error))).toEqual(new Set(["STORAGE_UNAVAILABLE"]));
    expect(Math.max(...during.map(({ tookMs }) => tookMs))).toBeLessThan(1_000 + calls.lateMs);
    const away = { code: "STORAGE_UNAVAILABLE" };
    expect(kv.get("x")).rejects.toMatchObject(away);
    expect(feed.publish("changes", "lost")).rejects.toMatchObject(away);
    expect(logs.write([logOf("a", 1)])).rejects.toMatchObject(away);
    expect(things.list({ limit: 1, offset: 0 })).rejects.toMatchObject(away);
    await own.start();
    await until("recovery", 5_000, () => calls.outcomes.at(-1)?.error === null && reads.outcomes.at(-1)?.error === null);
    await until("null to listeners", 5_000, () => heard.includes(null));
    await feed.publish("changes", "again");
    await until("a message again", 5_000, () => heard.at(-1) === "again");
    await Promise.all([calls.stop(), reads.stop()]);
    expect(lines.filter(({ event }) => event === "postgres.unreachable")).toHaveLength(1);
  }, 20_000);

  test("frozen: calls wait no longer than their deadline, soon not at all, and all works again within five seconds", async () => {
    const { things, counters, lines } = await started(await newDatabase(own));
    const kept = thing("kept");
    await things.insert(kept);
    const calls = load(10, () => one(counters));
    const reads = load(10, async () => expect(await things.get(kept.id)).toBeDefined());
    await until("load", 5_000, () => calls.outcomes.length > 50 && reads.outcomes.length > 50);
    own.pause();
    const pausedAt = performance.now();
    await until("four seconds", 6_000, () => performance.now() - pausedAt > 4_000);
    const during = [...calls.outcomes, ...reads.outcomes].filter(({ endedAt }) => endedAt > pausedAt + 100);
    expect(new Set(during.map(({ error }) => error))).toEqual(new Set(["STORAGE_UNAVAILABLE"]));
    expect(Math.max(...during.map(({ tookMs }) => tookMs))).toBeLessThan(1_800 + calls.lateMs);
    const typical = during.map(({ tookMs }) => tookMs).sort((a, b) => a - b)[during.length >> 1];
    expect(typical).toBeLessThan(5);
    own.resume();
    await until("recovery", 5_000, () => calls.outcomes.at(-1)?.error === null && reads.outcomes.at(-1)?.error === null);
    await Promise.all([calls.stop(), reads.stop()]);
    expect(lines.filter(({ event }) => event === "postgres.unreachable")).toHaveLength(1);
  }, 20_000);

  test("all connections ended at once: a few calls fail, none of the next does", async () => {
    const url = await newDatabase(own);
    const { things, counters } = await started(url);
    await Promise.all(Array.from({ length: 50 }, () => things.first({ name: "none" })));
    const calls = load(5, () => one(counters));
    await until("load", 5_000, () => calls.outcomes.length > 50);
    const sql = postgres(url, { max: 1 });
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`;
    await sql.end();
    const after = performance.now();
    await until(
      "the next calls",
      5_000,
      () => calls.outcomes.filter(({ endedAt, error }) => endedAt > after && error === null).length > 200,
    );
    await calls.stop();
    expect(new Set(calls.outcomes.map(({ error }) => error)).difference(new Set([null, "STORAGE_UNAVAILABLE"]))).toEqual(new Set());
  }, 20_000);

  test("a slow statement is ended by its timeout and does not make the server count as away", async () => {
    const url = await newDatabase(own);
    const { things, counters, lines } = await started(url, { statementTimeoutMs: 200 });
    const kept = thing("locked");
    await things.insert(kept);
    const sql = postgres(url, { max: 1 });
    const held = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const holding = sql.begin(async (transaction) => {
      await transaction`select * from test_things for update`;
      held.resolve();
      await released.promise;
    });
    await held.promise;
    const waiting = await Promise.allSettled(Array.from({ length: 5 }, () => things.update(kept.id, { list: [] })));
    released.resolve();
    await holding;
    await sql.end();
    expect(waiting.map((result) => result.status === "rejected" && result.reason.code)).toEqual(Array(5).fill("STORAGE_UNAVAILABLE"));
    expect(await one(counters)).toMatchObject({ granted: true });
    expect(lines.filter(({ event }) => event === "postgres.unreachable")).toHaveLength(0);
  });

  test("not there at the start: ready says where, without the password", async () => {
    await own.stop();
    const url = own.url.replace("gateway@", "gateway:hunter2@");
    const thrown: unknown = await started(url).catch((error: unknown) => error);
    await own.start();
    expect(String(thrown)).toContain("127.0.0.1");
    expect(String(thrown)).not.toContain("hunter2");
  });
});
