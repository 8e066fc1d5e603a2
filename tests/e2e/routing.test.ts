/**
 * Routing through the running gateway: retries, fallbacks, shares, nested strategies, body shaping, timeouts, saved
 * configs and providers; and what must not happen: a credential, a header or a file that reaches another target.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { jsonAnswer, type Received, type Replay, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { quickest } from "../egress/support.ts";
import { ADMIN_KEY, type Answer, ask, chat, GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";

type Json = Readonly<Record<string, unknown>>;
type Play = Replay | ((request: Received) => Replay | Promise<Replay>);

/** Two providers with an OpenAI wire and one with Anthropic's, each a server of its own. */
let first: ReplayServer;
let second: ReplayServer;
let claude: ReplayServer;
/** One more with an OpenAI wire, which streams what the test tells it, when it tells it. */
let told: TellingServer;
let gateway: GatewayProcess;

beforeAll(async () => {
  [first, second, claude] = [replayServer(), replayServer(), replayServer()];
  told = tellingServer();
  const trusted = [first, second, claude, told].map(({ url }) => new URL(url).host).join(",");
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: trusted } });
});
beforeEach(() => {
  first.answer(said("first"));
  second.answer(said("second"));
  claude.answer(messageSaid("claude"));
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await Promise.all([first, second, claude, told].map((server) => server.close()));
});

/* ── what providers answer ───────────────────────────────────────────────────────────────────────────────────── */

const completion = (text: string): Json => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const said = (text: string): Replay => jsonAnswer(completion(text));
const messageSaid = (text: string): Replay =>
  jsonAnswer({
    id: "m",
    type: "message",
    role: "assistant",
    model: "c",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  });
const failing = (status: number, headers: Record<string, string> = {}): Replay =>
  jsonAnswer({ error: { message: `failed with ${status}`, type: "server_error" } }, { status, headers });
const chunk = (delta: Json, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const streamOf = (text: string): string => `${chunk({ role: "assistant", content: text })}${chunk({}, "stop")}data: [DONE]\n\n`;
/** Answers one after the other; the last for ever. */
const inTurn = (...replays: readonly Play[]): Play => {
  let at = 0;
  return (request) => {
    const play = replays[Math.min(at, replays.length - 1)] ?? failing(500);
    at += 1;
    return typeof play === "function" ? play(request) : play;
  };
};
/** Never answers. */
const never = (): Promise<Replay> => new Promise(() => undefined);
/** Begins to answer, and then says no more: the other side has to leave. */
const hanging: Replay = jsonAnswer("{", { ends: "hang" });

interface TellingServer {
  readonly url: string;
  /** Waits for a request, and goes on with its answer. */
  say(wire: string, then?: "end"): Promise<void>;
  close(): Promise<void>;
}
function tellingServer(): TellingServer {
  let arrived = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const stream = (): ReadableStream<Uint8Array> => new ReadableStream({ start: (controller) => arrived.resolve(controller) });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: () => new Response(stream(), { headers: { "content-type": "text/event-stream" } }),
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    async say(wire, then) {
      const controller = await arrived.promise;
      controller.enqueue(new TextEncoder().encode(wire));
      if (then !== "end") return;
      controller.close();
      arrived = Promise.withResolvers();
    },
    close: () => server.stop(true),
  };
}

/* ── how the tests ask ───────────────────────────────────────────────────────────────────────────────────────── */

const toFirst = (more: Json = {}): Json => ({ provider: "openai", api_key: "sk-first", custom_host: `${first.url}/v1`, ...more });
const toSecond = (more: Json = {}): Json => ({ provider: "openai", api_key: "sk-second", custom_host: `${second.url}/v1`, ...more });
const toTold = (more: Json = {}): Json => toFirst({ custom_host: `${told.url}/v1`, ...more });
const toClaude = (more: Json = {}): Json => ({ provider: "anthropic", api_key: "sk-claude", custom_host: `${claude.url}/v1`, ...more });
const FAST = { use_retry_after_headers: true };
const SOON = { "retry-after-ms": "1" };

const configured = (config: Json, body: Json = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(
    `${gateway.base}/v1/chat/completions`,
    "POST",
    GATEWAY_KEY,
    { model: "m", messages: [{ role: "user", content: "Hello" }], ...body },
    { "x-gateway-config": JSON.stringify(config), ...headers },
  );
/** A stream whose client reads it as it comes. */
async function opened(config: Json): Promise<{ until(text: string): Promise<void>; rest(): Promise<string> }> {
  const response = await fetch(`${gateway.base}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-gateway-api-key": GATEWAY_KEY, "x-gateway-config": JSON.stringify(config) },
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] }),
  });
  const reader = (response.body ?? expect.unreachable()).getReader();
  const decoder = new TextDecoder();
  let text = "";
  const read = async (enough: () => boolean): Promise<void> => {
    while (!enough()) {
      const { value, done } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
    }
  };
  return {
    until: (wanted) => read(() => text.includes(wanted)),
    rest: async () => {
      await read(() => false);
      return text;
    },
  };
}
const fallback = (targets: readonly Json[], strategy: Json = {}, more: Json = {}): Json => ({
  strategy: { mode: "fallback", ...strategy },
  targets,
  ...more,
});
const textIn = ({ json }: Answer): unknown => (json as { choices?: { message: { content: string } }[] }).choices?.[0]?.message.content;
const usedBy = ({ headers }: Answer): string | null => headers.get("x-gateway-last-used-option-index");
/** How often each provider is asked meanwhile. */
async function counting<T>(
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly asked: readonly number[]; readonly seen: readonly Received[] }> {
  const servers = [first, second, claude];
  const before = servers.map(({ received }) => received.length);
  const result = await run();
  return {
    result,
    asked: servers.map(({ received }, i) => received.length - (before[i] ?? 0)),
    seen: servers.flatMap(({ received }, i) => received.slice(before[i])),
  };
}
const admin = async (path: string, body: Json): Promise<Record<string, never>> => {
  const answer = await ask(`${gateway.base}${path}`, "POST", ADMIN_KEY, { workspace_id: "default", ...body });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return answer.json;
};

/* ── retry ───────────────────────────────────────────────────────────────────────────────────────────────────── */

describe("retry", () => {
  const retrying = (retry: Json, more: Json = {}): Json => toFirst({ retry: { ...FAST, ...retry }, ...more });

  test(verifies("D3.retries", "repeats a failed call, and counts"), async () => {
    first.answer(inTurn(failing(500, SOON), failing(503, SOON), said("at last")));
    const { result, asked } = await counting(() => configured(retrying({ attempts: 3 })));
    expect({ status: result.status, text: textIn(result), count: result.headers.get("x-gateway-retry-attempt-count"), asked }).toEqual({
      status: 200,
      text: "at last",
      count: "2",
      asked: [3, 0, 0],
    });
  });
  test(verifies("D3.retries", "gives up after its attempts, says -1, and hands the provider's error on"), async () => {
    first.answer(failing(503, SOON));
    const { result, asked } = await counting(() => configured(retrying({ attempts: 2 })));
    expect({ status: result.status, count: result.headers.get("x-gateway-retry-attempt-count"), asked }).toEqual({
      status: 503,
      count: "-1",
      asked: [3, 0, 0],
    });
    expect(result.text).toContain("failed with 503");
  });
  test("more than five attempts are five", async () => {
    first.answer(failing(500, SOON));
    expect((await counting(() => configured(retrying({ attempts: 50 })))).asked).toEqual([6, 0, 0]);
  });
  test.each([
    [400, 1],
    [404, 1],
    [408, 1],
    [429, 2],
    [500, 2],
    [502, 2],
    [503, 2],
    [504, 2],
    [529, 2],
  ])("by default a %d is asked %d times", async (status, times) => {
    first.answer(failing(status, SOON));
    expect((await counting(() => configured(retrying({ attempts: 1 })))).asked).toEqual([times, 0, 0]);
  });
  test("on_status_codes replaces the default list", async () => {
    first.answer(failing(404, SOON));
    expect((await counting(() => configured(retrying({ attempts: 1, on_status_codes: [404] })))).asked).toEqual([2, 0, 0]);
    first.answer(failing(500, SOON));
    expect((await counting(() => configured(retrying({ attempts: 1, on_status_codes: [404] })))).asked).toEqual([1, 0, 0]);
  });
  test(verifies("D3.retries", "an answer at the first try counts 0"), async () =>
    expect((await configured(retrying({ attempts: 2 }))).headers.get("x-gateway-retry-attempt-count")).toBe("0"),
  );
  test("waits as long as a 429 says, though not asked to look at the header", async () => {
    const waited = async (): Promise<number> => {
      const at: number[] = [];
      const noting =
        (replay: Replay): Play =>
        () => {
          at.push(performance.now());
          return replay;
        };
      first.answer(inTurn(noting(failing(429, { "retry-after-ms": "150" })), noting(said("ok"))));
      await configured(toFirst({ retry: { attempts: 1 } }));
      return (at[1] ?? 0) - (at[0] ?? 0);
    };
    const least = await quickest(499, waited);
    expect(least).toBeGreaterThanOrEqual(149);
    expect(least).toBeLessThan(499); // the backoff without the header is 500 ms or more
  });
  test("a Retry-After beyond 60 s is not waited for", async () => {
    first.answer(failing(429, { "retry-after": "61" }));
    const startedAt = performance.now();
    expect((await configured(toFirst({ retry: { attempts: 3 } }))).status).toBe(429);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
  test("a wait beyond the request's deadline is not begun", async () => {
    first.answer(failing(429, { "retry-after": "30" }));
    const startedAt = performance.now();
    expect((await configured(toFirst({ retry: { attempts: 3 } }), {}, { "x-gateway-request-timeout": "2000" })).status).toBe(429);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
  test("a stream that begins with an error is retried like a status", async () => {
    first.answer(
      inTurn(
        sseAnswer('data: {"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit_exceeded"}}\n\n', { headers: SOON }),
        sseAnswer(streamOf("streamed")),
      ),
    );
    const { result, asked } = await counting(() =>
      configured(toFirst({ retry: { attempts: 1, on_status_codes: [429], ...FAST } }), { stream: true }),
    );
    expect(asked).toEqual([2, 0, 0]);
    expect(result.text).toContain("streamed");
  }, 10_000);
});

/* ── fallback ────────────────────────────────────────────────────────────────────────────────────────────────── */

describe("fallback", () => {
  test.each([400, 401, 404, 408, 429, 500, 503])("goes on after a %d, whatever the status", async (status) => {
    first.answer(failing(status));
    const { result, asked } = await counting(() => configured(fallback([toFirst(), toSecond()])));
    expect({ text: textIn(result), used: usedBy(result), asked }).toEqual({ text: "second", used: "config.targets[1]", asked: [1, 1, 0] });
  });
  test("stops at the first answer", async () => {
    const { result, asked } = await counting(() => configured(fallback([toFirst(), toSecond()])));
    expect({ text: textIn(result), used: usedBy(result), asked }).toEqual({ text: "first", used: "config.targets[0]", asked: [1, 0, 0] });
  });
  test("with on_status_codes only those go on", async () => {
    first.answer(failing(500));
    const stopped = await counting(() => configured(fallback([toFirst(), toSecond()], { on_status_codes: [429] })));
    expect({ status: stopped.result.status, asked: stopped.asked }).toEqual({ status: 500, asked: [1, 0, 0] });
    first.answer(failing(429));
    expect((await counting(() => configured(fallback([toFirst(), toSecond()], { on_status_codes: [429] })))).asked).toEqual([1, 1, 0]);
  });
  test("the last target's error is the answer when all fail", async () => {
    first.answer(failing(500));
    second.answer(failing(429));
    const answer = await configured(fallback([toFirst(), toSecond()]));
    expect({ status: answer.status, used: usedBy(answer) }).toEqual({ status: 429, used: "config.targets[1]" });
  });
  test("each target retries for itself first", async () => {
    first.answer(failing(500, SOON));
    const { result, asked } = await counting(() => configured(fallback([toFirst(), toSecond()], {}, { retry: { attempts: 2, ...FAST } })));
    expect({ asked, count: result.headers.get("x-gateway-retry-attempt-count") }).toEqual({ asked: [3, 1, 0], count: "0" });
  });
  test("a host that cannot be reached goes on", async () => {
    const gone = replayServer();
    await gone.close();
    const nowhere = { provider: "openai", api_key: "k", custom_host: `${gone.url}/v1` };
    const answer = await configured(fallback([{ ...nowhere, custom_host: "https://nobody.invalid-name-of-a-test.com/v1" }, toSecond()]));
    expect(answer.status).toBe(400); // a name that is not found may be a private one: the gateway's own answer
    const trusted = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: `${new URL(gone.url).host},${new URL(second.url).host}` } });
    try {
      const reached = await chat(
        trusted,
        {},
        { "x-gateway-provider": "", "x-gateway-config": JSON.stringify(fallback([nowhere, toSecond()])) },
      );
      expect({ status: reached.status, text: textIn(reached) }).toEqual({ status: 200, text: "second" });
    } finally {
      await trusted.stop();
      trusted.remove();
    }
  }, 15_000);
  test("a denial by a guardrail (446) goes on", async () => {
    const denying = { input_guardrails: [{ "default.regexMatch": { rule: "Hello", not: true }, deny: true }] };
    const { result, asked } = await counting(() => configured(fallback([toFirst(denying), toSecond()])));
    expect({ status: result.status, text: textIn(result), asked }).toEqual({ status: 200, text: "second", asked: [0, 1, 0] });
    const listed = await counting(() => configured(fallback([toFirst(denying), toSecond()], { on_status_codes: [500] })));
    expect({ status: listed.result.status, asked: listed.asked }).toEqual({ status: 446, asked: [0, 0, 0] });
  });
  test.each<[string, Json]>([
    ["an unknown provider", { provider: "nobody", api_key: "k" }],
    ["an unknown saved provider", { provider: "@nobody" }],
    ["a private host", { provider: "openai", api_key: "k", custom_host: "http://127.0.0.1:1/v1" }],
    ["an operation the provider does not serve", { provider: "anthropic", api_key: "k" }],
    ["an unknown guardrail", { provider: "openai", api_key: "k", input_guardrails: ["pg-nobody"] }],
  ])("the gateway's own answer to %s stops it", async (what, target) => {
    const images = what.startsWith("an operation");
    const { result, asked } = await counting(() =>
      images
        ? ask(
            `${gateway.base}/v1/images/generations`,
            "POST",
            GATEWAY_KEY,
            { prompt: "x" },
            { "x-gateway-config": JSON.stringify(fallback([target, toSecond()])) },
          )
        : configured(fallback([target, toSecond()])),
    );
    expect({ status: result.status, asked }).toEqual({ status: 400, asked: [0, 0, 0] });
  });

  describe("of a stream", () => {
    const streamed = (config: Json): Promise<Answer> => configured(config, { stream: true });
    test.each<[string, Replay]>([
      ["an error", sseAnswer('data: {"error":{"message":"overloaded","type":"server_error"}}\n\n')],
      ["nothing", sseAnswer("")],
      ["comments only", sseAnswer(": ping\n\n: ping\n\n")],
      ["the end only", sseAnswer("data: [DONE]\n\n")],
      ["an error status", failing(503)],
      ["no JSON", sseAnswer("data: <html>\n\n")],
    ])("that begins with %s goes on", async (_, replay) => {
      first.answer(replay);
      second.answer(sseAnswer(streamOf("second")));
      const { result, asked } = await counting(() => streamed(fallback([toFirst(), toSecond()])));
      expect({ status: result.status, used: usedBy(result), asked }).toEqual({ status: 200, used: "config.targets[1]", asked: [1, 1, 0] });
      expect(result.text).toContain("second");
      expect(result.text).not.toContain("error");
      expect(result.text).toEndWith("data: [DONE]\n\n");
    });
    test("whose first event is an error lets its provider go", async () => {
      first.answer(sseAnswer('data: {"error":{"message":"overloaded","type":"server_error"}}\n\n', { ends: "hang" }));
      second.answer(sseAnswer(streamOf("second")));
      const { seen } = await counting(() => streamed(fallback([toFirst(), toSecond()])));
      await within("the first provider is let go", seen[0]?.cut);
    });
    test(verifies("D6.begun", "does not go on once bytes were sent: the client gets an error event"), async () => {
      const { result: text, asked } = await counting(async () => {
        const opening = opened(fallback([toTold(), toSecond()]));
        await told.say(chunk({ role: "assistant", content: "begun" }));
        const stream = await opening;
        await stream.until("begun");
        await told.say('data: {"error":{"message":"died","type":"server_error"}}\n\n', "end");
        return stream.rest();
      });
      expect(asked).toEqual([0, 0, 0]);
      expect(text).toContain('"error"');
      expect(text).not.toContain("[DONE]");
    });
    test(verifies("D6.overload", "on a wire that is translated, too"), async () => {
      claude.answer(sseAnswer('event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'));
      second.answer(sseAnswer(streamOf("second")));
      const { result, asked } = await counting(() => streamed(fallback([toClaude(), toSecond()])));
      expect({ asked, used: usedBy(result) }).toEqual({ asked: [0, 1, 1], used: "config.targets[1]" });
    });
    test.each<[string, () => Json, string]>([
      ["openai's", toFirst, "true"],
      ["openai's, for a client that is not strict", toFirst, "false"],
      ["anthropic's", toClaude, "true"],
    ])("that nobody will read after a failed check (246) is let go: %s", async (_, target, strict) => {
      first.answer(sseAnswer(chunk({ role: "assistant", content: "first" }), { ends: "hang" }));
      claude.answer(
        sseAnswer('event: message_start\ndata: {"type":"message_start","message":{"id":"m","model":"c","usage":{"input_tokens":1}}}\n\n', {
          ends: "hang",
        }),
      );
      second.answer(sseAnswer(streamOf("second")));
      const failed = { input_guardrails: [{ "default.regexMatch": { rule: "Hello", not: true } }] };
      const { seen, result } = await counting(() =>
        configured(
          fallback([{ ...target(), ...failed }, toSecond()], { on_status_codes: [246] }),
          { stream: true },
          { "x-gateway-strict-open-ai-compliance": strict },
        ),
      );
      expect(usedBy(result)).toBe("config.targets[1]");
      await within(
        "the first provider is let go",
        seen.find(({ path, headers }) => path.endsWith("/messages") || headers.get("authorization") === "Bearer sk-first")?.cut,
      );
    });
  });
});
const within = (what: string, promise: Promise<number> | undefined, ms = 3_000): Promise<number> =>
  Promise.race([
    promise ?? expect.unreachable(),
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error(`not within ${ms} ms: ${what}`)), ms).unref()),
  ]);

/* ── shares and nesting ──────────────────────────────────────────────────────────────────────────────────────── */

describe("loadbalance", () => {
  const sandbox = (weight?: number): Json => ({ provider: "sandbox", ...(weight !== undefined && { weight }) });
  async function shares(config: Json, requests: number): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    let left = requests;
    await Promise.all(
      Array.from({ length: 24 }, async () => {
        while (left-- > 0) {
          const answer = await configured(config);
          const key = answer.status === 200 ? String(usedBy(answer)) : `status ${answer.status}`;
          counts[key] = (counts[key] ?? 0) + 1;
        }
      }),
    );
    return counts;
  }
  test("gives each target its share, and one of weight 0 nothing", async () => {
    const counts = await shares(
      { strategy: { mode: "loadbalance" }, targets: [sandbox(0.6), sandbox(0), sandbox(0.3), sandbox(0.1)] },
      2_000,
    );
    expect(Object.keys(counts).sort()).toEqual(["config.targets[0]", "config.targets[2]", "config.targets[3]"]);
    for (const [path, share] of [
      ["config.targets[0]", 1_200],
      ["config.targets[2]", 600],
      ["config.targets[3]", 200],
    ] as const)
      expect(Math.abs((counts[path] ?? 0) - share)).toBeLessThan(130); // six standard deviations
  }, 30_000);
  test("a missing weight is 1", async () => {
    const counts = await shares({ strategy: { mode: "loadbalance" }, targets: [sandbox(), sandbox(3)] }, 400);
    expect(counts["config.targets[0]"]).toBeGreaterThan(40);
    expect(counts["config.targets[0]"]).toBeLessThan(160);
  });
  test("does not go on to another target", async () => {
    first.answer(failing(500));
    const { result, asked } = await counting(() =>
      configured({ strategy: { mode: "loadbalance" }, targets: [toFirst(), toSecond({ weight: 0 })] }),
    );
    expect({ status: result.status, asked }).toEqual({ status: 500, asked: [1, 0, 0] });
  });
  test("when every weight is 0 the config is refused, not half obeyed", async () => {
    expect(
      (await configured({ strategy: { mode: "loadbalance" }, targets: [toFirst({ weight: 0 }), toSecond({ weight: 0 })] })).status,
    ).toBe(400);
  });
});

describe("nested strategies", () => {
  const balanced = (...targets: readonly Json[]): Json => ({ strategy: { mode: "loadbalance" }, targets });
  test(verifies("D3.used-target", "the answer names the path of the target that gave it"), async () => {
    first.answer(failing(500));
    const answer = await configured(fallback([toFirst(), balanced(toSecond({ weight: 0 }), fallback([toFirst(), toClaude()]))]));
    expect({ status: answer.status, text: textIn(answer), used: usedBy(answer) }).toEqual({
      status: 200,
      text: "claude",
      used: "config.targets[1].targets[1].targets[1]",
    });
    expect(answer.headers.get("x-gateway-provider")).toBe("anthropic");
  });
  test(verifies("D3.used-target", "a plain config is `config`"), async () => expect(usedBy(await configured(toFirst()))).toBe("config"));
  test("settings are inherited, and a target's own win", async () => {
    const config = fallback(
      [toFirst(), balanced(toSecond({ override_params: { top_p: 0.2 } }))],
      {},
      { override_params: { temperature: 0.1, top_p: 0.9 } },
    );
    first.answer(failing(500));
    const { seen } = await counting(() => configured(config, { temperature: 1 }));
    expect(seen.map((request) => request.json())).toMatchObject([
      { temperature: 0.1, top_p: 0.9 },
      { temperature: 0.1, top_p: 0.2 },
    ]);
  });
  test("a mode nobody provides is refused, however deep", async () => {
    const { result, asked } = await counting(() =>
      configured(fallback([toFirst(), { strategy: { mode: "magic" }, targets: [toSecond()] }])),
    );
    expect({ status: result.status, asked }).toEqual({ status: 400, asked: [0, 0, 0] });
    expect(result.text).toContain("magic");
  });
});

/* ── body, time, place ───────────────────────────────────────────────────────────────────────────────────────── */

describe("the body", () => {
  const sent = async (config: Json, body: Json): Promise<unknown> => (await counting(() => configured(config, body))).seen[0]?.json();
  test("override_params are always set, default_params where the client said nothing, drop_params last", async () => {
    const config = toFirst({
      override_params: { temperature: 0, seed: 7 },
      default_params: { top_p: 0.5, user: "nobody" },
      drop_params: ["seed", "tools[*].function.strict", "nothing.here"],
    });
    const tool = { type: "function", function: { name: "f", parameters: {}, strict: true } };
    expect(await sent(config, { temperature: 1, user: "me", tools: [tool, tool], x_unknown: { kept: [1, null] } })).toEqual({
      model: "m",
      messages: [{ role: "user", content: "Hello" }],
      temperature: 0,
      top_p: 0.5,
      user: "me",
      x_unknown: { kept: [1, null] },
      tools: Array(2).fill({ type: "function", function: { name: "f", parameters: {} } }),
    });
  });
  test("an overridden model is the one that is asked", async () =>
    expect(await sent(toFirst({ override_params: { model: "other" } }), {})).toMatchObject({ model: "other" }));
  test("one target's parameters do not reach the next", async () => {
    first.answer(failing(500));
    const { seen } = await counting(() =>
      configured(fallback([toFirst({ override_params: { model: "a", seed: 1 }, drop_params: ["user"] }), toSecond()]), { user: "me" }),
    );
    expect(seen.map((request) => request.json())).toEqual([
      { model: "a", messages: [{ role: "user", content: "Hello" }], seed: 1 },
      { model: "m", messages: [{ role: "user", content: "Hello" }], user: "me" },
    ]);
  });
});

describe("a timeout", () => {
  test("is a 408 in the documented form", async () => {
    first.answer(never);
    const answer = await configured(toFirst({ request_timeout: 80 }));
    expect({ status: answer.status, json: answer.json as unknown }).toMatchObject({
      status: 408,
      json: { error: { type: "timeout_error", message: expect.stringContaining("80 ms") } },
    });
  });
  test.each<[string, Play]>([
    ["that never answers", never],
    ["whose answer never ends", hanging],
  ])("goes on from a provider %s", async (_, play) => {
    first.answer(play);
    const { result } = await counting(() => configured(fallback([toFirst({ request_timeout: 80 }), toSecond()])));
    expect({ status: result.status, text: textIn(result) }).toEqual({ status: 200, text: "second" });
  });
  test("cuts the provider", async () => {
    first.answer(hanging);
    const { result, seen } = await counting(() => configured(fallback([toFirst({ request_timeout: 80 }), toSecond()])));
    expect({ status: result.status, text: textIn(result) }).toEqual({ status: 200, text: "second" });
    await within("the slow provider is cut", seen[0]?.cut);
  });
  test("is retried when 408 is listed", async () => {
    first.answer(inTurn(never, said("quick")));
    const answer = await configured(toFirst({ request_timeout: 80, retry: { attempts: 1, on_status_codes: [408] } }));
    expect({ text: textIn(answer), count: answer.headers.get("x-gateway-retry-attempt-count") }).toEqual({ text: "quick", count: "1" });
  });
  test("of the header holds where the config has none", async () => {
    first.answer(never);
    expect((await configured(toFirst(), {}, { "x-gateway-request-timeout": "80" })).status).toBe(408);
    second.answer(never);
    first.answer(async () => {
      expect((await configured(toSecond(), {}, { "x-gateway-request-timeout": "80" })).status).toBe(408); // so long it takes to answer
      return said("slow");
    });
    expect(textIn(await configured(toFirst({ request_timeout: 5_000 }), {}, { "x-gateway-request-timeout": "80" }))).toBe("slow");
  });
  test("does not cut a stream that has begun", async () => {
    const asked = configured(toTold({ request_timeout: 100 }), { stream: true });
    await told.say(chunk({ role: "assistant", content: "begun" }));
    first.answer(never);
    expect((await configured(toFirst({ request_timeout: 200 }))).status).toBe(408); // so long it has been now
    await told.say(`${chunk({}, "stop")}data: [DONE]\n\n`, "end");
    expect((await asked).text).toEndWith("data: [DONE]\n\n");
  });
});

/* ── saved configs and providers ─────────────────────────────────────────────────────────────────────────────── */

describe("a saved config", () => {
  const save = async (config: Json): Promise<string> => String((await admin("/v2/configs", { name: "saved", config }))["data"]?.["slug"]);
  const withKey = (key: string, headers: Record<string, string> = {}): Promise<Answer> =>
    ask(`${gateway.base}/v1/chat/completions`, "POST", key, { model: "m", messages: [{ role: "user", content: "Hello" }] }, headers);

  test("is used by its slug, with the credentials saved in it", async () => {
    const slug = await save(fallback([toFirst(), toSecond()]));
    first.answer(failing(500));
    const { result, seen } = await counting(() => withKey(GATEWAY_KEY, { "x-gateway-config": slug }));
    expect({ text: textIn(result), used: usedBy(result) }).toEqual({ text: "second", used: "config.targets[1]" });
    expect(seen.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer sk-first", "Bearer sk-second"]);
  });
  test("is the default of a key that names it, and a request's own replaces it", async () => {
    const slug = await save(toFirst());
    const key = String(
      (await admin("/v2/api-keys/service", { name: "defaulted", scopes: ["completions.write"], defaults: { config_id: slug } }))["key"],
    );
    expect(textIn(await withKey(key))).toBe("first");
    expect(textIn(await withKey(key, { "x-gateway-config": JSON.stringify(toSecond()) }))).toBe("second");
  });
  test("pins a key that may not override it", async () => {
    const slug = await save(toFirst());
    const key = String(
      (
        await admin("/v2/api-keys/service", {
          name: "pinned",
          scopes: ["completions.write"],
          defaults: { config_id: slug, allow_config_override: false },
        })
      )["key"],
    );
    expect(textIn(await withKey(key))).toBe("first");
    expect(textIn(await withKey(key, { "x-gateway-config": slug }))).toBe("first");
    const { result, asked } = await counting(() => withKey(key, { "x-gateway-config": JSON.stringify(toSecond()) }));
    expect({ status: result.status, asked }).toEqual({ status: 400, asked: [0, 0, 0] });
  });
  test(verifies("5.not-leaked", "keeps the credentials saved in it from a host that the request names"), async () => {
    const slug = await save({ provider: "openai", api_key: "sk-saved-in-config" });
    const { result, asked } = await counting(() =>
      withKey(GATEWAY_KEY, { "x-gateway-config": slug, "x-gateway-custom-host": `${second.url}/v1` }),
    );
    expect({ status: result.status, asked }).toEqual({ status: 400, asked: [0, 0, 0] });
  });
});

describe("a saved provider", () => {
  const save = async (slug: string, integration: Json): Promise<void> => {
    const made = await admin("/admin/v2/integrations", { name: slug, slug: `i-${slug}`, create_default_provider: false, ...integration });
    await admin("/v2/providers", { name: slug, slug, integration_id: made["id"] });
  };
  const asking = (provider: string, headers: Record<string, string> = {}, model = "m"): Promise<Answer> =>
    ask(
      `${gateway.base}/v1/chat/completions`,
      "POST",
      GATEWAY_KEY,
      { model, messages: [{ role: "user", content: "Hello" }] },
      { ...(provider !== "" && { "x-gateway-provider": provider }), ...headers },
    );

  test(verifies("D7.1.model-slug", "brings its host and its key; the client's own credential stays away"), async () => {
    await save("team", { ai_provider_id: "openai", key: "sk-saved", configurations: { custom_host: `${first.url}/v1` } });
    const { seen, result } = await counting(() => asking("@team", { authorization: "Bearer sk-of-the-client" }));
    expect(textIn(result)).toBe("first");
    expect(seen[0]?.headers.get("authorization")).toBe("Bearer sk-saved");
    expect(textIn(await asking("", {}, "@team/m"))).toBe("first");
    expect(first.received.at(-1)?.json()).toMatchObject({ model: "m" });
  });
  test("its key is never sent to a host that the request names", async () => {
    await save("public", { ai_provider_id: "openai", key: "sk-saved-public" });
    await save("own-host", { ai_provider_id: "openai", key: "sk-saved-own", configurations: { custom_host: `${first.url}/v1` } });
    for (const provider of ["@public", "@own-host"]) {
      for (const ways of [
        () => asking(provider, { "x-gateway-custom-host": `${second.url}/v1` }),
        () => configured({ provider, custom_host: `${second.url}/v1` }),
        () => configured(fallback([{ provider, custom_host: `${second.url}/v1` }])),
      ]) {
        const { result, asked } = await counting(ways);
        expect({ provider, status: result.status, asked }).toEqual({ provider, status: 400, asked: [0, 0, 0] });
      }
    }
  });
});

/* ── what must not reach the next target ─────────────────────────────────────────────────────────────────────── */

describe("one target's credentials and headers", () => {
  const CREDENTIALS = ["authorization", "x-api-key", "api-key", "x-goog-api-key", "anthropic-version", "openai-organization", "x-tenant"];
  const sentTo = (seen: readonly Received[]): Json[] =>
    seen.map(({ headers }) => Object.fromEntries(CREDENTIALS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : []))));
  const FIRST = { authorization: "Bearer sk-first", "openai-organization": "org-of-first", "x-tenant": "acme" };
  const SECOND = { authorization: "Bearer sk-second" };
  const CLAUDE = { "x-api-key": "sk-claude", "anthropic-version": "2023-06-01" };

  test.each([
    ["openai first", [0, 1, 2]],
    ["anthropic first", [2, 0, 1]],
    ["anthropic in the middle", [1, 2, 0]],
  ] as const)("never reach the next: %s", async (_, order) => {
    for (const server of [first, second, claude]) server.answer(failing(500));
    const targets = [toFirst({ openai_organization: "org-of-first", forward_headers: ["x-tenant"] }), toSecond(), toClaude()];
    const { seen, asked } = await counting(() => configured(fallback(order.map((i) => targets[i] ?? {})), {}, { "x-tenant": "acme" }));
    expect(asked).toEqual([1, 1, 1]);
    expect(sentTo(seen)).toEqual([FIRST, SECOND, CLAUDE]);
  });
  test("the gateway's own key reaches none, however it came", async () => {
    for (const server of [first, second, claude]) server.answer(failing(500));
    const bare = fallback([
      { provider: "openai", custom_host: `${first.url}/v1`, forward_headers: ["authorization"] },
      { provider: "anthropic", custom_host: `${claude.url}/v1` },
    ]);
    const { seen, asked } = await counting(() =>
      ask(
        `${gateway.base}/v1/chat/completions`,
        "POST",
        null,
        { model: "m", messages: [{ role: "user", content: "Hello" }] },
        { authorization: `Bearer ${GATEWAY_KEY}`, "x-gateway-config": JSON.stringify(bare) },
      ),
    );
    expect(asked).toEqual([1, 0, 1]);
    for (const { headers } of seen) expect(JSON.stringify([...headers])).not.toContain(GATEWAY_KEY);
  });
});

/* ── files ───────────────────────────────────────────────────────────────────────────────────────────────────── */

describe("an image edit", () => {
  const image = new Uint8Array(300_000).map((_, i) => (i * 31) % 251);
  const edit = async (config: Json): Promise<Answer> => {
    const form = new FormData();
    form.set("prompt", "a hat");
    form.set("model", "gpt-image");
    form.set("image", new Blob([image], { type: "image/png" }), "cat.png");
    const response = await fetch(`${gateway.base}/v1/images/edits`, {
      method: "POST",
      headers: { "x-gateway-api-key": GATEWAY_KEY, "x-gateway-config": JSON.stringify(config) },
      body: form,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: text.startsWith("{") ? JSON.parse(text) : {} };
  };
  const IMAGES = jsonAnswer({ created: 1, data: [{ b64_json: "AAAA" }] });
  const expectForm = async (seen: Received | undefined): Promise<void> => {
    const form = await new Response(seen?.body as Uint8Array<ArrayBuffer>, {
      headers: { "content-type": seen?.headers.get("content-type") ?? "" },
    }).formData(); // bytes of a request are never shared memory
    const file = form.get("image") as Blob;
    expect({ prompt: form.get("prompt"), path: seen?.path, bytes: Buffer.from(await file.arrayBuffer()).equals(image) }).toEqual({
      prompt: "a hat",
      path: "/v1/images/edits",
      bytes: true,
    });
  };
  beforeEach(() => {
    first.answer(IMAGES);
    second.answer(IMAGES);
  });

  test("goes to its target alone, byte for byte", async () => {
    const { result, asked, seen } = await counting(() => edit(fallback([toFirst(), toSecond()])));
    expect({ status: result.status, asked }).toEqual({ status: 200, asked: [1, 0, 0] });
    await expectForm(seen[0]);
  });
  test("goes to the next target, whole, when the first fails", async () => {
    first.answer(failing(500));
    const { result, asked, seen } = await counting(() => edit(fallback([toFirst(), toSecond()])));
    expect({ status: result.status, asked, used: usedBy(result) }).toEqual({ status: 200, asked: [1, 1, 0], used: "config.targets[1]" });
    await expectForm(seen[1]);
  });
  test("is sent again when it is retried", async () => {
    first.answer(inTurn(failing(500, SOON), IMAGES));
    const { result, asked, seen } = await counting(() => edit(toFirst({ retry: { attempts: 1, ...FAST } })));
    expect({ status: result.status, asked }).toEqual({ status: 200, asked: [2, 0, 0] });
    await expectForm(seen[1]);
  });
  test("is judged by the target's guardrails, and a denial sends nothing", async () => {
    const { result, asked } = await counting(() =>
      edit(toFirst({ input_guardrails: [{ "default.contains": { words: ["hat"], operator: "none" }, deny: true }] })),
    );
    expect({ status: result.status, asked }).toEqual({ status: 446, asked: [0, 0, 0] });
  });
});
