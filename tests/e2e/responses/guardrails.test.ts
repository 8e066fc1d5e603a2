/** Guardrails, fallback and logs for clients of the responses dialect. */
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, forAll, type Json, logOf } from "../endpoints/api.ts";
import { denies, redacted, refusalOf } from "../guarded.ts";
import { ask, GATEWAY_KEY } from "../process.ts";
import { ANSWERS, clientOf, NATIVE_ID } from "./stand-ins.ts";

const api = forAll();
const asks = { model: "some-model", input: "Hello" };
const SECRET = "the secret word";
const ANSWER = { thought: "hm", text: SECRET, call: { a: 1 } };
const WIRES = [["openai"], ["anthropic"]] as const;
type Wire = (typeof WIRES)[number][0];

const target = (provider: string, path = "/v1") => ({ provider, api_key: "k", custom_host: `${api.upstream.url}${path}` });
const clientWith = (config: object, headers: Readonly<Record<string, string>> = {}) =>
  clientOf(api.gateway.base, { "x-gateway-config": JSON.stringify(config), ...headers });

describe.each(WIRES)("over %s", (wire: Wire) => {
  const INPUTS: readonly (readonly [string, Json])[] = [
    ["a text", { input: "Hello" }],
    ["instructions", { instructions: "Hello", input: "x" }],
    ["a message", { input: [{ role: "user", content: [{ type: "input_text", text: "Hello" }] }] }],
  ];
  test.each(INPUTS)(verifies("D7.10.guardrails", "a denied request never reaches the provider: %s"), async (_, members) => {
    const before = api.upstream.received.length;
    const checks = [{ id: "words", deny: true, "default.contains": { words: ["Hello"], operator: "none", scope: "all_messages" } }];
    const client = clientWith({ ...target(wire), input_guardrails: checks });
    for (const stream of [false, true]) {
      const thrown = await refusalOf(client.responses.create({ ...asks, ...members, stream } as never));
      expect(thrown).toBeInstanceOf(OpenAI.APIError);
      expect(thrown).toMatchObject({ status: 446, error: { type: "hooks_failed" } });
    }
    expect(api.upstream.received.length).toBe(before);
  });
  test.each([false, true])(verifies("D7.10.guardrails", "a denied answer is not told (stream: %p)"), async (stream) => {
    api.upstream.answer(ANSWERS[wire](ANSWER));
    const client = clientWith({ ...target(wire), output_guardrails: denies("secret") });
    const thrown = await refusalOf(client.responses.create({ ...asks, stream }));
    expect(thrown).toMatchObject({ status: 446, error: { type: "hooks_failed" } });
    expect(JSON.stringify((thrown as { error: unknown }).error)).not.toContain(SECRET);
  });
  test.each([false, true])("a webhook takes words out of the answer, and the rest of it stays (stream: %p)", async (stream) => {
    const answer = ANSWERS[wire](ANSWER);
    api.upstream.answer((request) => (request.path === "/hook" ? redacted(request) : answer(request)));
    const client = clientWith({
      ...target(wire),
      output_guardrails: [{ id: "redact", "default.webhook": { webhookURL: `${api.upstream.url}/hook` } }],
    });
    const { id, output, usage } = stream ? await client.responses.stream(asks).finalResponse() : await client.responses.create(asks);
    expect(output).toMatchObject([
      { type: "reasoning", summary: [{ text: "hm" }], encrypted_content: wire === "openai" ? "gAAAA" : expect.stringMatching(/^gw1\./) },
      { type: "message", content: [{ text: "the [removed] word" }] },
      { type: "function_call", name: "weather", arguments: '{"a":1}' },
    ]);
    expect(usage?.output_tokens).toBe(7);
    expect(id === NATIVE_ID).toBe(wire === "openai");
  });
  test(verifies("D6.hooks-responses", "what guardrails found stands in events that the client's helpers pass over"), async () => {
    api.upstream.answer(ANSWERS[wire](ANSWER));
    const config = { ...target(wire), input_guardrails: denies("nowhere"), output_guardrails: denies("nowhere") };
    const client = clientWith(config, { "x-gateway-strict-open-ai-compliance": "false" });
    const seen: Json[] = [];
    const wireText = await (await client.responses.create({ ...asks, stream: true }).asResponse()).text();
    expect(wireText.split("event: hook_results\n")).toHaveLength(3);
    const stream = client.responses.stream(asks);
    stream.on("event", (event) => void seen.push(event as unknown as Json));
    const { output_text } = await stream.finalResponse();
    expect(output_text).toBe(SECRET);
    const notes = seen.filter(({ type }) => type === "keepalive");
    expect(notes.map(({ hook_results }) => hook_results)).toMatchObject([
      { before_request_hooks: [{ verdict: true }] },
      { after_request_hooks: [{ verdict: true }] },
    ]);
    expect(seen[0]).toMatchObject({ type: "response.created" });
  });
  test("a request is logged with its usage", async () => {
    api.upstream.answer(ANSWERS[wire](ANSWER));
    const response = await clientWith(target(wire))
      .responses.create({ ...asks, stream: true })
      .asResponse();
    await response.text();
    const { metrics, request } = await logOf(api, String(response.headers.get("x-gateway-trace-id")));
    expect(metrics).toMatchObject({ ai_org: wire, req_units: 15, res_units: 7, total_units: 22 });
    expect(request).toMatchObject({ url: `${api.gateway.base}/v1/responses`, body: { input: "Hello" } });
  });
});

test(
  verifies("D7.10.translated", "a conversation with thoughts and tools goes on at another vendor when the first one fails"),
  async () => {
    const config = { strategy: { mode: "fallback" }, targets: [target("openai", "/native"), target("anthropic", "/other/v1")] };
    api.upstream.answer((request) =>
      request.path.startsWith("/native")
        ? jsonAnswer({ error: { message: "down" } }, { status: 500 })
        : ANSWERS.anthropic({ text: "Sunny." })(request),
    );
    const input = [
      { role: "user", content: "Hello" },
      { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "gAAAA" },
      { id: "fc_1", type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' },
      { type: "function_call_output", call_id: "call_1", output: "12 °C" },
    ] as OpenAI.Responses.ResponseInputItem[];
    for (const stream of [false, true]) {
      const body = { ...asks, input };
      const client = clientWith(config);
      const answer = stream ? await client.responses.stream(body).finalResponse() : await client.responses.create(body);
      expect(answer.output_text).toBe("Sunny.");
    }
    expect(at(api.upstream.received.at(-1)?.json() as Json, "messages")).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "tool_use", id: "call_1", input: { city: "Oslo" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1" }] },
    ]);
  },
);

test("what another vendor thought in an earlier turn does not reach a provider that could not read it", async () => {
  api.upstream.answer(ANSWERS.anthropic(ANSWER));
  const { output } = await clientWith(target("anthropic")).responses.create(asks);
  expect(output[0]?.type).toBe("reasoning");
  const result = { type: "function_call_output", call_id: "toolu_1", output: "12 °C" };
  const input = [{ role: "user", content: "Hello" }, ...output, result] as OpenAI.Responses.ResponseInputItem[];
  api.upstream.answer(ANSWERS.openai({ text: "Sunny." }));
  for (const provider of ["openai", "groq"]) {
    expect((await clientWith(target(provider)).responses.create({ ...asks, input })).output_text).toBe("Sunny.");
    const sent = at(api.upstream.received.at(-1)?.json() as Json, "input") as Json[];
    expect(sent.map(({ type, role }) => type ?? role)).toEqual(["user", "message", "function_call", "function_call_output"]);
  }
});

/** A provider's response that ran in the background has said nothing to anybody until it is read. */
describe("a response that is read again", () => {
  const response = {
    ...{ id: NATIVE_ID, object: "response", created_at: 1, model: "m", status: "completed", usage: null },
    output: [
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: SECRET, annotations: [] }],
      },
    ],
  };
  const event = (type: string, more: Json): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const pieces = ["the se", "cret word"].map((delta) =>
    event("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta }),
  );
  const wires = {
    whole: jsonAnswer(response),
    streamed: sseAnswer(
      [event("response.created", { response: { ...response, output: [] } }), ...pieces, event("response.completed", { response })].join(""),
    ),
    "streamed and broken off": sseAnswer(pieces.join("")),
  };
  const read = (config: Json, query: string) =>
    ask(`${api.gateway.base}/v1/responses/${NATIVE_ID}${query}`, "GET", GATEWAY_KEY, undefined, {
      "x-gateway-config": JSON.stringify({ ...target("openai"), ...config }),
    });
  test.each(Object.entries(wires))(verifies("G.engine.retrieved", "is judged: %s"), async (how, wire) => {
    api.upstream.answer(wire);
    const denied = await read({ output_guardrails: denies("secret") }, how === "whole" ? "" : "?stream=true");
    expect(denied.status).toBe(446);
    expect(denied.text).not.toContain("cret word");
    const replaced = [{ id: "r", "default.regexReplace": { rule: "secret", redactText: "[removed]" } }];
    const redactedAnswer = await read({ output_guardrails: replaced }, how === "whole" ? "" : "?stream=true");
    expect({ status: redactedAnswer.status, text: redactedAnswer.text }).toEqual({
      status: 200,
      text: expect.stringContaining("the [removed] word"),
    });
    expect(redactedAnswer.text).not.toContain('cret word"');
  });
  test("and passes as it came where nothing is found", async () => {
    api.upstream.answer(wires.streamed);
    expect((await read({ output_guardrails: denies("nothing of it") }, "?stream=true")).text).toBe(String(wires.streamed.body));
  });
});
