import { expect, test } from "bun:test";
import type { Call, Usage } from "#contract";
import type { Ending } from "./deliver.ts";
import { outcomeOf } from "./outcome.ts";
import { ownReply, type Reply } from "./reply.ts";

const call: Call = {
  id: "1",
  operation: "chatComplete",
  method: "POST",
  path: "/chat/completions",
  params: {},
  search: "",
  headers: new Headers(),
  control: { rest: {} },
  traceId: "1",
  body: { kind: "json", text: "{}", value: { messages: [{ role: "user", content: "Hello" }] } },
  startedAt: 0,
  signal: new AbortController().signal,
};
const from = {
  id: "p",
  slug: null,
  provider: { target: {} as never, endpoint: () => ({ baseUrl: "", headers: {} }), operations: {}, price: () => ({ input: 1, output: 2 }) },
  adapter: {},
  target: { fields: {}, apiKey: "", customHost: null, model: "m" },
};
const reply: Reply = { ...ownReply(200, "", null), from };
const words = "word ".repeat(50);
const ending = (more: Partial<Ending>): Ending => ({
  ended: "ok",
  usage: null,
  firstMs: 1,
  response: null,
  streamed: true,
  said: () => ({ text: words, times: 1 }),
  ...more,
});
const usageOf = async (more: Partial<Ending>): Promise<Usage | null> =>
  (await outcomeOf(reply, { call, caller: null, plan: null, leave: () => undefined }, ending(more), { now: 5, loggedBytes: 100 })).usage;

test("what the provider reported of a complete answer stands", async () => {
  expect(await usageOf({ usage: { input: 3, output: 4 } })).toEqual({ input: 3, output: 4 });
});
test("without a report, what was said is counted, not its wire", async () => {
  const usage = await usageOf({});
  expect(usage).toMatchObject({ estimated: true });
  expect(usage?.output).toBeGreaterThan(40);
  expect(usage?.output).toBeLessThan(60);
});
test("an answer whose text was kept in part is counted in proportion", async () => {
  expect((await usageOf({ said: () => ({ text: words, times: 3 }) }))?.output).toBeGreaterThan(120);
});
test.each(["aborted", "partial"] as const)("an answer that was %s costs no less than what was received", async (ended) => {
  const usage = await usageOf({ ended, usage: { input: 9, output: 1 } });
  expect(usage).toMatchObject({ input: 9, estimated: true });
  expect(usage?.output).toBeGreaterThan(40);
  expect(await usageOf({ ended, usage: { input: 9, output: 500 } })).toEqual({ input: 9, output: 500 });
});
test("a whole answer without usage is counted by its texts", async () => {
  const body = { id: "c", choices: [{ message: { role: "assistant", content: words } }] };
  const whole: Reply = { ...reply, content: { kind: "whole", text: JSON.stringify(body), body, usage: null } };
  const { usage } = await outcomeOf(
    whole,
    { call, caller: null, plan: null, leave: () => undefined },
    { ended: "ok", usage: null, firstMs: null, response: "" },
    { now: 5, loggedBytes: 100 },
  );
  expect(usage?.output).toBeGreaterThan(40);
  expect(usage?.output).toBeLessThan(60);
});
