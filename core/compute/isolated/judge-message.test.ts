import { expect, test } from "bun:test";
import type { CheckInput, Json } from "#contract";
import { judgeMessage } from "./judge-message.ts";
import { MAX_SHOWN_BODY_BYTES, type ToPack } from "./wire.ts";

const shown = async (request: Json | null): Promise<readonly [state: string, frames: number]> => {
  const input: CheckInput<unknown> = {
    ...{ params: {}, side: "input", text: "", segments: [], credential: null, now: 0, timeoutMs: 1_000, credentials: () => ({}) },
    call: {
      ...{ requestType: "chatComplete", provider: null, model: null, traceId: "t", metadata: {}, streamed: false },
      ...{ request, response: null, status: null, header: () => null, headerNames: () => [] },
    },
    signal: new AbortController().signal,
    asker: undefined as never, // no isolated check has one
  };
  const { head, attached } = await judgeMessage(1, "acme.looks", input);
  return [(head as Extract<ToPack, { kind: "judge" }>).call.request, attached[1]?.count ?? 0]; // it is what judgeMessage makes
};

/** A body with something behind that, and how often anybody has looked there. */
function watched(first: unknown): { readonly body: Json; readonly looks: () => number } {
  let looks = 0;
  const body = Object.defineProperty({ first }, "last", { enumerable: true, get: () => (looks += 1) }) as Json; // an object
  return { body, looks: () => looks };
}

test("a body is shown as far as it may be, and none is none", async () => {
  expect(await shown(null)).toEqual(["none", 0]);
  expect(await shown({ a: "x".repeat(1_000) })).toEqual(["sent", 1]);
  expect(await shown({ a: "x".repeat(MAX_SHOWN_BODY_BYTES - 8) })).toEqual(["sent", 32]);
  expect(await shown({ a: "x".repeat(MAX_SHOWN_BODY_BYTES - 7) })).toEqual(["too long", 0]);
});

test("a body that is too long is not written: what is behind its long text is not looked at", async () => {
  const { body, looks } = watched("x".repeat(MAX_SHOWN_BODY_BYTES + 1));
  expect([await shown(body), looks()]).toEqual([["too long", 0], 0]);
});

test("nor is it written to its end where only its bytes are too many", async () => {
  for (const first of [Array.from({ length: 500_000 }, () => 0.123456789012345), "漢".repeat(MAX_SHOWN_BODY_BYTES / 2)]) {
    const { body, looks } = watched(first);
    expect(await shown(body)).toEqual(["too long", 0]);
    expect(looks()).toBeLessThanOrEqual(1); // while it was measured
  }
});
