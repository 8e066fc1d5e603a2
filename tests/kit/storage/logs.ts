import { describe, expect, test } from "bun:test";
import type { LogFacts, LogRow, LogStore } from "#contract";
import { closedHandle, expectUnavailable, handleOf, type Subject, unique } from "./subject.ts";

const NOON = 1_763_640_000_000;

const facts: LogFacts = {
  url: "https://gateway.example.com/v1/chat/completions?a=b",
  method: "POST",
  headers: { host: "gateway.example.com", "x-quoted": '"ü" \\ \u0000 \ud800' },
  gatewayHeaders: { "x-gateway-config": '{"a":"\\"😀"}' },
  sentTo: "https://models.example.org/v1/chat/completions",
  operation: "chatComplete",
  ended: "partial",
  error: { message: "It broke off.", type: "stream_incomplete", param: null, code: null },
  retries: 2,
  usage: { input: 12, cacheRead: Number.MAX_SAFE_INTEGER, output: 34, estimated: true },
  streamed: true,
  timing: { gatewayMs: 0.25, upstreamMs: 56.25, timeToFirstTokenMs: null },
  target: "config.targets[1]",
  providerSlug: "@team",
  mode: "fallback",
  config: "cfg",
  userId: null,
  apiKeyName: "",
  spans: { id: "span" },
  bodies: "kept",
};

/** A row with everything. */
export const logRow = (given: Partial<LogRow> = {}): LogRow => ({
  id: unique("log"),
  organisationId: "org",
  workspaceId: "space",
  createdAt: NOON,
  traceId: "trace",
  provider: "sandbox",
  model: "echo",
  status: 200,
  costCents: 0.0125,
  inputTokens: 12,
  outputTokens: 34,
  responseTimeMs: 56.5,
  apiKeyId: "key",
  cacheStatus: "DISABLED",
  metadata: { _user: "ü", nul: "\u0000", lone: "\ud800" },
  facts,
  request: '{"messages":[{"role":"user","content":"hi 😀"}]}',
  sent: '{"messages":[{"role":"user","content":"hi"}],"max_tokens":5}',
  response: 'data: {"a":"ü"}\n\ndata: [DONE]\n\n',
  hooks: '{"before_request_hooks":[],"after_request_hooks":[]}',
  ...given,
});

/** Bodies come as they are: text of every kind, and what looks like the ways in which texts are written down. */
const TEXTS: Readonly<Record<string, string>> = {
  "that is empty": "",
  "of JSON": '{"a":[1,null,"\\"quoted\\" \\\\ \\n \\u0000 \\ud83d"]}',
  "of JSON on several lines": '{\r\n  "a": 1\n}\n',
  "that is the word null": "null",
  "of numbers and lines of them": "12\n[1,2,null]\n0\n",
  "of line ends alone": "\n\r\n\n\u2028\u2029",
  "of quotes and backslashes": `'"\`\\\\' "\\"`,
  "of array and copy syntax": '{"a",NULL,\\N}\t\\.',
  "of many scripts": "é š ü € 中文 العربية 👩‍👩‍👧 \u{10ffff}",
  "of astral characters, long": "😀".repeat(50_000),
  "of one byte and two, long": `${"x".repeat(70_000)}€${"ü".repeat(70_000)}`,
  "of control characters": "\u0001\u001f\u007f\u009f\ufeff\uffff",
};

/** Not every store has room for these characters; then U+FFFD stands where one was, and everything around it stays. */
const UNSTORABLE: Readonly<Record<string, string>> = { "a NUL": "\u0000", "half a character": "\ud83d", "its other half": "\ude00" };

export const logsSuite = (subject: Subject): void => {
  const near = (): LogStore => handleOf(subject.near(), "logs");
  const far = (): LogStore => handleOf(subject.far(), "logs");
  const everything = { newerThan: 0, maxBytes: Number.MAX_SAFE_INTEGER };
  const back = async (row: LogRow): Promise<LogRow | undefined> => {
    await near().write([row]);
    return far().get(row.id);
  };

  test("rows come back as they were written, on every connection", async () => {
    const full = logRow();
    const bare = logRow({
      workspaceId: null,
      provider: null,
      model: null,
      costCents: null,
      apiKeyId: null,
      metadata: {},
      facts: null,
      request: null,
      sent: null,
      response: null,
      hooks: null,
    });
    await near().write([full, bare]);
    expect(await far().get(full.id)).toEqual(full);
    expect(await far().get(bare.id)).toEqual(bare);
    expect(await near().get("nobody")).toBeUndefined();
  });

  test("each text is there, empty or absent without regard to the others, and an empty one is not an absent one", async () => {
    const kinds = ["text", "", null];
    const rows = kinds.flatMap((request) =>
      kinds.flatMap((sent) => kinds.flatMap((response) => kinds.map((hooks) => logRow({ request, sent, response, hooks })))),
    );
    await near().write(rows);
    expect(await Promise.all(rows.map(({ id }) => far().get(id)))).toEqual(rows);
  });

  describe("a text comes back as it was written:", () => {
    test.each(Object.entries(TEXTS))("one %s", async (_, text) => {
      const row = logRow({ request: text, sent: `${text}${text}`, response: text });
      expect(await back(row)).toEqual(row);
    });
    test("all of them in one batch, in every column", async () => {
      const texts = Object.values(TEXTS);
      const rows = texts.map((request, index) =>
        logRow({ request, sent: texts[(index + 1) % texts.length] ?? null, response: texts[(index + 5) % texts.length] ?? null }),
      );
      await near().write(rows);
      expect(await Promise.all(rows.map(({ id }) => far().get(id)))).toEqual(rows);
    });
  });

  test.each(Object.entries(UNSTORABLE))("%s in a text costs no more than itself, and no other row", async (_, character) => {
    const text = `before ü ${character} after 😀`;
    const [odd, other] = [logRow({ request: text, sent: text, response: text, hooks: text }), logRow()];
    await near().write([odd, other]);
    const got = await far().get(odd.id);
    const stored = got?.request ?? "";
    expect([text, text.replace(character, "\ufffd")]).toContain(stored);
    expect(got).toEqual({ ...odd, request: stored, sent: stored, response: stored, hooks: stored });
    expect(await far().get(other.id)).toEqual(other);
  });

  test("a batch that is written again leaves one row, and an empty one nothing", async () => {
    const one = logRow();
    await near().write([one]);
    await far().write([one, logRow()]);
    await near().write([]);
    expect(await near().get(one.id)).toEqual(one);
  });

  test("a row that is written again is the later one whole, also where it has less", async () => {
    const one = logRow();
    const less = { ...one, facts: null, request: "", sent: null, response: null, hooks: null };
    await near().write([one]);
    expect(await back(less)).toEqual(less);
  });

  test("a large batch is written whole", async () => {
    const many = Array.from({ length: 1500 }, (_, index) => logRow({ response: `${index} ${"x".repeat(200)}` }));
    await near().write(many);
    expect(await far().get(many[0]?.id ?? "")).toEqual(many[0]);
    expect(await far().get(many.at(-1)?.id ?? "")).toEqual(many.at(-1));
  });

  test("pruning by age removes what is older and says how many", async () => {
    await near().prune({ ...everything, newerThan: Number.MAX_SAFE_INTEGER });
    const [old, young] = [logRow({ createdAt: NOON - 1000 }), logRow({ createdAt: NOON })];
    await near().write([old, young]);
    expect(await near().prune({ ...everything, newerThan: NOON })).toBe(1);
    expect(await far().get(old.id)).toBeUndefined();
    expect(await far().get(young.id)).toEqual(young);
    expect(await near().prune({ ...everything, newerThan: NOON })).toBe(0);
  });

  const LONG = "x".repeat(10_000);
  test.each([
    ["the request", { request: LONG }],
    ["what was sent", { sent: LONG }],
    ["the response", { response: LONG }],
    ["the guardrail results", { hooks: LONG }],
    ["the facts", { facts: { ...facts, url: LONG } }],
    ["the metadata", { metadata: { long: LONG } }],
  ])("pruning by size, which %s counts to, removes the oldest first and stops when the rest fits", async (_, long) => {
    await near().prune({ ...everything, newerThan: Number.MAX_SAFE_INTEGER });
    const rows = Array.from({ length: 40 }, (__, index) => logRow({ createdAt: NOON + index, ...long }));
    await near().write(rows);
    const gone = await near().prune({ newerThan: 0, maxBytes: 200_000 });
    expect(gone).toBeGreaterThanOrEqual(20);
    expect(gone).toBeLessThan(30);
    const left = await Promise.all(rows.map(async ({ id }) => (await far().get(id)) !== undefined));
    expect(left).toEqual(rows.map((__, index) => index >= gone));
    expect(await near().prune({ newerThan: 0, maxBytes: 0 })).toBe(40 - gone);
  });

  test("a closed backend is STORAGE_UNAVAILABLE and never an answer", async () => {
    const closed = await closedHandle(subject, "logs");
    await expectUnavailable(() => closed.write([logRow()]));
    await expectUnavailable(() => closed.get("x"));
    await expectUnavailable(() => closed.prune(everything));
  });
};
