/** An answer is settled once, whichever way it goes. */
import { expect, test } from "bun:test";
import { callOf } from "#kit";
import type { Gateway } from "./gateway.ts";
import { ownReply } from "./reply.ts";
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
    settled: ({ status }: { status: number }) => void seen.push(status),
  } as unknown as Gateway;
  const served = { call: callOf({ model: "m" }), caller: null, plan: null, leave: () => void (left += 1) };
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
