/** The beginning of a stream: an error that is there when the first event is read can still be another target's turn. */
import { describe, expect, test } from "bun:test";
import { type Dialect, headerClasses, type Provider, UpstreamFailure } from "#contract";
import { CALLERS, callOf, leafOf, NOTHING_PREPARED, planOf } from "#kit";
import type { Answer } from "../../egress/answer.ts";
import { MemoryBudget } from "../../kernel/process/memory-budget.ts";
import { interpret } from "./interpret.ts";

const frame = (data: string): string => `data: ${data}\n\n`;
const dialect: Dialect = {
  id: "tiny",
  operation: "chatComplete",
  decode: {
    start: () => null,
    event: ({ data }) => {
      if (data === "error") throw new UpstreamFailure(503, { message: "busy", type: "overloaded", param: null, code: null });
      return data === "ping" ? [] : [{ type: "text", text: data }];
    },
  },
  read: () => [],
  judged: { body: () => ({}), path: () => "", events: () => [] },
  write: () => ({}),
  encode: () => ({ event: () => "", end: () => frame("end"), note: () => "", error: () => "" }),
  asksUsage: () => true,
  withUsage: (body) => body,
  isUsageFrame: () => false,
};

/** What a stream comes to that arrives in these reads. */
function reading(...reads: readonly string[]) {
  const left = reads.map((text) => new TextEncoder().encode(text));
  const pieces = { read: async () => left.shift(), cancel: async () => undefined };
  const answer: Answer = { status: 200, headers: new Headers(), text: async () => "", pieces: () => pieces };
  const call = callOf({ model: "m" });
  const target = { apiKey: "", fields: {}, customHost: null, model: "m" };
  const ask = { target, operation: call.operation, path: "/x", search: "", stream: true, strict: true };
  const provider = { operations: {}, endpoint: () => ({ baseUrl: "", headers: {} }) } as unknown as Provider; // what reading an answer looks at
  const encode = { id: "i", model: "m", created: 1, usage: true, strict: true };
  const request = { call, caller: CALLERS.workspace, plan: planOf(), prepared: NOTHING_PREPARED, held: new MemoryBudget(1e9).hold() };
  return interpret(
    answer,
    {
      ...{
        request,
        call,
        leaf: leafOf(),
        to: { id: "acme", slug: null, provider, adapter: {}, target, kept: null, served: null },
        ask,
        body: { model: "m" },
      },
      ...{ form: { dialect, encode, row: call.row }, guarded: null },
    },
    [],
    headerClasses([]),
  );
}

describe("a stream", () => {
  test("whose first read holds an event and an error behind it has failed", () =>
    expect(reading(frame("a") + frame("b") + frame("error"))).rejects.toThrow("busy"));
  test("that begins with an error behind pings has failed", () =>
    expect(reading(frame("ping"), frame("ping") + frame("error"))).rejects.toThrow("busy"));
  test("that only speaks of errors goes on", async () =>
    expect((await reading(frame("a") + frame("no error here"))).content.kind).toBe("stream"));
  test("whose error comes in a later read has begun: its client is told by the stream itself", async () =>
    expect((await reading(frame("a"), frame("error"))).content.kind).toBe("stream"));
  test("of pings alone is empty", () => expect(reading(frame("ping"))).rejects.toThrow("sent nothing"));
  test("with very many events in its first read, and an error behind them, is judged at once", async () => {
    const startedAt = performance.now();
    await expect(reading(frame("a").repeat(100_000) + frame("error"))).rejects.toThrow("busy");
    expect(performance.now() - startedAt).toBeLessThan(2_000); // each event once: looking at all that is left with each would take minutes
  });
});
