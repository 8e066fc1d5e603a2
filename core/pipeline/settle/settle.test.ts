/** An answer is settled once, whichever way it goes. */
import { expect, test } from "bun:test";
import { nextTurn, type Outcome } from "#contract";
import { callOf, TINY_DIALECT } from "#kit";
import { MemoryBudget } from "../../kernel/process/memory-budget.ts";
import type { Gateway } from "../gateway.ts";
import type { GuardrailReport } from "../call/guardrail-report.ts";
import { ownReply } from "../call/reply.ts";
import { refused, whenDone } from "./settle.ts";

const settledSoon = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test("an answer that cannot be made is settled by who tells the client of it, and by nobody else", async () => {
  const seen: number[] = [];
  let left = 0;
  // the members that settling uses
  const gw = {
    now: () => 1,
    log: () => undefined,
    limits: { loggedBytes: 100 },
    owned: { takeUncounted: () => Promise.resolve(new Map()), noteCounted: () => Promise.resolve() },
    gen: { keyHeaders: [] },
    settled: ({ status }: { status: number }) => void seen.push(status),
  } as unknown as Gateway;
  const served = {
    call: callOf({ model: "m" }),
    caller: null,
    plan: null,
    leave: () => void (left += 1),
    held: new MemoryBudget(1e9).hold(),
  };
  let why: unknown;
  try {
    whenDone({ ...ownReply(200, "{}", null), headers: { "x-broken": "a\r\nb" } }, served, gw);
  } catch (thrown) {
    why = thrown;
  }
  expect(why).toBeInstanceOf(Error);
  expect(refused(why, served, gw).status).toBe(500);
  await settledSoon();
  expect([seen, left]).toEqual([[500], 1]);
});

test("a request whose outcome cannot be made is told of all the same, without what could not be made", async () => {
  const seen: Outcome[] = [];
  let left = 0;
  // the members that settling uses
  const gw = {
    now: () => 1,
    log: () => undefined,
    limits: { loggedBytes: 100 },
    owned: { takeUncounted: () => Promise.resolve(new Map()), noteCounted: () => Promise.resolve() },
    gen: { keyHeaders: [] },
    settled: (one: Outcome) => void seen.push(one),
  } as unknown as Gateway;
  const served = {
    call: callOf({ model: "m" }),
    caller: null,
    plan: null,
    held: new MemoryBudget(1e9).hold(),
    leave: () => void (left += 1),
  };
  const failing = { results: () => refuse(), pending: null } as unknown as GuardrailReport;
  whenDone({ ...ownReply(200, "{}", null), guardrails: failing }, served, gw);
  await settledSoon();
  expect(seen).toMatchObject([{ call: { id: served.call.id }, status: 200, ended: "ok", usage: null, bodies: null }]);
  expect(left).toBe(1);
});
const refuse = (): never => {
  throw new RangeError("Maximum call stack size exceeded.");
};

test("one who hears of a request and fails holds up neither its end nor the requests behind it", async () => {
  const heard: string[] = [];
  const left: string[] = [];
  const gw = {
    now: () => 1,
    log: () => undefined,
    limits: { loggedBytes: 100 },
    owned: { takeUncounted: () => Promise.resolve(new Map()), noteCounted: () => Promise.resolve() },
    gen: { keyHeaders: [] },
    settled: ({ call }: Outcome) => {
      heard.push(call.id);
      if (heard.length === 1) throw new TypeError("no list");
    },
  } as unknown as Gateway;
  for (const id of ["first", "second"]) {
    const held = new MemoryBudget(1e9).hold();
    whenDone(
      ownReply(200, "{}", null),
      { call: { ...callOf({ model: "m" }), id }, caller: null, plan: null, held, leave: () => void left.push(id) },
      gw,
    );
  }
  await settledSoon();
  expect([heard, left]).toEqual([
    ["first", "second"],
    ["first", "second"],
  ]);
});

test("sixty clients who leave in the same moment are settled in several turns: what is kept of each is read", async () => {
  let told = 0;
  const gw = {
    now: () => 1,
    log: () => undefined,
    limits: { loggedBytes: 1e6 },
    stalledMs: 1e6,
    dialects: new Map(),
    owned: { takeUncounted: () => Promise.resolve(new Map()), noteCounted: () => Promise.resolve() },
    gen: { keyHeaders: [] },
    settled: () => void (told += 1),
  } as unknown as Gateway;
  const chunks = { read: async () => ({ wire: "a".repeat(32 * 1024), events: [] }), cancel: async () => undefined };
  const streams = Array.from({ length: 60 }, () => {
    const served = { call: callOf({ model: "m" }), caller: null, plan: null, held: new MemoryBudget(1e9).hold(), leave: () => undefined };
    const content = { kind: "stream", stream: { kind: "chunks", chunks, encoder: TINY_DIALECT.encode(), provider: "p" } } as const;
    return whenDone({ ...ownReply(200, "", null), content }, served, gw).body?.getReader();
  });
  for (const reader of streams) await reader?.read();
  await nextTurn();
  for (const reader of streams) void reader?.cancel();
  for (let step = 0; step < 100; step += 1) await null; // all that happens in this turn
  expect(told).toBeLessThan(10);
  while (told < 60) await nextTurn();
});
