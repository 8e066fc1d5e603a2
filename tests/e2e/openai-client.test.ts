/** The official OpenAI client against the running gateway. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { jsonAnswer, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { quickest } from "../egress/support.ts";
import { GATEWAY_KEY, type GatewayProcess, startGateway, until } from "./process.ts";

let upstream: ReplayServer;
let gateway: GatewayProcess;
let client: OpenAI;

beforeAll(async () => {
  upstream = replayServer();
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
  client = new OpenAI({
    apiKey: "sk-provider-key",
    baseURL: `${gateway.base}/v1`,
    maxRetries: 0,
    defaultHeaders: { "x-gateway-api-key": GATEWAY_KEY, "x-gateway-provider": "openai", "x-gateway-custom-host": `${upstream.url}/v1` },
  });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const messages = [{ role: "user" as const, content: "Hello" }];
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-x", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const usageChunk = `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-x", choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } })}\n\n`;
const done = "data: [DONE]\n\n";
const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-x",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi there" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};

describe("the official client", () => {
  test(verifies("1.tag-chat", "gets a chat completion, and the provider gets its own key"), async () => {
    upstream.answer(jsonAnswer(completion));
    const answer = await client.chat.completions.create({ model: "gpt-x", messages });
    expect(answer.choices[0]?.message.content).toBe("Hi there");
    expect(answer.usage?.total_tokens).toBe(5);
    const seen = upstream.received.at(-1);
    expect(seen?.headers.get("authorization")).toBe("Bearer sk-provider-key");
    expect([...(seen?.headers.keys() ?? [])].filter((name) => name.startsWith("x-gateway-") && name !== "x-gateway-hop")).toEqual([]);
  });

  test(verifies("1.data-plane", "gets a stream; usage is asked for on its behalf and hidden again"), async () => {
    upstream.answer(
      sseAnswer(
        chunk({ role: "assistant", content: "" }) +
          chunk({ content: "Hi" }) +
          chunk({ content: " there" }) +
          chunk({}, "stop") +
          usageChunk +
          done,
      ),
    );
    const chunks = [];
    for await (const part of await client.chat.completions.create({ model: "gpt-x", messages, stream: true })) chunks.push(part);
    expect(chunks.map((part) => part.choices[0]?.delta.content ?? "").join("")).toBe("Hi there");
    expect(chunks.some((part) => part.usage)).toBe(false);
    expect(upstream.received.at(-1)?.json()).toMatchObject({ stream_options: { include_usage: true } });
  });

  describe("that names an organisation and a project", () => {
    const named = (headers: Record<string, string> = {}): OpenAI =>
      new OpenAI({
        apiKey: "sk-provider-key",
        baseURL: `${gateway.base}/v1`,
        maxRetries: 0,
        organization: "org-of-client",
        project: "proj-of-client",
        defaultHeaders: { "x-gateway-api-key": GATEWAY_KEY, "x-gateway-custom-host": `${upstream.url}/v1`, ...headers },
      });
    const NAMES = ["openai-organization", "openai-project"];
    const sentNames = (): (string | null | undefined)[] => NAMES.map((name) => upstream.received.at(-1)?.headers.get(name));

    test("has them told to OpenAI, whatever it asks for", async () => {
      const asking = named({ "x-gateway-provider": "openai" });
      upstream.answer(jsonAnswer(completion));
      await asking.chat.completions.create({ model: "gpt-x", messages });
      expect(sentNames()).toEqual(["org-of-client", "proj-of-client"]);
      upstream.answer(jsonAnswer({ object: "list", data: [] }));
      await asking.models.list();
      expect(sentNames()).toEqual(["org-of-client", "proj-of-client"]);
    });
    test("has what the gateway was told for OpenAI instead, where it was", async () => {
      upstream.answer(jsonAnswer(completion));
      const told = { "x-gateway-provider": "openai", "x-gateway-openai-organization": "org-of-header" };
      await named(told).chat.completions.create({ model: "gpt-x", messages });
      expect(sentNames()).toEqual(["org-of-header", "proj-of-client"]);
      const config = { provider: "openai", openai_organization: "org-of-config", openai_project: "proj-of-config" };
      await named({ "x-gateway-config": JSON.stringify(config) }).chat.completions.create({ model: "gpt-x", messages });
      expect(sentNames()).toEqual(["org-of-config", "proj-of-config"]);
    });
    test.each(["groq", "mistral-ai", "openai-compatible", "openrouter"])("has them told to no other: %s", async (provider) => {
      upstream.answer(jsonAnswer(completion));
      await named({ "x-gateway-provider": provider }).chat.completions.create({ model: "m", messages });
      expect(sentNames()).toEqual([null, null]);
    });
    test("does not have a key of the gateway told in their place", async () => {
      upstream.answer(jsonAnswer(completion));
      await client.chat.completions.create({ model: "gpt-x", messages }, { headers: { "openai-organization": GATEWAY_KEY } });
      expect(sentNames()).toEqual([null, null]);
    });
  });

  test(verifies("D6.usage", "gets the usage chunk when it asks for it"), async () => {
    const chunks = [];
    for await (const part of await client.chat.completions.create({
      model: "gpt-x",
      messages,
      stream: true,
      stream_options: { include_usage: true },
    }))
      chunks.push(part);
    expect(chunks.at(-1)?.usage?.total_tokens).toBe(5);
  });

  test("gets tool calls, whole and streamed", async () => {
    const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } };
    upstream.answer(
      jsonAnswer({
        ...completion,
        choices: [{ index: 0, message: { role: "assistant", content: null, tool_calls: [call] }, finish_reason: "tool_calls" }],
      }),
    );
    const tools = [
      {
        type: "function" as const,
        function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
      },
    ];
    const whole = await client.chat.completions.create({ model: "gpt-x", messages, tools });
    expect(whole.choices[0]?.message.tool_calls?.[0]).toMatchObject(call);
    upstream.answer(
      sseAnswer(
        chunk({
          role: "assistant",
          tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } }],
        }) +
          chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }) +
          chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }) +
          chunk({}, "tool_calls") +
          done,
      ),
    );
    const final = await client.chat.completions.stream({ model: "gpt-x", messages, tools }).finalChatCompletion();
    expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      id: "call_1",
      function: { name: "weather", arguments: '{"city":"Oslo"}' },
    });
  });

  test("leaves in mid-stream, and the upstream is cut within 100 ms", async () => {
    upstream.answer(sseAnswer(chunk({ role: "assistant", content: "Hi" }), { ends: "hang" }));
    const tookMs = async (): Promise<number> => {
      const stream = await client.chat.completions.create({ model: "gpt-x", messages, stream: true });
      for await (const part of stream) if (part.choices[0]?.delta.content) break;
      const leftAt = performance.now();
      stream.controller.abort();
      const cutAt = await upstream.received.at(-1)?.cut;
      return (cutAt ?? Number.POSITIVE_INFINITY) - leftAt;
    };
    expect(await quickest(100, tookMs)).toBeLessThan(100);
  });

  test("leaves before a whole answer, and the upstream is cut within 100 ms", async () => {
    upstream.answer({ body: "{", ends: "hang", headers: { "content-type": "application/json" } });
    const tookMs = async (): Promise<number> => {
      const before = upstream.received.length;
      const controller = new AbortController();
      const asked = client.chat.completions
        .create({ model: "gpt-x", messages }, { signal: controller.signal })
        .catch((thrown: unknown) => thrown);
      const seen = await until("the upstream is asked", () => upstream.received[before]);
      const leftAt = performance.now();
      controller.abort();
      const cutAt = await seen.cut;
      expect(await asked).toBeInstanceOf(OpenAI.APIUserAbortError);
      return cutAt - leftAt;
    };
    expect(await quickest(100, tookMs)).toBeLessThan(100);
  });

  test.each([
    [400, OpenAI.BadRequestError],
    [401, OpenAI.AuthenticationError],
    [403, OpenAI.PermissionDeniedError],
    [404, OpenAI.NotFoundError],
    [422, OpenAI.UnprocessableEntityError],
    [429, OpenAI.RateLimitError],
    [500, OpenAI.InternalServerError],
    [503, OpenAI.InternalServerError],
  ])("maps an upstream's %d to its own error, with message, type and code", async (status, kind) => {
    upstream.answer(
      jsonAnswer({ error: { message: "it did not work", type: "some_type", param: "model", code: "some_code" } }, { status }),
    );
    const thrown = await client.chat.completions.create({ model: "gpt-x", messages }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(kind);
    expect(thrown).toMatchObject({ status, code: "some_code", type: "some_type", param: "model" });
    expect((thrown as Error).message).toContain("it did not work");
  });

  const RETRY_INFO = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "17s" };
  test.each<[string, string, object]>([
    ["openai", "innererror", { error: { message: "no", code: "content_filter", innererror: { code: "ResponsibleAIPolicyViolation" } } }],
    ["groq", "failed_generation", { error: { message: "no", code: "tool_use_failed", failed_generation: "<function=weather>" } }],
    ["google", "details", { error: { code: 429, message: "slow", status: "RESOURCE_EXHAUSTED", details: [RETRY_INFO] } }],
    ["google", "details", [{ error: { code: 429, message: "slow", status: "RESOURCE_EXHAUSTED", details: [RETRY_INFO] } }]],
    ["openrouter", "metadata", { error: { code: 502, message: "no", metadata: { raw: "busy", provider_name: "x" } } }],
  ])("is told all that an error of %s says: %s", async (provider, member, body) => {
    upstream.answer(jsonAnswer(body, { status: 429 }));
    for (const stream of [false, true]) {
      const asked = client.chat.completions.create({ model: "m", messages, stream }, { headers: { "x-gateway-provider": provider } });
      const thrown = (await asked.catch((error: unknown) => error)) as InstanceType<typeof OpenAI.RateLimitError>;
      expect(thrown).toBeInstanceOf(OpenAI.RateLimitError);
      const { error } = [body].flat()[0] as { error: Record<string, unknown> };
      expect(thrown.error).toMatchObject({ [member]: error[member] });
    }
  });

  test("is told all that an error in mid-stream says, its own key excepted", async () => {
    const failed = { error: { message: "no", type: "invalid_request_error", failed_generation: "of sk-provider-key" } };
    const beginnings = ["", chunk({ role: "assistant", content: "Hi" })];
    for (const beginning of beginnings) {
      upstream.answer(sseAnswer(`${beginning}data: ${JSON.stringify(failed)}\n\n`));
      const read = async (): Promise<void> => {
        const stream = await client.chat.completions.create(
          { model: "m", messages, stream: true },
          { headers: { "x-gateway-provider": "groq" } },
        );
        for await (const _ of stream) void _;
      };
      const thrown = (await read().catch((error: unknown) => error)) as InstanceType<typeof OpenAI.APIError>;
      expect(thrown.error).toMatchObject({ message: expect.stringContaining("no"), failed_generation: "of [redacted]" });
    }
  });

  test(verifies("D6.done", "is told when a stream ends before the answer is complete"), async () => {
    upstream.answer(sseAnswer(chunk({ role: "assistant", content: "Hi" }) + chunk({ content: " the" }), { ends: "close" }));
    const read = async (): Promise<void> => {
      for await (const _ of await client.chat.completions.create({ model: "gpt-x", messages, stream: true })) void _;
    };
    await expect(read()).rejects.toThrow(/before the answer was complete/);
  });

  test("lists models", async () => {
    upstream.answer(jsonAnswer({ object: "list", data: [{ id: "gpt-x", object: "model", created: 1, owned_by: "me" }] }));
    const models = [];
    for await (const model of client.models.list()) models.push(model.id);
    expect(models).toEqual(["gpt-x"]);
  });
});
