import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { Redis } from "ioredis";
import { type Counters, GatewayError, type Running, type Storage } from "#contract";
import { testStorage } from "../kit/storage.ts";
import plugin from "../../storage/redis/index.ts";
import { isSkip, load, ownRedis, redisServer, until } from "../servers/index.ts";

const shared = await redisServer();
const own = await ownRedis();

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

/** Of a server that is there: what is tested is not its haste. */
const PATIENT_MS = 5_000;
/** Of one that is away. */
const DEADLINE_MS = 50;

/** The plugin set up on this server, not yet connected. */
function set(url: string, keyPrefix: string, commandTimeoutMs: number) {
  const lines: Line[] = [];
  const host = { now: Date.now, log: (level: string, event: string) => void lines.push({ level, event }) };
  return { running: plugin.setup(host, { url, commandTimeoutMs, connectTimeoutMs: 1000, keyPrefix }), lines };
}

/** The plugin at work on this server, under a prefix of its own. */
async function started(url: string, { keyPrefix = `test:${crypto.randomUUID()}:`, deadlineMs = PATIENT_MS } = {}) {
  const { running: setting, lines } = set(url, keyPrefix, deadlineMs);
  const running = await setting;
  open.push(running);
  await running.ready?.();
  const { counters, kv, feed } = running.provides;
  if (!counters || !kv || !feed) throw new Error("a handle is missing");
  return { counters, kv, feed, lines, keyPrefix };
}

async function removeKeys(url: string, prefix: string): Promise<void> {
  const admin = new Redis(url);
  const keys = await admin.keys(`${prefix}*`);
  if (keys.length > 0) await admin.del(keys);
  admin.disconnect();
}

const inAMinute = () => Date.now() + 60_000;
const bytes = (text: string) => new TextEncoder().encode(text);
const one = (counters: Counters) => counters.reserve([{ key: "load", by: 1, limit: 1e9, expiresAt: inAMinute() }]);

describe.skipIf(isSkip(shared))("Redis", () => {
  if (isSkip(shared)) return;

  testStorage(
    "redis",
    () => {
      const keyPrefix = `test:${crypto.randomUUID()}:`;
      return { connect: () => set(shared.url, keyPrefix, PATIENT_MS).running, destroy: () => removeKeys(shared.url, keyPrefix) };
    },
    { supports: ["counters", "kv", "feed"] },
  );

  test("two processes share one limit: of 400 reservations at once exactly 10 pass", async () => {
    const a = await started(shared.url);
    const b = await started(shared.url, { keyPrefix: a.keyPrefix });
    const claim = [
      { key: "minute", by: 1, limit: 10, expiresAt: inAMinute() },
      { key: "day", by: 1, limit: 1000, expiresAt: inAMinute() },
    ];
    const answers = await Promise.all(Array.from({ length: 400 }, (_, index) => (index % 2 ? a : b).counters.reserve(claim)));
    expect(answers.filter((answer) => answer.granted)).toHaveLength(10);
    expect(await a.counters.read(["minute", "day"])).toEqual([10, 10]);
  });

  test("a claim that does not fit says which, and nothing is added", async () => {
    const { counters } = await started(shared.url);
    await counters.add([{ key: "b", by: 5, expiresAt: inAMinute() }]);
    const answer = await counters.reserve([
      { key: "a", by: 1, limit: 10, expiresAt: inAMinute() },
      { key: "b", by: 1, limit: 5, expiresAt: inAMinute() },
    ]);
    expect(answer).toEqual({ granted: false, refused: 1, value: 5 });
    expect(await counters.read(["a", "b", "never"])).toEqual([0, 5, 0]);
  });

  test("the same key twice in one reservation counts twice", async () => {
    const { counters } = await started(shared.url);
    const twice = (limit: number) => [
      { key: "k", by: 2, limit, expiresAt: inAMinute() },
      { key: "k", by: 2, limit, expiresAt: inAMinute() },
    ];
    expect(await counters.reserve(twice(3))).toEqual({ granted: false, refused: 1, value: 2 });
    expect(await counters.reserve(twice(4))).toEqual({ granted: true, values: [2, 4] });
  });

  test("fractions and large sums keep their digits", async () => {
    const { counters } = await started(shared.url);
    const [small, large] = await counters.add([
      { key: "small", by: 0.000123, expiresAt: inAMinute() },
      { key: "large", by: 9_007_199_254_740_000, expiresAt: Number.POSITIVE_INFINITY },
    ]);
    expect(small).toBeCloseTo(0.000123, 9);
    expect(large).toBe(9_007_199_254_740_000);
    const refused = await counters.reserve([{ key: "large", by: 0, limit: 9_007_199_254_740_000, expiresAt: inAMinute() }]);
    expect(refused).toEqual({ granted: false, refused: 0, value: 9_007_199_254_740_000 });
  });

  test("a counter is forgotten after its window", async () => {
    const { counters } = await started(shared.url);
    await counters.add([{ key: "short", by: 3, expiresAt: Date.now() + 60 }]);
    expect(await counters.read(["short"])).toEqual([3]);
    await until("the counter is gone", 5_000, async () => (await counters.read(["short"]))[0] === 0);
  });

  test("goes on after SCRIPT FLUSH", async () => {
    const { counters } = await started(shared.url);
    await one(counters);
    const admin = new Redis(shared.url);
    await admin.script("FLUSH");
    admin.disconnect();
    expect(await one(counters)).toEqual({ granted: true, values: [2] });
  });

  test("keeps bytes as they are and only one of two leases", async () => {
    const { kv } = await started(shared.url);
    const every = Uint8Array.from({ length: 256 }, (_, index) => index);
    await kv.set("bytes", every, 10_000);
    expect(await kv.get("bytes")).toEqual(every);
    expect(await Promise.all([kv.add("lease", bytes("a"), 80), kv.add("lease", bytes("b"), 80)])).toEqual([true, false]);
    await until("the lease ends", 5_000, () => kv.add("lease", bytes("c"), 10_000));
    await kv.delete("lease");
    expect(await kv.get("lease")).toBeUndefined();
  });

  test("a subscriber whose connection was cut gets null, then messages again", async () => {
    const { feed } = await started(shared.url);
    const heard: (string | null)[] = [];
    await feed.subscribe("changes", (message) => heard.push(message));
    await feed.publish("changes", "first");
    await until("the first message", 5_000, () => heard.length === 1);
    const admin = new Redis(shared.url);
    await admin.call("CLIENT", "KILL", "TYPE", "pubsub");
    await until("the reconnect", 5_000, () => heard.length === 2);
    await feed.publish("changes", "second");
    await until("the second message", 5_000, () => heard.length === 3);
    expect(heard).toEqual(["first", null, "second"]);
    admin.disconnect();
  });
});

describe.skipIf(isSkip(own))("Redis away", () => {
  if (isSkip(own)) return;

  test("stopped for three seconds under load: every call fails fast, and all works again within five", async () => {
    const { counters, kv, feed, lines } = await started(own.url, { deadlineMs: DEADLINE_MS });
    const heard: (string | null)[] = [];
    await feed.subscribe("changes", (message) => heard.push(message));
    const calls = load(20, () => one(counters));
    await until("load", 5_000, () => calls.outcomes.length > 100);
    await own.stop();
    const stoppedAt = performance.now();
    await until("three seconds", 4_000, () => performance.now() - stoppedAt > 3_000);
    const during = calls.outcomes.filter(({ endedAt }) => endedAt > stoppedAt + 100);
    expect(during.length).toBeGreaterThan(100);
    expect(new Set(during.map(({ error }) => error))).toEqual(new Set(["STORAGE_UNAVAILABLE"]));
    expect(Math.max(...during.map(({ tookMs }) => tookMs))).toBeLessThan(200 + calls.lateMs);
    expect(kv.get("x")).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    expect(feed.publish("changes", "lost")).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    await own.start();
    await until("recovery", 5_000, () => calls.outcomes.at(-1)?.error === null);
    await until("null to subscribers", 5_000, () => heard.includes(null));
    await feed.publish("changes", "again");
    await until("a message again", 5_000, () => heard.at(-1) === "again");
    await calls.stop();
    expect(lines.filter(({ event }) => event === "redis.unreachable")).toHaveLength(2); // once per connection
  }, 20_000);

  test("frozen: calls wait no longer than their deadline, soon not at all, and all works again within five seconds", async () => {
    const { counters, lines } = await started(own.url, { deadlineMs: DEADLINE_MS });
    await one(counters);
    const calls = load(20, () => one(counters));
    await until("load", 5_000, () => calls.outcomes.length > 100);
    own.pause();
    const pausedAt = performance.now();
    await until("three seconds", 5_000, () => performance.now() - pausedAt > 3_500);
    const during = calls.outcomes.filter(({ endedAt }) => endedAt > pausedAt + 300);
    expect(new Set(during.map(({ error }) => error))).toEqual(new Set(["STORAGE_UNAVAILABLE"]));
    expect(Math.max(...calls.outcomes.map(({ tookMs }) => tookMs))).toBeLessThan(250 + calls.lateMs);
    const typical = during.map(({ tookMs }) => tookMs).sort((a, b) => a - b)[during.length >> 1];
    expect(typical).toBeLessThan(5);
    own.resume();
    await until("recovery", 5_000, () => calls.outcomes.at(-1)?.error === null);
    await calls.stop();
    expect(lines.filter(({ event }) => event === "redis.reachable").length).toBeGreaterThan(2);
  }, 20_000);

  test("not there at the start: ready says where, without the password", async () => {
    await own.stop();
    const url = own.url.replace("redis://", "redis://user:hunter2@");
    const thrown: unknown = await started(url).catch((error: unknown) => error);
    await own.start();
    expect(String(thrown)).toContain(new URL(own.url).host);
    expect(String(thrown)).not.toContain("hunter2");
    expect(GatewayError.is(thrown)).toBe(false);
  });
});
