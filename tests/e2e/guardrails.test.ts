/**
 * Guardrails through the running gateway: denials whole and in mid-stream, failures that do not deny, what runs beside
 * the request, webhooks that change bodies or misbehave, and checks whose plugin is not there.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifies } from "../requirements/verifies.ts";
import { jsonAnswer, type Received, type Replay, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { ADMIN_KEY, type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "./process.ts";

type Json = Readonly<Record<string, unknown>>;
const root = join(import.meta.dir, "../..");
const home = mkdtempSync(join(tmpdir(), "guardrails-"));
const profileFile = join(home, "profile.json");

let upstream: ReplayServer;
let hook: ReplayServer;
let gateway: GatewayProcess;

/** A check that judges streams by window; the built-in ones judge the whole answer. */
const WINDOW = { chars: 24, overlap: 7 };
function installWindowCheck(): void {
  const folder = join(home, "plugins/words");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "manifest.json"),
    JSON.stringify({
      id: "words",
      kind: "guardrail",
      version: "1.0.0",
      contract: "^1.0.0",
      title: "Words",
      license: "Apache-2.0",
      entry: "index.ts",
      provides: ["words.forbidden"],
    }),
  );
  writeFileSync(
    join(folder, "index.ts"),
    `
    import { Type } from ${JSON.stringify(join(root, "node_modules/@sinclair/typebox/build/esm/index.mjs"))};
    const check = {
      id: "words.forbidden", title: "Forbidden word", on: ["input", "output"], stream: { window: ${JSON.stringify(WINDOW)} },
      params: Type.Object({ word: Type.String({ description: "It." }) }),
      run: ({ text, params }) => (text.includes(params.word) ? { verdict: "deny", reason: "It was said." } : { verdict: "allow" }),
    };
    export default { kind: "guardrail", config: Type.Object({}), needs: [], setup: () => ({ provides: { checks: [check] } }) };
  `,
  );
}
const writeProfile = (plugins: Json = {}): void =>
  writeFileSync(profileFile, JSON.stringify({ title: "Guardrails", extends: "default", pluginsDir: "plugins", plugins }));

beforeAll(async () => {
  installWindowCheck();
  writeProfile();
  [upstream, hook] = [replayServer(), replayServer()];
  gateway = await startGateway({
    env: { GATEWAY_PROFILE: profileFile, GATEWAY_TRUSTED_HOSTS: [upstream, hook].map(({ url }) => new URL(url).host).join(",") },
  });
});
beforeEach(() => {
  upstream.answer(({ text }) =>
    text().includes('"stream":true') ? sseAnswer(streamOf(["said ", "by ", "the ", "provider"])) : whole("said by the provider"),
  );
  hook.answer(jsonAnswer({ verdict: true }));
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  rmSync(home, { recursive: true, force: true });
  await Promise.all([upstream.close(), hook.close()]);
});

/* ── what is asked and answered ──────────────────────────────────────────────────────────────────────────────── */

const whole = (text: string): Replay =>
  jsonAnswer({
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
const chunk = (delta: Json, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const streamOf = (texts: readonly string[]): string =>
  `${chunk({ role: "assistant", content: "" })}${texts.map((content) => chunk({ content })).join("")}${chunk({}, "stop")}data: [DONE]\n\n`;

interface ChatOptions {
  readonly text?: string;
  readonly stream?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}
const asking = (config: Json, { text = "Hello there", stream = false, headers = {} }: ChatOptions = {}): Promise<Answer> =>
  ask(
    `${gateway.base}/v1/chat/completions`,
    "POST",
    GATEWAY_KEY,
    { model: "m", messages: [{ role: "user", content: text }], ...(stream && { stream }) },
    { "x-gateway-config": JSON.stringify({ provider: "openai", api_key: "k", custom_host: `${upstream.url}/v1`, ...config }), ...headers },
  );
const input = (...guardrails: readonly unknown[]): Json => ({ input_guardrails: guardrails });
const output = (...guardrails: readonly unknown[]): Json => ({ output_guardrails: guardrails });
const LOOSE = { "x-gateway-strict-open-ai-compliance": "false" };

const chunksOf = ({ text }: Answer): Json[] =>
  text
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: {"))
    .map((frame) => JSON.parse(frame.slice("data: ".length)) as Json);
const textIn = (answer: Answer): string =>
  chunksOf(answer)
    .map((part) => (part as { choices?: { delta?: { content?: string } }[] }).choices?.[0]?.delta?.content ?? "")
    .join("");
const contentOf = ({ json }: Answer): unknown => (json as { choices?: { message: { content: string } }[] }).choices?.[0]?.message.content;
const resultsIn = (answer: Answer, side: "before" | "after" = "before"): unknown => answer.json["hook_results"]?.[`${side}_request_hooks`];

async function calls<T>(server: ReplayServer, run: () => Promise<T>): Promise<{ readonly result: T; readonly seen: readonly Received[] }> {
  const before = server.received.length;
  const result = await run();
  return { result, seen: server.received.slice(before) };
}
const resolvedWithin = (what: string, promise: Promise<number> | undefined, ms = 3_000): Promise<number> =>
  Promise.race([
    promise ?? expect.unreachable(),
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error(`not within ${ms} ms: ${what}`)), ms).unref()),
  ]);
interface Hooks {
  readonly before_request_hooks: readonly Json[];
  readonly after_request_hooks: readonly Json[];
}
/** What the log says of this answer's request. */
const logOf = <T = Json>({ headers }: Answer, query = ""): Promise<T> =>
  until("the log is written", async () => {
    const answer = await ask(`${gateway.base}/v1/logs/${headers.get("x-gateway-trace-id")}${query}`, "GET", GATEWAY_KEY);
    return answer.status === 200 ? (answer.json as T) : undefined;
  });
const hooksOf = (answer: Answer): Promise<Hooks> => logOf<Hooks>(answer, "?type=hooks");
const saved = async (checks: readonly Json[], deny = true): Promise<string> => {
  const feedback = { feedback: { value: 1, weight: 1, metadata: "" } };
  const answer = await ask(`${gateway.base}/v2/guardrails`, "POST", ADMIN_KEY, {
    name: "saved",
    workspace_id: "default",
    checks,
    actions: { deny, async: false, on_success: feedback, on_fail: feedback },
  });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return String(answer.json["slug"]);
};

const NO_SECRET = { "default.regexMatch": { rule: "secret", not: true }, deny: true };
const result = (id: unknown, more: Json = {}, check: Json = {}): Json => ({
  verdict: false,
  id,
  transformed: false,
  feedback: null,
  execution_time: expect.any(Number),
  async: false,
  type: "guardrail",
  created_at: expect.stringMatching(/^\d{4}-.*Z$/),
  deny: true,
  checks: [
    {
      data: expect.anything(),
      verdict: false,
      id: "default.regexMatch",
      error: null,
      execution_time: expect.any(Number),
      transformed: false,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      log: null,
      fail_on_error: false,
      ...check,
    },
  ],
  ...more,
});

/* ── denial and failure ──────────────────────────────────────────────────────────────────────────────────────── */

test("a check of the built-in pack may be named without it, one of another pack may not", async () => {
  const denied = await asking(input({ contains: { words: ["there"], operator: "none" }, deny: true }));
  expect(denied).toMatchObject({
    status: 446,
    json: { hook_results: { before_request_hooks: [{ checks: [{ id: "default.contains" }] }] } },
  });
  const unknown = await asking(input({ forbidden: { word: "there" }, deny: true }));
  expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining("the check forbidden")]);
});

describe("an input guardrail", () => {
  test.each([false, true])(
    verifies("D4.446", "that denies answers the documented 446 and the provider is never called (stream: %p)"),
    async (stream) => {
      const { result: answer, seen } = await calls(upstream, () =>
        asking(input({ ...NO_SECRET, id: "mine" }), { text: "my secret", stream }),
      );
      expect(seen).toEqual([]);
      expect(answer.headers.get("content-type")).toContain("application/json");
      expect({ status: answer.status, json: answer.json as unknown }).toEqual({
        status: 446,
        json: {
          error: { message: expect.stringContaining("mine"), type: "hooks_failed", param: null, code: null },
          hook_results: { before_request_hooks: [result("mine")], after_request_hooks: [] },
        },
      });
      expect(await hooksOf(answer)).toMatchObject({ before_request_hooks: [{ id: "mine", deny: true }] });
    },
  );
  test(verifies("D4.246", "that fails without denying answers 246 with the whole answer and its results"), async () => {
    const answer = await asking(input({ ...NO_SECRET, deny: false }), { text: "my secret" });
    expect({ status: answer.status, content: contentOf(answer) }).toEqual({ status: 246, content: "said by the provider" });
    expect(resultsIn(answer)).toEqual([result(expect.any(String), { deny: false })]);
  });
  test(verifies("D6.hooks-whole", "that passes answers 200 with its results, and a stream without them"), async () => {
    const answer = await asking(input(NO_SECRET));
    expect({ status: answer.status, results: resultsIn(answer) }).toMatchObject({ status: 200, results: [{ verdict: true }] });
    const streamed = await asking(input(NO_SECRET), { stream: true });
    expect({ status: streamed.status, text: textIn(streamed), told: streamed.text.includes("hook_results") }).toEqual({
      status: 200,
      text: "said by the provider",
      told: false,
    });
  });
  test(verifies("D6.hooks-first", "of a stream tells its results first, to a client that is not strict"), async () => {
    const answer = await asking(
      { ...input({ ...NO_SECRET, deny: false }), ...output({ "default.wordCount": { minWords: 1 } }) },
      { text: "my secret", stream: true, headers: LOOSE },
    );
    const chunks = chunksOf(answer);
    expect(answer.status).toBe(246);
    expect(chunks[0]).toMatchObject({ hook_results: { before_request_hooks: [{ verdict: false, deny: false }] } });
    expect(chunks.at(-1)).toMatchObject({ hook_results: { after_request_hooks: [{ verdict: true }] } });
    expect(answer.text.indexOf("after_request_hooks")).toBeGreaterThan(answer.text.indexOf("[DONE]"));
    expect(textIn(answer)).toBe("said by the provider");
  });
  test(verifies("D6.hooks-last", "of a stream tells the results of its answer alone, too"), async () => {
    const answer = await asking(output({ "default.wordCount": { minWords: 1 } }), { stream: true, headers: LOOSE });
    const chunks = chunksOf(answer);
    expect(chunks[0]).not.toHaveProperty("hook_results");
    expect(chunks.at(-1)).toMatchObject({ hook_results: { after_request_hooks: [{ verdict: true }] } });
  });
  test("saved does the same by its slug, and an unknown slug is refused", async () => {
    const slug = await saved([{ id: "default.regexMatch", parameters: { rule: "secret", not: true } }]);
    const { result: answer, seen } = await calls(upstream, () => asking(input(slug), { text: "my secret" }));
    expect({ status: answer.status, seen, results: resultsIn(answer) }).toMatchObject({
      status: 446,
      seen: [],
      results: [{ id: slug, deny: true }],
    });
    expect((await asking(input(slug))).status).toBe(200);
    expect((await asking(input("pg-nobody"))).status).toBe(400);
  });
  test("several run all, and one denial is enough", async () => {
    const answer = await asking(input({ ...NO_SECRET, id: "a" }, { "default.wordCount": { minWords: 1 }, id: "b", deny: true }), {
      text: "my secret",
    });
    expect(answer.status).toBe(446);
    expect(resultsIn(answer)).toMatchObject([
      { id: "a", verdict: false },
      { id: "b", verdict: true },
    ]);
  });
});

describe("an output guardrail", () => {
  test("that denies answers 446 and none of the answer", async () => {
    upstream.answer(whole("a secret answer"));
    const answer = await asking(output(NO_SECRET));
    expect({ status: answer.status, results: resultsIn(answer, "after") }).toMatchObject({ status: 446, results: [{ deny: true }] });
    expect(answer.json["choices"]).toBeUndefined();
  });
  test(verifies("D6.denied", "that judges the whole answer collects a stream: 446 before the first byte"), async () => {
    upstream.answer(sseAnswer(streamOf(["this is a long beginning, and then a sec", "ret", " is told"])));
    const answer = await asking(output(NO_SECRET), { stream: true });
    expect({ status: answer.status, results: resultsIn(answer, "after"), chunks: chunksOf(answer) }).toMatchObject({
      status: 446,
      results: [{ deny: true }],
      chunks: [],
    });
  });
  test("that passes releases the collected stream unchanged", async () => {
    const answer = await asking(output(NO_SECRET), { stream: true });
    expect({ status: answer.status, text: textIn(answer) }).toEqual({ status: 200, text: "said by the provider" });
    expect(answer.text).toEndWith("data: [DONE]\n\n");
  });
  test("is not asked about an answer that is an error", async () => {
    upstream.answer(jsonAnswer({ error: { message: "my secret error" } }, { status: 500 }));
    expect((await asking(output(NO_SECRET))).status).toBe(500);
  });
});

/* ── windows over a stream ───────────────────────────────────────────────────────────────────────────────────── */

describe("a check that judges a stream by window", () => {
  const NO_WORD = { "words.forbidden": { word: "FORBID" }, deny: true };
  const inPieces = (text: string, size: number): string[] =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
  const filler = (length: number): string => "a few plain words, and more of them. ".repeat(9).slice(0, length);

  test("lets no part of the word through, wherever it stands and however it is cut", async () => {
    const wires = new Map<string, Replay>();
    upstream.answer((request) => wires.get(request.path.split("/")[1] ?? "") ?? whole("nothing to replay"));
    const cases = [0, 1, 10, 17, 18, 23, 24, 25, 40, 41, 42, 57, 90].flatMap((at) =>
      [1, 2, 3, 5, 7, 30, 400].map((size) => ({ at, size, name: `${at}-${size}` })),
    );
    for (const { at, size, name } of cases)
      wires.set(name, sseAnswer(streamOf(inPieces(`${filler(at)}FORBID${filler(80)}`, size)), { ends: "hang" }));
    await Promise.all(
      cases.map(async ({ at, size, name }) => {
        const answer = await asking({ ...output(NO_WORD), custom_host: `${upstream.url}/${name}` }, { stream: true });
        const shown = textIn(answer);
        expect({ name, plain: filler(at).startsWith(shown), choices: answer.json["choices"] }).toEqual({
          name,
          plain: true,
          choices: undefined,
        });
        if (answer.status === 446)
          return expect({ name, early: at < WINDOW.chars + size, shown }).toEqual({ name, early: true, shown: "" });
        expect({ name, status: answer.status, last: chunksOf(answer).at(-1), done: answer.text.includes("[DONE]") }).toMatchObject({
          name,
          status: 200,
          last: { error: { type: "hooks_failed" } },
          done: false,
        });
        const log = await logOf(answer);
        expect({ name, ended: (log["gateway"] as Json)["ended"], hooks: await hooksOf(answer) }).toMatchObject({
          name,
          ended: "partial",
          hooks: { after_request_hooks: [{ verdict: false, deny: true }] },
        });
      }),
    );
  }, 20_000);
  test("shows what came before, and lets the provider go", async () => {
    upstream.answer(sseAnswer(streamOf(inPieces(`${filler(200)}FORBID${filler(50)}`, 10)), { ends: "hang" }));
    const { result: answer, seen } = await calls(upstream, () => asking(output(NO_WORD), { stream: true }));
    expect(textIn(answer).length).toBeGreaterThan(150);
    await resolvedWithin("the provider is let go", seen[0]?.cut);
  });
  test("releases text while the provider is still speaking", async () => {
    upstream.answer(
      sseAnswer(
        inPieces(filler(100), 5)
          .map((content) => chunk({ content }))
          .join(""),
        { ends: "hang" },
      ),
    );
    const leaving = new AbortController();
    const response = await fetch(`${gateway.base}/v1/chat/completions`, {
      method: "POST",
      signal: AbortSignal.any([leaving.signal, AbortSignal.timeout(3_000)]),
      body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "x" }] }),
      headers: {
        "content-type": "application/json",
        "x-gateway-api-key": GATEWAY_KEY,
        "x-gateway-config": JSON.stringify({ provider: "openai", api_key: "k", custom_host: `${upstream.url}/v1`, ...output(NO_WORD) }),
      },
    });
    const first = await response.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toContain(filler(5));
    leaving.abort();
    await resolvedWithin("the provider is let go", upstream.received.at(-1)?.cut);
  });
  test("passes a plain stream byte for byte in its text", async () => {
    upstream.answer(sseAnswer(streamOf(inPieces(filler(300), 7))));
    const answer = await asking(output(NO_WORD), { stream: true });
    expect({ status: answer.status, text: textIn(answer) }).toEqual({ status: 200, text: filler(300) });
  });
});

/* ── beside the request ──────────────────────────────────────────────────────────────────────────────────────── */

describe("an asynchronous guardrail", () => {
  const ASYNC = { ...NO_SECRET, async: true };
  test.each([false, true])("changes nothing, and is in the log (stream: %p)", async (stream) => {
    upstream.answer(stream ? sseAnswer(streamOf(["a sec", "ret answer"])) : whole("a secret answer"));
    const answer = await asking(
      { ...input({ ...ASYNC, id: "asked" }), ...output({ ...ASYNC, id: "answered" }) },
      { text: "my secret", stream },
    );
    expect({
      status: answer.status,
      text: stream ? textIn(answer) : contentOf(answer),
      told: answer.text.includes("hook_results"),
    }).toEqual({ status: 200, text: "a secret answer", told: false });
    const hooks = await hooksOf(answer);
    expect(hooks).toMatchObject({
      before_request_hooks: [{ id: "asked", async: true, verdict: false }],
      after_request_hooks: [{ id: "answered", async: true, verdict: false }],
    });
  });
  test(verifies("D5.async-beside", "is not waited for"), async () => {
    hook.answer({ body: "{", ends: "hang" });
    const answer = await asking(input({ "default.webhook": { webhookURL: hook.url, timeout: 1_000 }, async: true, deny: true }));
    expect({ status: answer.status, content: contentOf(answer) }).toEqual({ status: 200, content: "said by the provider" });
    expect((await hooksOf(answer)).before_request_hooks).toMatchObject([{ async: true, checks: [{ error: { name: "Timeout error" } }] }]);
  });
});

/* ── a webhook of one's own ──────────────────────────────────────────────────────────────────────────────────── */

describe("a webhook", () => {
  const asks = (parameters: Json = {}, more: Json = {}): Json => ({
    "default.webhook": { webhookURL: `${hook.url}/judge`, ...parameters },
    deny: true,
    ...more,
  });

  test(verifies("D5.changed-sent", "may change the request: the provider gets the changed one"), async () => {
    hook.answer(({ json }) =>
      jsonAnswer({
        verdict: true,
        transformedData: {
          request: {
            json: { ...(json() as { request: { json: Json } }).request.json, messages: [{ role: "user", content: "[removed]" }] },
          },
        },
      }),
    );
    const { result: answer, seen } = await calls(upstream, () => asking(input(asks()), { text: "my secret" }));
    expect(seen[0]?.json()).toMatchObject({ model: "m", messages: [{ role: "user", content: "[removed]" }] });
    expect({ status: answer.status, results: resultsIn(answer) }).toMatchObject({
      status: 200,
      results: [{ verdict: true, transformed: true, checks: [{ transformed: true }] }],
    });
  });
  test("in sequence, the next check sees what it changed", async () => {
    hook.answer(
      jsonAnswer({
        verdict: true,
        transformedData: { request: { json: { model: "m", messages: [{ role: "user", content: "harmless" }] } } },
      }),
    );
    const inTurn = {
      sequential: true,
      deny: true,
      "default.webhook": { webhookURL: hook.url },
      "default.regexMatch": { rule: "secret", not: true },
    };
    expect((await asking(input(inTurn), { text: "my secret" })).status).toBe(200);
    expect((await asking(input({ ...inTurn, sequential: false }), { text: "my secret" })).status).toBe(446);
  });
  test(
    verifies("G.engine.sequential", "in sequence, it is sent what a check before it has left, and nothing that was taken out"),
    async () => {
      hook.answer(jsonAnswer({ verdict: true }));
      const redacts = { "default.regexReplace": { rule: "secret-\\d+" } };
      const asks = { "default.webhook": { webhookURL: hook.url } };
      const before = hook.received.length;
      expect((await asking(input({ sequential: true, ...redacts, ...asks }), { text: "my secret-77" })).status).toBe(200);
      const [sent] = hook.received.slice(before);
      expect(sent?.text()).toContain("my [REDACTED]");
      expect(sent?.text()).not.toContain("secret-77");
    },
  );
  test.each([false, true])("may change the answer (stream: %p)", async (stream) => {
    hook.answer(({ json }) => {
      const { response } = json() as { response: { json: { choices: { message: Json }[] } } };
      return jsonAnswer({
        verdict: true,
        transformedData: {
          response: {
            json: {
              ...response.json,
              choices: response.json.choices.map((choice) => ({ ...choice, message: { ...choice.message, content: "rewritten" } })),
            },
          },
        },
      });
    });
    const answer = await asking(output(asks()), { stream });
    expect({ status: answer.status, text: stream ? textIn(answer) : contentOf(answer) }).toEqual({ status: 200, text: "rewritten" });
    if (stream) expect(answer.text).toEndWith("data: [DONE]\n\n");
  });
  test("gets the request and the answer, and no credential", async () => {
    const { seen } = await calls(hook, () => asking(output(asks({ headers: { authorization: "Bearer of-the-hook" } }))));
    expect(seen[0]?.json()).toMatchObject({
      eventType: "afterRequestHook",
      provider: "openai",
      requestType: "chatComplete",
      request: { text: "Hello there" },
      response: { text: "said by the provider", statusCode: 200 },
    });
    expect(seen[0]?.headers.get("authorization")).toBe("Bearer of-the-hook");
    expect(JSON.stringify([...(seen[0]?.headers ?? [])])).not.toContain(GATEWAY_KEY);
  });

  const BAD: readonly (readonly [string, Replay, Json])[] = [
    ["is too slow", { body: "{", ends: "hang" }, { timeout: 60 }],
    ["answers 500", jsonAnswer({ verdict: true }, { status: 500 }), {}],
    ["answers no JSON", jsonAnswer("verdict: yes"), {}],
    ["answers without a verdict", jsonAnswer({ ok: true }), {}],
    ["answers a verdict that is no boolean", jsonAnswer({ verdict: "true" }), {}],
    ["answers nothing", { body: "" }, {}],
    ["redirects", { status: 302, headers: { location: "http://169.254.169.254/" }, body: "" }, {}],
  ];
  test.each(BAD)("that %s passes by default, and fails when failOnError says so", async (_, replay, parameters) => {
    hook.answer(replay);
    for (const [side, at] of [
      [input, "before"],
      [output, "after"],
    ] as const) {
      const open = await asking(side(asks(parameters)));
      expect({ at, status: open.status, content: contentOf(open), results: resultsIn(open, at) }).toMatchObject({
        at,
        status: 200,
        content: "said by the provider",
        results: [
          {
            verdict: true,
            checks: [{ verdict: false, error: { name: expect.any(String), message: expect.any(String) }, fail_on_error: false }],
          },
        ],
      });
      const shut = await asking(side(asks({ ...parameters, failOnError: true })));
      expect({ at, status: shut.status, results: resultsIn(shut, at) }).toMatchObject({
        at,
        status: 446,
        results: [{ verdict: false, checks: [{ fail_on_error: true }] }],
      });
      const told = await asking(side(asks({ ...parameters, failOnError: true }, { deny: false })));
      expect({ at, status: told.status, content: contentOf(told) }).toEqual({ at, status: 246, content: "said by the provider" });
    }
  });
  test("whose change cannot be applied fails shut: it saw something to change", async () => {
    hook.answer(jsonAnswer({ verdict: true, transformedData: { request: { json: ["not", "a", "body"] } } }));
    const { result: answer, seen } = await calls(upstream, () => asking(input(asks())));
    expect({ status: answer.status, seen }).toEqual({ status: 446, seen: [] });
  });
  test("on a private host nobody vouches for is not called", async () => {
    const stranger = replayServer(jsonAnswer({ verdict: true }));
    const answer = await asking(input(asks({ webhookURL: stranger.url, failOnError: true })));
    expect({ status: answer.status, asked: stranger.received.length }).toEqual({ status: 446, asked: 0 });
    await stranger.close();
  });
});

/* ── checks that cannot run ──────────────────────────────────────────────────────────────────────────────────── */

describe("a check that cannot run", () => {
  test("for want of its vendor's key keeps a denying guardrail shut", async () => {
    const { result: answer, seen } = await calls(upstream, () =>
      asking(input({ "partner_c.scanPrompt": { scanners: ["pii"] }, deny: true })),
    );
    expect({ status: answer.status, seen, results: resultsIn(answer) }).toMatchObject({
      status: 446,
      seen: [],
      results: [
        { verdict: false, checks: [{ error: { name: "Authentication error", message: expect.stringContaining("PARTNER_C_API_KEY") } }] },
      ],
    });
    expect((await asking(input({ "partner_c.scanPrompt": { scanners: ["pii"] } }))).status).toBe(200);
  });
  test("because its pack is disabled keeps a denying guardrail shut, saved or written in place", async () => {
    const check = { id: "default.regexMatch", parameters: { rule: "secret", not: true } };
    const [denying, telling] = [await saved([check]), await saved([check], false)];
    const reload = async (plugins: Json): Promise<void> => {
      writeProfile(plugins);
      expect((await ask(`${gateway.base}/admin/v2/generations`, "POST", ADMIN_KEY)).status).toBe(200);
    };
    await reload({ "guardrail/default": { enabled: false } });
    try {
      for (const guardrail of [denying, NO_SECRET]) {
        for (const side of [input, output]) {
          const { result: answer, seen } = await calls(upstream, () => asking(side(guardrail)));
          expect({ status: answer.status, asked: seen.length, error: answer.json["error"] }).toMatchObject({
            status: 446,
            asked: side === input ? 0 : 1,
            error: { type: "hooks_failed" },
          });
          expect(answer.text).not.toContain("said by the provider");
        }
        const streamed = await asking(output(guardrail), { stream: true });
        expect({ status: streamed.status, text: textIn(streamed) }).toEqual({ status: 446, text: "" });
      }
      expect((await asking(input(telling))).status).toBe(200);
      expect((await asking(input({ "default.nothing": {}, deny: true }))).status).toBe(400);
    } finally {
      await reload({});
    }
    expect((await asking(input(denying))).status).toBe(200);
    expect((await asking(input(denying), { text: "my secret" })).status).toBe(446);
  }, 15_000);
});
