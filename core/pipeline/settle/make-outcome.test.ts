import { MemoryBudget } from "../../kernel/process/memory-budget.ts";
import { describe, expect, test } from "bun:test";
import { slowness } from "#kit";
import { guardrailResult } from "../../../tests/kit/outcome.ts";
import { type Call, type Outcome, type Tokenizer, type Usage, mountedOperation } from "#contract";
import { CHAT, EMBEDDING } from "../../../plugins/api/content/index.ts";
import type { Provided } from "../../kernel/generation.ts";
import type { Ending } from "../stream/deliver.ts";
import { costing, pricing } from "./cost.ts";
import { estimating } from "./estimate.ts";
import { outcomeOf } from "./make-outcome.ts";
import { Results, WholeReport } from "../call/guardrail-report.ts";
import type { GuardrailReport } from "../call/guardrail-report.ts";
import { ownReply, type Reply } from "../call/reply.ts";
import type { Served } from "./settle.ts";
import type { Spent } from "../stream/spent.ts";

const call: Call = {
  id: "1",
  operation: "chatComplete",
  row: mountedOperation("chatComplete", { content: CHAT }),
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
  kept: null,
  served: null,
  target: { fields: {}, apiKey: "", customHost: null, model: "m" },
};
const reply: Reply = { ...ownReply(200, "", null), from, sent: { url: "https://p.test", body: "{}", secrets: [] } };
const servedOf = (of: Call): Served => ({ call: of, caller: null, plan: null, leave: () => undefined, held: new MemoryBudget(1e9).hold() });
const words = "word ".repeat(50);
const ending = (more: Partial<Ending>): Ending => ({
  ended: "ok",
  usage: null,
  firstMs: 1,
  response: null,
  streamed: true,
  answerText: () => ({ text: words, times: 1 }),
  ...more,
});
const quiet = (): void => undefined;
const byWords: Tokenizer = { count: (texts) => texts.map((text) => text.match(/\S+/g)?.length ?? 0) };
const tokenizers = [{ name: "tokenizer/words", provides: byWords } as Provided<Tokenizer>]; // no more is looked at
const AT = {
  now: 5,
  loggedBytes: 100,
  keyHeaders: [],
  costOf: costing(pricing([], quiet)),
  estimate: estimating(tokenizers, quiet),
  owned: { takeUncounted: () => Promise.resolve(new Map<string, Usage>()), noteCounted: () => Promise.resolve() },
};
const usageOf = async (more: Partial<Ending>): Promise<Usage | null> =>
  (await outcomeOf({ reply, served: servedOf(call), ending: ending(more) }, AT)).usage;

test("a request of more texts than are read is estimated by its JSON, and settled with all else", async () => {
  const value = { messages: Array.from({ length: 20_001 }, () => ({ role: "user", content: "x" })) };
  const many: Call = { ...call, body: { kind: "json", text: "word ".repeat(1_000), value } };
  const { usage, bodies } = await outcomeOf({ reply, served: servedOf(many), ending: ending({}) }, AT);
  expect([usage?.input, usage?.estimated, bodies?.request?.length]).toEqual([1_000, true, 100]);
});
test("what was never sent used nothing, whatever is answered in the place of an answer", async () => {
  const { usage } = await outcomeOf({ reply: { ...reply, sent: null }, served: servedOf(call), ending: ending({}) }, AT);
  expect(usage).toBeNull();
});
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
  expect((await usageOf({ answerText: () => ({ text: words, times: 3 }) }))?.output).toBeGreaterThan(120);
});
test.each(["aborted", "partial"] as const)("an answer that was %s costs no less than what was received", async (ended) => {
  const usage = await usageOf({ ended, usage: { input: 9, output: 1 } });
  expect(usage).toMatchObject({ input: 9, estimated: true });
  expect(usage?.output).toBeGreaterThan(40);
  expect(await usageOf({ ended, usage: { input: 9, output: 500 } })).toEqual({ input: 9, output: 500 });
});
describe("an answer that was denied", () => {
  const spentOf = async (more: Partial<Spent>): Promise<Usage | null> => {
    const spent: Spent = { usage: { input: 9, output: 1 }, model: "m", isComplete: true, received: words, ...more };
    const ended = ending({ usage: null, answerText: () => ({ text: "it was denied", times: 1 }) });
    return (await outcomeOf({ reply: { ...reply, status: 446, denied: spent }, served: servedOf(call), ending: ended }, AT)).usage;
  };
  test("used what its vendor said of it, if it came to its end", async () => {
    expect(await spentOf({})).toEqual({ input: 9, output: 1 });
  });
  test("that was cut used no less than what was received of it", async () => {
    expect(await spentOf({ isComplete: false })).toEqual({ input: 9, output: 50, estimated: true });
    expect(await spentOf({ isComplete: false, usage: null })).toEqual({ input: 1, output: 50, estimated: true });
    expect(await spentOf({ isComplete: false, usage: { input: 9, output: 500 } })).toEqual({ input: 9, output: 500 });
  });
});
test("a whole answer without usage is counted by its texts", async () => {
  const body = { id: "c", choices: [{ message: { role: "assistant", content: words } }] };
  const whole: Reply = { ...reply, content: { kind: "whole", text: JSON.stringify(body), body, usage: null } };
  const { usage } = await outcomeOf(
    { reply: whole, served: servedOf(call), ending: { ended: "ok", usage: null, firstMs: null, response: "" } },
    AT,
  );
  expect(usage?.output).toBeGreaterThan(40);
  expect(usage?.output).toBeLessThan(60);
});

const whole = async (reply: Reply, more: Partial<Ending> = {}, asked = call): Promise<Outcome> =>
  outcomeOf(
    { reply, served: servedOf(asked), ending: { ended: "ok", usage: { input: 1 }, firstMs: null, response: '{"id":"c"}', ...more } },
    AT,
  );

describe("a model's name without an end", () => {
  const LONG = `m${"a".repeat(5_000)}`;
  const heard: string[] = [];
  const hear = <T>(model: string, answer: T): T => {
    heard.push(model);
    return answer;
  };
  const provider = { ...from.provider, price: (model: string) => hear(model, model === "m" ? { input: 1, output: 2 } : undefined) };
  const counting: Tokenizer = {
    count: (texts, { model }) =>
      hear(
        model,
        texts.map(() => 7),
      ),
  };
  const estimate = estimating([{ name: "tokenizer/heard", provides: counting } as Provided<Tokenizer>], quiet); // no more is looked at
  const told = async (of: Reply, more: Partial<Ending>): Promise<Outcome> => {
    heard.length = 0;
    return outcomeOf({ reply: of, served: servedOf(call), ending: ending(more) }, { ...AT, estimate });
  };
  const askedFor = (model: string): Reply => ({ ...reply, from: { ...from, provider, target: { ...from.target, model } } });

  test.each<[string, Partial<Reply>, Partial<Ending>]>([
    ["a whole answer", { model: LONG }, {}],
    ["a stream", {}, { model: LONG }],
  ])("in %s has no price: that of the model that was asked holds", async (_, more, ended) => {
    const { model, costCents } = await told({ ...askedFor("m"), ...more }, { usage: { input: 3 }, ...ended });
    expect([model, costCents, heard]).toEqual([LONG.slice(0, 256), 3, ["m"]]);
  });
  test("that was asked for has none either", async () => {
    expect(await told(askedFor(LONG), { usage: { input: 3 } })).toMatchObject({ costCents: null });
    expect(heard).toEqual([]);
  });
  test("is told to no tokenizer", async () => {
    expect(await told({ ...askedFor("m"), model: LONG }, {})).toMatchObject({ usage: { input: 7, output: 7 } });
    expect(heard.filter(({ length }) => length > 256)).toEqual([]);
  });
});

describe("the results of guardrails", () => {
  const before = guardrailResult("before");
  const after = guardrailResult("after");
  const beside = guardrailResult("beside");
  const TEXT = '{"before_request_hooks":["as it was sent"]}';
  const told = async (more: Partial<GuardrailReport>, text: string | null = TEXT): Promise<Outcome["guardrails"]> => {
    const report: GuardrailReport = { results: () => ({ input: [before], output: [after], text }), pending: null, ...more };
    return (await whole({ ...reply, guardrails: report })).guardrails;
  };
  test("come with the text that stands in the answer", async () => {
    expect(await told({})).toEqual({ input: [before], output: [after], text: TEXT });
    expect(await told({ pending: { input: Promise.resolve([]), output: Promise.resolve([]) } })).toMatchObject({ text: TEXT });
  });
  test("come without it where the answer has no such text", async () => {
    expect(await told({}, null)).toEqual({ input: [before], output: [after], text: null });
    const { input, output, text } = (await whole(reply)).guardrails;
    expect([input, output, text]).toEqual([[], [], null]);
  });
  test("are read back from the text they were written as", async () => {
    const guardrails = new WholeReport(new Results(JSON.stringify([before])), new Results(JSON.stringify([after])), null);
    const { input, output, text } = (await whole({ ...reply, guardrails })).guardrails;
    expect([input, output]).toEqual([[before], [after]]);
    expect(JSON.parse(text ?? "")).toEqual({ before_request_hooks: [before], after_request_hooks: [after] });
    expect(JSON.parse(JSON.stringify(guardrails))).toEqual({ input, output, text });
  });
  test.each(["before_request_hooks", '"checks":[{', '"id":"before"', "allow-all-of-it"])(
    "keep their form whatever the credential is that went with the request: %s",
    async (secret) => {
      const quoting = { ...before, checks: [{ ...before.checks[0], data: { quoted: `it says ${secret} here` } }] };
      const guardrails = new WholeReport(new Results(JSON.stringify([quoting])), new Results(JSON.stringify([after])), null);
      const sent = { url: "https://api.example.com/v1", body: "{}", secrets: [secret, JSON.stringify(secret).slice(1, -1)] };
      const { input, output, text } = (await whole({ ...reply, sent, guardrails })).guardrails;
      const hiddenIn = { ...before, checks: [{ ...before.checks[0], data: { quoted: "it says [redacted] here" } }] };
      expect([input, output]).toEqual([[hiddenIn as never], [after]]);
      expect(JSON.parse(text ?? "")).toEqual({ before_request_hooks: input, after_request_hooks: output });
    },
  );
  test("come without it where some ran beside the request: the text knows nothing of them", async () => {
    expect(await told({ pending: { input: Promise.resolve([beside]), output: null } })).toEqual({
      input: [before, beside],
      output: [after],
      text: null,
    });
    expect(await told({ pending: { input: null, output: Promise.resolve([beside]) } })).toEqual({
      input: [before],
      output: [after, beside],
      text: null,
    });
  });
});

describe("the bodies for the log", () => {
  const SENT = { url: "https://api.example.com/v1/chat/completions", body: '{"model":"m"}', secrets: [] };
  test("are what came, what was sent, and what was answered", async () =>
    expect((await whole({ ...reply, sent: SENT })).bodies).toEqual({
      request: "{}",
      upstreamUrl: SENT.url,
      upstreamRequest: SENT.body,
      response: '{"id":"c"}',
      truncated: false,
    }));
  test("are empty texts where the bodies were empty, and absent where there were none", async () => {
    const empty = { ...call, body: { kind: "json", text: "", value: {} } } as const;
    expect((await whole({ ...reply, sent: { ...SENT, body: "" } }, { response: "" }, empty)).bodies).toMatchObject({
      request: "",
      upstreamRequest: "",
      response: "",
    });
    const none = { ...call, method: "GET", body: { kind: "none" } } as const;
    expect((await whole({ ...reply, sent: null }, { response: null }, none)).bodies).toEqual({
      request: null,
      upstreamUrl: null,
      upstreamRequest: null,
      response: null,
      truncated: false,
    });
  });
  test("are cut at the limit, and say so", async () => {
    const long = { ...call, body: { kind: "json", text: "x".repeat(101), value: {} } } as const;
    const { bodies } = await whole({ ...reply, sent: { ...SENT, body: "y".repeat(500) } }, { response: "z".repeat(100) }, long);
    expect(bodies).toMatchObject({
      request: "x".repeat(100),
      upstreamRequest: "y".repeat(100),
      response: "z".repeat(100),
      truncated: true,
    });
  });
  test.each<[string, (text: string) => string | Uint8Array<ArrayBuffer>]>([
    ["as texts", (text) => text],
    ["as bytes", (text) => new TextEncoder().encode(text)],
  ])("are cut at as many bytes, whatever they are made of, %s", async (_, as) => {
    const logged = async (text: string): Promise<Outcome["bodies"]> => {
      const asked = { ...call, body: { kind: "json", text: as(text), value: {} } } as const;
      return (await whole({ ...reply, sent: { ...SENT, body: as(text) } }, { response: as(text) }, asked)).bodies;
    };
    for (const [letter, bytes] of [
      ["a", 1],
      ["é", 2],
      ["漢", 3],
      ["😀", 4],
    ] as const) {
      const kept = letter.repeat(Math.floor(100 / bytes));
      const cut = { request: kept, upstreamRequest: kept, response: kept, truncated: true };
      expect(await logged(letter.repeat(200))).toMatchObject(cut);
      expect(await logged(`${kept}${letter}`)).toMatchObject(cut);
      const short = letter.repeat(Math.floor(99 / bytes));
      expect(await logged(short)).toMatchObject({ request: short, upstreamRequest: short, response: short, truncated: false });
    }
  });
  test("of a form are its fields, as far as is kept of them", async () => {
    const logged = async (fields: Record<string, string>): Promise<Outcome["bodies"]> => {
      const body = { kind: "form-read", contentType: "multipart/form-data", bytes: new Uint8Array(), fields } as const;
      return (await whole({ ...reply, sent: { ...SENT, body: null } }, { response: null }, { ...call, body })).bodies;
    };
    for (const fields of [{}, { a: "" }, { a: '"1"', 2: "\u0001", prompt: "漢" }])
      expect(await logged(fields)).toMatchObject({ request: JSON.stringify(fields), truncated: false });
    const long = { first: "1", prompt: "\u0001".repeat(1_000), last: "2" };
    expect(await logged(long)).toMatchObject({ request: JSON.stringify(long).slice(0, 100), truncated: true });
    const many = Object.fromEntries(Array.from({ length: 990 }, (_, i) => [`p${i}`, "漢".repeat(8)]));
    const { request, truncated } = (await logged(many)) ?? {};
    expect({ isBeginning: JSON.stringify(many).startsWith(request ?? "-"), truncated }).toEqual({ isBeginning: true, truncated: true });
    expect(Buffer.byteLength(request ?? "")).toBeWithin(98, 101);
    const prompt = Buffer.alloc(30_000_000, 1).toString("latin1");
    const startedAt = performance.now();
    await logged({ prompt });
    expect(performance.now() - startedAt).toBeLessThan(40 * slowness());
  });
  test("are not there when the client asked for none", async () =>
    expect((await whole({ ...reply, sent: SENT }, {}, { ...call, control: { rest: {}, debug: false } })).bodies).toBeNull());
  test("of embeddings are without the vectors", async () =>
    expect(
      (await whole(reply, {}, { ...call, operation: "embed", row: mountedOperation("embed", { content: EMBEDDING }) })).bodies,
    ).toMatchObject({
      request: "{}",
      response: null,
    }));
});
