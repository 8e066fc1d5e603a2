/**
 * Responses that the gateway makes out of chat completions are kept: a conversation of several turns goes on after a
 * restart, over real sockets and real stores, through the official client.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { jsonAnswer, type Received, type Replay, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { isSkip, newDatabase, ownPostgres, postgresServer } from "../servers/index.ts";
import { type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "./process.ts";
import { plantTenant } from "./endpoints/tenant.ts";
import { responsesProfile, type ResponsesProfile } from "./responses-gateway.ts";

interface Chat {
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: unknown; readonly tool_calls?: readonly unknown[] }[];
}
const CALL = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } };

/** A webhook that takes a word out of the answer. */
function hidden(request: Received): Replay {
  const { response } = JSON.parse(request.text().replaceAll("seen", "[hidden]")) as { response: { json: object } }; // what the check sends
  return jsonAnswer({ verdict: true, transformedData: { response } });
}
/** Calls a tool when it is asked for the weather, and says how many messages it has seen. */
function completion(request: Received): Replay {
  if (request.path === "/hides") return hidden(request);
  if (request.path.endsWith("/responses"))
    return jsonAnswer({ id: "resp_of_the_provider", object: "response", status: "completed", output: [] });
  const { stream, messages } = request.json() as Chat; // what the gateway sends
  const wantsTool = JSON.stringify(messages.at(-1)?.content).includes("weather");
  const content = wantsTool ? null : `I have seen ${messages.length} messages.`;
  const finish_reason = wantsTool ? "tool_calls" : "stop";
  const said = { role: "assistant", content, ...(wantsTool && { tool_calls: [CALL] }) };
  const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
  const head = { id: "chatcmpl-1", created: 1_767_225_600, model: "m" };
  if (!stream) return jsonAnswer({ ...head, object: "chat.completion", choices: [{ index: 0, message: said, finish_reason }], usage });
  const delta = { ...said, ...(wantsTool && { tool_calls: [{ index: 0, ...CALL }] }) };
  const chunk = (choice: object) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] })}\n\n`;
  return sseAnswer(`${chunk({ delta, finish_reason: null })}${chunk({ delta: {}, finish_reason })}data: [DONE]\n\n`);
}
const messagesOf = (upstream: ReplayServer): Chat["messages"] => ((upstream.received.at(-1)?.json() ?? { messages: [] }) as Chat).messages; // what the gateway sent

let profile: ResponsesProfile;
let upstream: ReplayServer;
beforeAll(() => {
  profile = responsesProfile();
  upstream = replayServer(completion);
}, 30_000);
afterAll(async () => {
  profile.remove();
  await upstream.close();
});

const running: GatewayProcess[] = [];
afterEach(async () => {
  await Promise.all(running.map((gateway) => gateway.stop()));
  for (const gateway of running.splice(0)) gateway.remove();
});
const owned: { remove(): Promise<void> }[] = [];
afterAll(async () => void (await Promise.all(owned.map((server) => server.remove()))));
const start = async (env: Record<string, string> = {}, dataDir?: string): Promise<GatewayProcess> => {
  const all = { GATEWAY_PROFILE: profile.path, GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host, ...env };
  const gateway = await startGateway({ env: all, ...(dataDir !== undefined && { dataDir }) });
  running.push(gateway);
  return gateway;
};

const target = (provider: string, more: object = {}) => ({
  "x-gateway-config": JSON.stringify({ provider, api_key: "sk-vendor", custom_host: `${upstream.url}/v1`, ...more }),
});
const clientOf = ({ base }: GatewayProcess): OpenAI =>
  new OpenAI({
    apiKey: "sk-vendor",
    baseURL: `${base}/v1`,
    maxRetries: 0,
    defaultHeaders: { "x-gateway-api-key": GATEWAY_KEY, ...target("together-ai") },
  });
const create = (
  gateway: GatewayProcess,
  body: object,
  headers: Record<string, string> = target("together-ai"),
  key = GATEWAY_KEY,
): Promise<Answer> => ask(`${gateway.base}/v1/responses`, "POST", key, { model: "m", input: "Hello", ...body }, headers);
const later = (gateway: GatewayProcess, id: string, method = "GET", key = GATEWAY_KEY, below = ""): Promise<Answer> =>
  ask(`${gateway.base}/v1/responses/${id}${below}`, method, key);
const idOf = ({ json }: Answer): string => String(json["id"]);
const OWN_ID = /^resp_gw_[0-9a-f]{32}$/;

/** Where responses may be kept beyond the end of a process. */
const STORES: Readonly<Record<string, () => Promise<Record<string, string> | { skip: string }>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => {
    const server = await postgresServer();
    return isSkip(server)
      ? server
      : { DATABASE_URL: await newDatabase(server), GATEWAY_SECRET_KEY: "keptResponsesShareThisSecretKey01234" };
  },
};

describe.each(Object.keys(STORES))("on %s", (name) => {
  test(verifies(
    "D7.kept.conversation",
    "a conversation of five turns with tools goes on after a restart, read and listed between its turns",
  ), async () => {
    const env = (await STORES[name]?.()) ?? {};
    if ("skip" in env) return console.warn(`skipped: ${env["skip"]}`);
    let gateway = await start(env);
    let openai = clientOf(gateway);

    const one = await openai.responses.create({ model: "m", input: "What is the weather?" });
    expect(one.id).toMatch(OWN_ID);
    expect(one).toMatchObject({ output: [{ type: "function_call", call_id: "call_1", name: "weather" }] });
    const output = { type: "function_call_output", call_id: "call_1", output: "20 degrees" } as const;
    const two = await openai.responses.create({ model: "m", input: [output], previous_response_id: one.id });
    expect(two).toMatchObject({ output_text: "I have seen 3 messages.", previous_response_id: one.id });
    expect(messagesOf(upstream)).toMatchObject([
      { role: "user" },
      { role: "assistant", tool_calls: [CALL] },
      { role: "tool", tool_call_id: "call_1", content: "20 degrees" },
    ]);
    expect(await openai.responses.retrieve(two.id)).toMatchObject({
      id: two.id,
      output: two.output as object,
      previous_response_id: one.id,
    });

    await gateway.stop();
    gateway = await start(env, gateway.dataDir);
    openai = clientOf(gateway);
    expect(await openai.responses.retrieve(one.id)).toMatchObject({ id: one.id, output: one.output as object });

    let three: OpenAI.Responses.Response | undefined;
    for await (const event of await openai.responses.create({
      model: "m",
      input: "And tomorrow?",
      previous_response_id: two.id,
      stream: true,
    }))
      if (event.type === "response.completed") three = event.response;
    expect(three?.id).toMatch(OWN_ID);
    expect(three).toMatchObject({ output: [{ content: [{ text: "I have seen 5 messages." }] }] });
    const four = await openai.responses.create({ model: "m", input: "Thanks.", previous_response_id: three?.id ?? "" });
    const five = await openai.responses.create({ model: "m", input: "Bye.", previous_response_id: four.id });
    expect(five.output_text).toBe("I have seen 9 messages.");

    const types: string[] = [];
    for await (const item of openai.responses.inputItems.list(five.id, { limit: 2, order: "asc" })) types.push(item.type);
    expect(types).toEqual(["message", "function_call", "function_call_output", ...Array(6).fill("message")]);

    await openai.responses.delete(five.id);
    expect(await openai.responses.retrieve(five.id).catch((error: unknown) => error)).toMatchObject({ status: 404 });
    expect((await openai.responses.create({ model: "m", input: "Still there?", previous_response_id: four.id })).output_text).toBe(
      "I have seen 9 messages.",
    );
  }, 60_000);
});

describe("a kept response", () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGateway({
      env: { GATEWAY_PROFILE: profile.path, GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host, LOG_LEVEL: "info" },
    });
  }, 30_000);
  afterAll(async () => {
    await gateway.stop();
    gateway.remove();
  });

  test(verifies("D7.kept.tenants", "is its workspace's: to others it is 404 with flat errors, like one that never was"), async () => {
    const made = await create(gateway, {});
    const id = idOf(made);
    const { organisationId } = await plantTenant({ dataDir: gateway.dataDir });
    const other = await plantTenant({ dataDir: gateway.dataDir, organisationId, slug: "second" });
    const paths = [
      ["GET", ""],
      ["GET", "/input_items"],
      ["POST", "/cancel"],
      ["DELETE", ""],
    ] as const;
    for (const [method, below] of paths) {
      const theirs = await later(gateway, id, method, other.gatewayKey, below);
      const never = await later(gateway, "resp_gw_never", method, GATEWAY_KEY, below);
      expect([method, below, theirs.status, never.status]).toEqual([method, below, 404, 404]);
      expect(theirs.text.replaceAll(id, "resp_gw_never")).toBe(never.text);
      expect(theirs.json).toMatchObject({ code: "not_found", message: expect.stringContaining(id), param: "", type: "not_found_error" });
    }
    const continued = await create(gateway, { previous_response_id: id }, target("together-ai"), other.gatewayKey);
    expect([continued.status, continued.json]).toMatchObject([
      400,
      { error: { code: "previous_response_not_found", param: "previous_response_id" } },
    ]);
    const [item] = made.json["output"] as unknown as { readonly id: string }[]; // what it answered
    const input = [
      { type: "item_reference", id: item?.id },
      { role: "user", content: "Go on." },
    ];
    const referring = await create(gateway, { input }, target("together-ai"), other.gatewayKey);
    expect([referring.status, referring.json]).toMatchObject([400, { error: { message: expect.stringContaining("was not found") } }]);
    expect((await create(gateway, { input })).json).toMatchObject({ output: [{ content: [{ text: "I have seen 2 messages." }] }] });
    expect((await later(gateway, id)).status).toBe(200);
  });
  test(verifies("D7.kept.later", "is deleted once, cancelled never, and given whole"), async () => {
    const id = idOf(await create(gateway, {}));
    expect((await later(gateway, id, "POST", GATEWAY_KEY, "/cancel")).status).toBe(400);
    expect((await later(gateway, id, "GET", GATEWAY_KEY, "?stream=true")).status).toBe(400);
    expect((await later(gateway, id, "DELETE")).json as unknown).toEqual({ id, object: "response", deleted: true });
    expect((await later(gateway, id, "DELETE")).status).toBe(404);
  });
  test(
    verifies("D7.kept.store", "is none where the request says store: false, or bodies are not to be logged and it says nothing"),
    async () => {
      const found = async (body: object, debug?: string): Promise<number> => {
        const headers = { ...target("together-ai"), ...(debug !== undefined && { "x-gateway-debug": debug }) };
        return (await later(gateway, idOf(await create(gateway, body, headers)))).status;
      };
      expect(await found({})).toBe(200);
      expect(await found({ store: false })).toBe(404);
      expect(await found({}, "false")).toBe(404);
      expect(await found({ store: true }, "false")).toBe(200);
      const forbids = target("together-ai", { override_params: { store: false } });
      expect((await later(gateway, idOf(await create(gateway, { store: true }, forbids)))).status).toBe(404);
    },
  );
  test.each<[Record<string, unknown>, string, boolean]>([
    [{}, "true", true],
    [{ store: null }, "true", true],
    [{ store: false }, "true", false],
    [{}, "false", false],
    [{ store: null }, "false", false],
    [{ store: true }, "false", true],
  ])(verifies("D7.kept.store", "is said to be one where it is one: %p with bodies that are logged: %s"), async (body, debug, isKept) => {
    const headers = { ...target("together-ai"), "x-gateway-debug": debug };
    const whole = await create(gateway, body, headers);
    const { text } = await create(gateway, { ...body, stream: true }, headers);
    const said = [...text.matchAll(/"store":(true|false)/g)].map(([, store]) => store);
    expect([String(whole.json["store"]), ...new Set(said)]).toEqual([String(isKept), String(isKept)]);
    const ids = [idOf(whole), /resp_gw_[0-9a-f]{32}/.exec(text)?.[0] ?? ""];
    for (const id of ids) expect((await later(gateway, id)).status === 200).toBe(isKept);
  });
  test(
    verifies("D7.kept.guarded", "is what guardrails left of the answer, whole and streamed, and none where they denied it"),
    async () => {
      const hides = { "default.webhook": { webhookURL: `${upstream.url}/hides` }, deny: true };
      const headers = target("together-ai", { output_guardrails: [hides] });
      const whole = await create(gateway, {}, headers);
      const streamed = await create(gateway, { stream: true }, headers);
      expect([whole.status, whole.text]).toEqual([200, expect.stringContaining("[hidden]")]);
      const ids = [idOf(whole), /resp_gw_[0-9a-f]{32}/.exec(streamed.text)?.[0] ?? ""];
      for (const id of ids) {
        const kept = await later(gateway, id);
        expect(kept.status).toBe(200);
        expect(kept.text).toContain("[hidden]");
        expect(kept.text).not.toContain("seen");
      }
      const denied = await create(
        gateway,
        {},
        target("together-ai", { output_guardrails: [{ "default.contains": { words: ["seen"], operator: "none" }, deny: true }] }),
      );
      expect(denied.status).toBe(446);
      const requestId = String(denied.headers.get("x-gateway-request-id")).replaceAll("-", "");
      expect((await later(gateway, `resp_gw_${requestId}`)).status).toBe(404);
    },
  );
  test(verifies("D7.kept.native", "is continued at a provider that has the API itself, whose own ids travel as they are"), async () => {
    const id = idOf(await create(gateway, { input: "First." }));
    const native = await create(gateway, { input: "Second.", previous_response_id: id }, target("answers-llm"));
    expect(native.status).toBe(200);
    expect(native.json["id"] as unknown).toBe("resp_of_the_provider");
    const sent = upstream.received.at(-1);
    expect(sent?.path).toBe("/v1/responses");
    expect(sent?.json()).toMatchObject({
      model: "m",
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: "First." }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "I have seen 1 messages." }] },
        { type: "message", role: "user", content: [{ type: "input_text", text: "Second." }] },
      ],
    });
    expect(sent?.json()).not.toHaveProperty("previous_response_id");
    await create(gateway, { previous_response_id: "resp_of_the_provider" }, target("answers-llm"));
    expect(upstream.received.at(-1)?.json()).toMatchObject({ previous_response_id: "resp_of_the_provider", input: "Hello" });
  });
  test("is told in the log with the body that its client sent", async () => {
    const id = idOf(await create(gateway, { input: "Only once in the log." }));
    const continued = await create(gateway, { input: "And this.", previous_response_id: id });
    const requestId = String(continued.headers.get("x-gateway-request-id"));
    const record = await until("the log record", async () => {
      const found = await ask(`${gateway.base}/v1/logs/${requestId}`, "GET", gateway.adminKey);
      return found.status === 200 ? found : undefined;
    });
    expect(record.text).toContain("And this.");
    expect(record.text).toContain(id);
  });
  test("leaves nothing readable in the files of the store", async () => {
    await create(
      gateway,
      { input: "rhinoceros", metadata: { "x-gateway-debug": "false" } },
      { ...target("together-ai"), "x-gateway-debug": "false" },
    );
    const kept = await create(gateway, { input: "hippopotamus", store: true }, { ...target("together-ai"), "x-gateway-debug": "false" });
    const items = `${gateway.base}/v1/responses/${idOf(kept)}/input_items`;
    expect((await ask(items, "GET", GATEWAY_KEY, undefined, { "x-gateway-debug": "false" })).text).toContain("hippopotamus");
    const grep = Bun.spawnSync(["grep", "-rla", "-e", "hippopotamus", "-e", "rhinoceros", gateway.dataDir]);
    expect(grep.stdout.toString()).toBe("");
  });
});

test(verifies("D7.kept.away", "while the store is away the answer is given all the same, and what was kept is 503, not 404"), async () => {
  const own = await ownPostgres();
  if (isSkip(own)) return console.warn(`skipped: ${own.skip}`);
  owned.push(own);
  const gateway = await start({ DATABASE_URL: own.url, GATEWAY_SECRET_KEY: "keptResponsesShareThisSecretKey01234" });
  const id = idOf(await create(gateway, {}));
  expect((await later(gateway, id)).status).toBe(200);
  await own.stop();
  await until("the store is known to be away", async () => gateway.output().includes("postgres.unreachable"));

  const whole = await create(gateway, {});
  expect([whole.status, whole.json["object"] as unknown]).toEqual([200, "response"]);
  const streamed = await create(gateway, { stream: true });
  expect(streamed.text).toContain("event: response.completed");
  const away = await later(gateway, id);
  expect([away.status, away.json]).toMatchObject([503, { error: { message: expect.stringContaining("storage") } }]);
  expect((await create(gateway, { previous_response_id: id })).status).toBe(503);
  await until("the warning", () => gateway.output().includes("answer.not_kept"));
  expect(gateway.output().split("answer.not_kept").length - 1).toBe(1);
  const metrics = await ask(`${gateway.base}/metrics`, "GET", null);
  expect(metrics.text).toContain('gateway_answers_not_kept_total{operation="createModelResponse"} 2');

  await own.start();
  await until("the store is back", async () => (await later(gateway, id)).status === 200);
  const again = await create(gateway, { previous_response_id: id });
  expect((await later(gateway, idOf(again))).status).toBe(200);
}, 60_000);
