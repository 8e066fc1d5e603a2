/** A stream is settled whichever way it ends, also where the code that makes it fails. */
import { describe, expect, test } from "bun:test";
import { type Delivery, type Ending, streamed } from "./deliver.ts";
import type { Live } from "./live.ts";

const fails = (why: string) => (): never => {
  throw new Error(why);
};
const SUMMARY = { usage: null, model: "m", finished: true, error: null, text: () => "" };
const LIVE: Live = { read: () => Promise.resolve(undefined), cancel: () => Promise.resolve(), summary: () => SUMMARY };

function delivering(live: Partial<Live>, more: Partial<Delivery> = {}) {
  const settled: Ending[] = [];
  let cancelled = 0;
  const from: Live = {
    ...LIVE,
    cancel: () => {
      cancelled += 1;
      return Promise.resolve();
    },
    ...live,
  };
  const signal = new AbortController().signal;
  const settle = (ending: Ending): void => void settled.push(ending);
  const stream = streamed(from, { startedAt: 0, signal, now: () => 1, keptBytes: 100, stalledMs: 60_000, settle, ...more });
  return { stream, settled, cancelled: () => cancelled };
}

describe("a stream whose dialect fails", () => {
  test.each([
    ["at its next event", { read: async () => fails("broken")() }],
    ["before it waits", { read: fails("broken") }],
    ["at its end", { summary: fails("broken") }],
  ])(
    "%s is settled as partial, once, and its upstream let go",
    async (_, live) => {
      const { stream, settled, cancelled } = delivering(live);
      await new Response(stream).text().catch(() => "cut");
      expect(settled.map(({ ended, error }) => [ended, error?.code])).toEqual([["partial", "internal"]]);
      expect(cancelled()).toBe("read" in live ? 1 : 0);
    },
    2_000,
  );
  test("when its client leaves is settled as aborted", async () => {
    const { stream, settled } = delivering({ read: () => new Promise(() => undefined), summary: fails("broken") });
    await stream.cancel();
    expect(settled.map(({ ended }) => ended)).toEqual(["aborted"]);
  });
});

test("a client that is let go is settled, although its upstream cannot be cancelled", async () => {
  const unheard: unknown[] = [];
  const hear = (thrown: unknown): void => void unheard.push(thrown);
  process.on("unhandledRejection", hear);
  try {
    const end = Promise.withResolvers<Ending>();
    delivering({ cancel: async () => fails("gone already")() }, { stalledMs: 1, settle: end.resolve });
    expect((await end.promise).ended).toBe("aborted");
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(unheard).toEqual([]);
  } finally {
    process.off("unhandledRejection", hear);
  }
});
