import { describe, expect, test } from "bun:test";
import {
  type Call,
  type Caller,
  CallerRateLimits,
  type Claim,
  type Condition,
  type Counters,
  GatewayError,
  NO_CONTENT,
  type OperationId,
  type Outcome,
  type Plan,
  type RateLimit,
  type Usage,
  WINDOW_MS,
} from "#contract";
import { operationRow } from "#kit";
import { windowAt } from "./limiter.ts";
import { limiterFinder } from "./limiters.ts";
import { matches } from "./match.ts";
import type { Names } from "./names.ts";
import type { RateLimitPolicy } from "./policies.ts";
import { rateLimit } from "./rate-limit.ts";

const caller = (rateLimits: readonly RateLimit[], more: Partial<Caller> = {}): Caller => ({
  organisationId: "org-1",
  workspaceId: "ws-1",
  keyId: "key-1",
  keyName: "ci key",
  keyType: "workspace-service",
  userId: null,
  scopes: new Set(),
  metadata: {},
  configId: null,
  allowConfigOverride: true,
  terms: CallerRateLimits.saying(rateLimits),
  ...more,
});
const call = (operation: OperationId = "chatComplete"): Call =>
  ({ operation, row: operationRow(operation), body: { kind: "none" } }) as Call; // nothing else is looked at here
const PLAN = { metadata: {} } as unknown as Plan;
const policy = (more: Partial<RateLimitPolicy> = {}): RateLimitPolicy => ({
  id: "policy-1",
  created_at: 1,
  last_updated_at: 1,
  organisation_id: "org-1",
  workspace_id: "ws-1",
  name: "per user",
  target: "llm",
  type: "requests",
  unit: "rpm",
  value: 2,
  conditions: [{ key: "api_key", value: "*" }],
  group_by: [],
  status: "active",
  ...more,
});
const names =
  (table: Readonly<Record<string, readonly string[]>>): Names =>
  (key) =>
    (Object.hasOwn(table, key) ? table[key] : undefined) ?? [];

/** Counters in a map: all claims or none. */
function counting() {
  const values = new Map<string, number>();
  const reserved: Claim[][] = [];
  const counters: Counters = {
    reserve: async (claims) => {
      reserved.push([...claims]);
      const refused = claims.findIndex(({ key, by, limit }) => {
        const value = values.get(key) ?? 0;
        return by === 0 ? value >= limit : value + by > limit;
      });
      if (refused >= 0) return { granted: false, refused, value: values.get(claims[refused]?.key ?? "") ?? 0 };
      for (const { key, by } of claims) values.set(key, (values.get(key) ?? 0) + by);
      return { granted: true, values: claims.map(({ key }) => values.get(key) ?? 0) };
    },
    add: async (changes) =>
      changes.map(({ key, by }) => {
        values.set(key, (values.get(key) ?? 0) + by);
        return values.get(key) ?? 0;
      }),
    read: async (keys) => keys.map((key) => values.get(key) ?? 0),
  };
  return { counters, values, reserved };
}
interface Setup {
  now?: () => number;
  policies?: readonly RateLimitPolicy[];
  targets?: readonly Names[];
  onOutage?: "deny" | "allow";
  counters?: Counters;
}
function limiting({ now = () => 0, policies = [], targets = [names({})], onOutage = "deny", counters }: Setup = {}) {
  const counted = counting();
  const logged: string[] = [];
  const made = rateLimit({
    counters: counters ?? counted.counters,
    limiters: limiterFinder(
      () => policies,
      async () => targets,
    ),
    now,
    log: (level, event) => logged.push(`${level} ${event}`),
    onOutage,
  });
  const admit = async (who: Caller, what = call()): Promise<GatewayError | "admitted"> => {
    try {
      await made.admit?.(what, who, PLAN);
      return "admitted";
    } catch (error) {
      return error as GatewayError;
    }
  };
  const settle = (who: Caller, usage: Outcome["usage"], cacheStatus: Outcome["cacheStatus"] = "DISABLED") =>
    made.settle?.({ call: call(), caller: who, plan: PLAN, usage, cacheStatus } as Outcome); // it looks at no more
  const spend = (usage: Usage, who: Caller = caller([])) => made.spent?.(usage, { call: call(), caller: who, plan: PLAN });
  return { ...counted, logged, admit, settle, spend };
}
const perMinute = (value: number, type: RateLimit["type"] = "requests"): RateLimit => ({ type, unit: "rpm", value });

describe("limits of a key", () => {
  test("200 requests at once on 10 a minute: exactly 10 pass", async () => {
    const { admit } = limiting();
    const who = caller([perMinute(10)]);
    const results = await Promise.all(Array.from({ length: 200 }, () => admit(who)));
    expect(results.filter((result) => result === "admitted").length).toBe(10);
  });
  test("the refusal names the key, the limit and the seconds until the window ends", async () => {
    const { admit } = limiting({ now: () => 61_500 });
    const refusal = await admit(caller([perMinute(0)]));
    expect(refusal).toMatchObject({
      code: "RATE_LIMITED",
      status: 429,
      retryAfterSec: 59,
      message: "The rate limit of ci key is reached: 0 requests per minute.",
    });
  });
  test("a new window begins by the clock", async () => {
    let now = 59_999;
    const { admit } = limiting({ now: () => now });
    const who = caller([perMinute(1)]);
    expect([await admit(who), ((await admit(who)) as GatewayError).code]).toEqual(["admitted", "RATE_LIMITED"]);
    now = 60_000;
    expect(await admit(who)).toBe("admitted");
  });
  test("all limits go in one reservation, and a refused one counts nothing", async () => {
    const { admit, reserved, values } = limiting({ policies: [policy({ value: 0 })] });
    const who = caller([perMinute(10), { type: "requests", unit: "rpd", value: 100 }, perMinute(500, "tokens")]);
    expect(await admit(who)).toMatchObject({ code: "RATE_LIMITED", details: { limiter: "per user" } });
    expect(reserved.map((claims) => claims.map(({ by }) => by))).toEqual([[1, 1, 0, 1]]);
    expect([...values.values()]).toEqual([]);
  });
  test("of two limits over the same window the lower holds", async () => {
    const { admit } = limiting();
    const who = caller([perMinute(5), perMinute(1)]);
    expect([await admit(who), ((await admit(who)) as GatewayError).details.limit]).toEqual(["admitted", 1]);
  });
  test("every counter begins with its tenant and ends with its window", async () => {
    const { admit, reserved } = limiting({
      now: () => 60_001,
      policies: [policy({ group_by: [{ key: "metadata.user" }] })],
      targets: [names({ "metadata.user": ["a/b:c"] })],
    });
    await admit(caller([perMinute(1)]));
    expect(reserved[0]?.map(({ key }) => key)).toEqual([
      "rl:org-1:key:key-1:requests:rpm:60000",
      "rl:org-1:ws-1:policy:policy-1:requests:rpm:a%2Fb%3Ac:60000",
    ]);
    expect(reserved[0]?.every(({ expiresAt }) => expiresAt === 120_000)).toBe(true);
  });
  test("two keys do not share a limit", async () => {
    const { admit } = limiting();
    expect([await admit(caller([perMinute(1)])), await admit(caller([perMinute(1)], { keyId: "key-2" }))]).toEqual([
      "admitted",
      "admitted",
    ]);
  });
  test("without any limit no counter is asked", async () => {
    const { admit, reserved } = limiting();
    expect([await admit(caller([])), reserved.length]).toEqual(["admitted", 0]);
  });
  test.each(["listFiles", "retrieveBatch", "getBatchOutput", "listModels"] as const)("%s is not counted", async (operation) => {
    const { admit, reserved } = limiting();
    expect([await admit(caller([perMinute(0)]), call(operation)), reserved.length]).toEqual(["admitted", 0]);
  });
});

describe("token limits", () => {
  test("a request is admitted while the counter is below the limit, and counted when it has ended", async () => {
    const { admit, settle, values } = limiting();
    const who = caller([perMinute(100, "tokens")]);
    expect(await admit(who)).toBe("admitted");
    await settle(who, { input: 60, cacheRead: 10, output: 29 });
    expect(await admit(who)).toBe("admitted");
    await settle(who, { output: 1 });
    expect([...values.values()]).toEqual([100]);
    expect(await admit(who)).toMatchObject({
      code: "RATE_LIMITED",
      message: "The rate limit of ci key is reached: 100 tokens per minute.",
    });
  });
  test("tokens count in the window in which the answer ended", async () => {
    let now = 59_000;
    const { admit, settle } = limiting({ now: () => now });
    const who = caller([perMinute(10, "tokens")]);
    await admit(who);
    now = 61_000;
    await settle(who, { output: 10 });
    expect(((await admit(who)) as GatewayError).code).toBe("RATE_LIMITED");
  });
  test("an answer from a cache, one without usage, and request limits count no tokens", async () => {
    const { settle, values } = limiting();
    await settle(caller([perMinute(10, "tokens")]), { output: 10 }, "HIT");
    await settle(caller([perMinute(10, "tokens")]), null);
    await settle(caller([perMinute(10)]), { output: 10 });
    expect(values.size).toBe(0);
  });
});

describe("policies", () => {
  test("each distinct combination of group_by values has its own counter", async () => {
    const targets = [names({ "metadata.user": ["ann"], model: ["@a/m"] })];
    const shared = counting();
    const policies = [policy({ value: 1, group_by: [{ key: "metadata.user" }, { key: "model" }] })];
    const of = (who: readonly Names[]) => limiting({ policies, targets: who, counters: shared.counters }).admit(caller([]));
    expect([await of(targets), ((await of(targets)) as GatewayError).code]).toEqual(["admitted", "RATE_LIMITED"]);
    expect(await of([names({ "metadata.user": ["bob"], model: ["@a/m"] })])).toBe("admitted");
    expect(await of([names({ "metadata.user": ["ann"], model: ["@a/n"] })])).toBe("admitted");
  });
  test("one without a name is told by its id", async () =>
    expect(await limiting({ policies: [policy({ name: null, value: 0 })] }).admit(caller([]))).toMatchObject({
      details: { limiter: "policy-1" },
    }));
  test("it applies when it applies to any target the request names", async () => {
    const targets = [names({ provider: ["anthropic"] }), names({ provider: ["openai"] })];
    const policies = [policy({ value: 0, conditions: [{ key: "provider", value: "openai" }] })];
    expect(((await limiting({ policies, targets }).admit(caller([]))) as GatewayError).code).toBe("RATE_LIMITED");
    expect(await limiting({ policies, targets: targets.slice(0, 1) }).admit(caller([]))).toBe("admitted");
  });
  test("each distinct group among the targets it applies to has its counter claimed, all in one reservation", async () => {
    const targets = [
      names({ model: ["m1"], provider: ["a"] }),
      names({ model: ["m2"], provider: ["a"] }),
      names({ model: ["m1"], provider: ["a"] }),
      names({ model: ["m3"], provider: ["b"] }),
    ];
    const { admit, settle, reserved, values } = limiting({
      targets,
      policies: [
        policy({ value: 1, conditions: [{ key: "provider", value: "a" }], group_by: [{ key: "model" }] }),
        policy({ id: "policy-2", value: 5, conditions: [{ key: "provider", value: "a" }] }),
      ],
    });
    expect(await admit(caller([]))).toBe("admitted");
    expect(reserved.map((claims) => claims.map(({ key }) => key.replace(/^rl:org-1:ws-1:policy:/, "")))).toEqual([
      ["policy-1:requests:rpm:m1:0", "policy-1:requests:rpm:m2:0", "policy-2:requests:rpm::0"],
    ]);
    expect(((await admit(caller([]))) as GatewayError).code).toBe("RATE_LIMITED");
    expect([...values.values()]).toEqual([1, 1, 1]);
    await settle(caller([]), { output: 3 });
    expect(values.size).toBe(3);
  });
  test("tokens are counted in every group that was asked", async () => {
    const { admit, settle, values } = limiting({
      targets: [names({ model: ["m1"] }), names({ model: ["m2"] })],
      policies: [policy({ type: "tokens", group_by: [{ key: "model" }] })],
    });
    expect(await admit(caller([]))).toBe("admitted");
    await settle(caller([]), { output: 3 });
    expect([...values]).toEqual([
      ["rl:org-1:ws-1:policy:policy-1:tokens:rpm:m1:0", 3],
      ["rl:org-1:ws-1:policy:policy-1:tokens:rpm:m2:0", 3],
    ]);
  });
  test.each(["deny", "allow"] as const)("a group that is no well-formed text has its counter as well (%s)", async (onOutage) => {
    const { admit, reserved } = limiting({
      onOutage,
      targets: [names({ "metadata.user": ["ann\ud800"] })],
      policies: [policy({ value: 1, group_by: [{ key: "metadata.user" }] })],
    });
    expect([await admit(caller([])), ((await admit(caller([]))) as GatewayError).code]).toEqual(["admitted", "RATE_LIMITED"]);
    expect(reserved[0]?.[0]?.key).toContain(":ann%EF%BF%BD:");
  });
  test("a group whose name is too long to be kept has one counter all the same", async () => {
    const long = names({ model: ["m".repeat(10_000)] });
    const { admit, reserved } = limiting({ targets: [long, long], policies: [policy({ value: 2, group_by: [{ key: "model" }] })] });
    const results = [await admit(caller([])), await admit(caller([])), ((await admit(caller([]))) as GatewayError).code];
    expect(results).toEqual(["admitted", "admitted", "RATE_LIMITED"]);
    expect(reserved.map((claims) => claims.length)).toEqual([1, 1, 1]);
  });
  test("more groups than are kept have their own counters all the same", async () => {
    const shared = counting();
    const policies = [policy({ value: 1, group_by: [{ key: "model" }] })];
    const ask = (model: string) =>
      limiting({ policies, targets: [names({ model: [model] })], counters: shared.counters }).admit(caller([]));
    for (let i = 0; i < 1_500; i += 1) expect(await ask(`m${i}`)).toBe("admitted");
    expect(((await ask("m7")) as GatewayError).code).toBe("RATE_LIMITED");
    expect(shared.values.size).toBe(1_500);
  });
  test("with everything warm the limits are there without a promise", () => {
    const found = limiterFinder(
      () => [policy()],
      () => [names({})],
    )(call(), caller([]), PLAN);
    expect(Array.isArray(found) && found.length).toBe(1);
  });
  test.each<[string, OperationId, Partial<RateLimitPolicy>, boolean]>([
    ["by model", "createTranscription", { conditions: [{ key: "model", value: "whisper-1" }] }, true],
    ["grouped by model", "createTranscription", { group_by: [{ key: "model" }] }, true],
    ["by key", "createTranscription", {}, false],
    ["by any model", "createTranscription", { conditions: [{ key: "model", value: "*" }] }, false],
    [
      "by model, of another operation",
      "createTranscription",
      {
        conditions: [
          { key: "model", value: "whisper-1" },
          { key: "endpoint_type", value: "chatComplete" },
        ],
      },
      false,
    ],
    ["by model, and the form is an upload", "uploadFile", { conditions: [{ key: "model", value: "whisper-1" }] }, false],
  ])("only limits by model read a form up to its model: a limit %s", async (_, operation, more, isRead) => {
    let wasRead = false;
    const findModel = async (): Promise<string> => {
      wasRead = true;
      return "whisper-1";
    };
    const row = { ...operationRow(operation), content: operation === "uploadFile" ? { ...NO_CONTENT, file: "sent" } : NO_CONTENT };
    const asked = { ...call(operation), row, body: { kind: "form", findModel } } as unknown as Call; // nothing else is looked at here
    await limiting({ policies: [policy(more)] }).admit(caller([]), asked);
    expect(wasRead).toBe(isRead);
  });
  const seen = names({ provider: ["openai"], model: ["@team/gpt-4o", "gpt-4o"], "metadata.env": ["prod"] });
  test.each<[string, readonly Condition[], boolean]>([
    ["equality", [{ key: "provider", value: "openai" }], true],
    ["another value", [{ key: "provider", value: "google" }], false],
    ["an array is one of", [{ key: "provider", value: ["google", "openai"] }], true],
    [
      "all conditions must hold",
      [
        { key: "provider", value: "openai" },
        { key: "metadata.env", value: "dev" },
      ],
      false,
    ],
    ["* fits anything", [{ key: "metadata.env", value: "*" }], true],
    ["* fits what was left out", [{ key: "metadata.user", value: "*" }], true],
    ["a value does not fit what was left out", [{ key: "metadata.user", value: "ann" }], false],
    ["@slug/model", [{ key: "model", value: "@team/gpt-4o" }], true],
    ["@slug/*", [{ key: "model", value: "@team/*" }], true],
    ["@other/*", [{ key: "model", value: "@tea/*" }], false],
    ["the bare model", [{ key: "model", value: "gpt-4o" }], true],
    ["excludes", [{ key: "model", value: "*", excludes: "@team/gpt-4o" }], false],
    ["excludes by wildcard", [{ key: "model", value: "*", excludes: ["@x/*", "@team/*"] }], false],
    ["excludes something else", [{ key: "model", value: "*", excludes: "@team/gpt-4" }], true],
    ["an unknown key", [{ key: "colour", value: "x" }], false],
  ])("%s", (_, conditions, expected) => expect(matches(conditions, seen)).toBe(expected));
});

describe("counters that are away", () => {
  const away: Counters = {
    reserve: () => Promise.reject(new GatewayError("STORAGE_UNAVAILABLE", { handle: "counters" })),
    add: async () => [],
    read: async () => [],
  };
  test("deny: 503, never 429 or 401", async () =>
    expect(await limiting({ counters: away }).admit(caller([perMinute(1)]))).toMatchObject({ code: "STORAGE_UNAVAILABLE", status: 503 }));
  test("allow: the request passes and a line is logged", async () => {
    const { admit, logged } = limiting({ counters: away, onOutage: "allow" });
    expect([await admit(caller([perMinute(1)])), logged]).toEqual(["admitted", ["warn rate limits not judged"]]);
  });
  test("allow lets no other failure pass: only a store that is away is an outage", async () => {
    const broken: Counters = { ...away, reserve: () => Promise.reject(new URIError("broken")) };
    expect(await limiting({ counters: broken, onOutage: "allow" }).admit(caller([perMinute(1)]))).toBeInstanceOf(URIError);
  });
  test("allow does not let a real refusal pass", async () =>
    expect(((await limiting({ onOutage: "allow" }).admit(caller([perMinute(0)]))) as GatewayError).code).toBe("RATE_LIMITED"));
});

test("windows: every moment lies in exactly one, all of one unit have one length, none depends on when it was asked", () => {
  let seed = 11;
  const random = (limit: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return Math.floor((seed / 2_147_483_647) * limit);
  };
  for (const [unit, length] of Object.entries(WINDOW_MS) as [RateLimit["unit"], number][]) {
    for (let index = 0; index < 2_000; index += 1) {
      const now = random(4_000_000_000) * 1_000 + random(1_000);
      const { startsAt, endsAt } = windowAt(unit, now);
      expect(startsAt <= now && now < endsAt).toBe(true);
      expect([endsAt - startsAt, startsAt % length]).toEqual([length, 0]);
      expect(windowAt(unit, startsAt)).toEqual({ startsAt, endsAt });
      expect(windowAt(unit, endsAt - 1)).toEqual({ startsAt, endsAt });
      expect(windowAt(unit, endsAt).startsAt).toBe(endsAt);
    }
  }
});

describe("a session's tokens", () => {
  const USED: Usage = { input: 30, output: 10 };
  const who = caller([perMinute(1_000, "tokens")]);
  test("that a store which was away did not take are counted when the session ends", async () => {
    const { counters, values } = counting();
    let isAway = false;
    const add: Counters["add"] = async (changes) => {
      if (isAway) throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "counters" });
      return counters.add(changes);
    };
    const { admit, spend, settle } = limiting({ counters: { ...counters, add }, onOutage: "allow" });
    await admit(who);
    await spend(USED);
    isAway = true;
    await spend(USED);
    isAway = false;
    await settle(who, { input: 60, output: 20 });
    expect([...values.values()]).toEqual([80]);
  });
  test("that are being counted when it ends are counted once", async () => {
    const { counters, values } = counting();
    const store = Promise.withResolvers<void>();
    const add: Counters["add"] = async (changes) => {
      await store.promise;
      return counters.add(changes);
    };
    const { admit, spend, settle } = limiting({ counters: { ...counters, add } });
    await admit(who);
    const spent = spend(USED);
    const settled = settle(who, USED);
    store.resolve();
    await Promise.all([spent, settled]);
    expect([...values.values()]).toEqual([40]);
  });
});
