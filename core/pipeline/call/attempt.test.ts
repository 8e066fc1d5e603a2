/** Trying again lets the earlier answer go: an upstream that streams on is not left open behind it. */
import { afterEach, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { type Call, headerClasses, type Provider } from "#contract";
import { MemoryBudget } from "../../kernel/process/memory-budget.ts";
import {
  CALLERS,
  callOf,
  leafOf,
  NOTHING_PREPARED,
  planOf,
  type Replay,
  type ReplayServer,
  replayServer,
  sseAnswer,
  TINY_DIALECT,
} from "#kit";
import type { RoutedRequest } from "./try.ts";
import { egressWith } from "../../../tests/egress/support.ts";
import { attempt } from "./attempt.ts";

const dialect = { ...TINY_DIALECT, asksUsage: () => true };

let upstream: ReplayServer | undefined;
afterEach(() => upstream?.close());

const requestOf = (call: Call): RoutedRequest => ({
  call,
  caller: CALLERS.workspace,
  plan: planOf(),
  prepared: NOTHING_PREPARED,
  held: new MemoryBudget(1e9).hold(),
});
/** Two tries at an upstream whose answers have a listed status and never end. */
async function twice(replay: Replay, stream: boolean, translates: boolean, more: Partial<Call> = {}) {
  const server = (upstream = replayServer({ ...replay, ends: "hang", headers: { ...replay.headers, "retry-after-ms": "1" } }));
  const adapter = translates ? { stream: dialect.decode } : {};
  // the members that sending a request and reading its answer look at
  const provider = {
    operations: {},
    target: Type.Object({}),
    endpoint: () => ({ baseUrl: server.url, headers: {} }),
  } as unknown as Provider;
  const leaf = { ...leafOf(), retry: { attempts: 1, onStatusCodes: [200], useRetryAfter: true }, timeoutMs: 5_000 };
  const call = { ...callOf({ model: "m" }), ...more };
  const target = { apiKey: "", fields: {}, customHost: null, model: "m" };
  const ask = { target, operation: call.operation, path: "/x", search: "", stream, strict: true };
  const egress = egressWith({ trustedHosts: ["127.0.0.1"] });
  const encode = { id: "i", model: "m", created: 1, usage: true, strict: true };
  const attempted = await attempt(
    {
      ...{
        request: requestOf(call),
        call,
        leaf,
        to: { id: "acme", slug: null, provider, adapter, target, kept: null, served: null },
        ask,
        body: { model: "m" },
      },
      ...{ form: { dialect: stream ? dialect : null, encode, row: call.row }, guarded: null },
    },
    { egress, headers: headerClasses([]), ownKeys: { foundIn: () => false }, now: () => 0 },
  );
  return { server, attempted, egress };
}

describe("a try again at a listed status lets go of", () => {
  const { event } = dialect.encode();
  const wire = event({ type: "start" }) + event({ type: "text", text: "a" });
  const audio: Replay = { body: "bytes", headers: { "content-type": "audio/mpeg" } };
  test.each<[string, Replay, boolean, boolean]>([
    ["a stream that passes", sseAnswer(wire), true, false],
    ["a stream that is translated", sseAnswer(wire), true, true],
    ["bytes", audio, false, false],
  ])(
    "%s",
    async (_what, replay, stream, translates) => {
      const { server, attempted, egress } = await twice(replay, stream, translates);
      expect([attempted.retries, attempted.exhausted, server.received.length, egress.open]).toEqual([1, true, 2, 1]);
      await server.received[0]?.cut;
    },
    4_000,
  );
});

test("a client that has left before the try costs no call, whatever time the try would have", async () => {
  await expect(twice({ body: "bytes" }, false, false, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "CLIENT_LEFT" });
  expect(upstream?.received).toEqual([]);
});
