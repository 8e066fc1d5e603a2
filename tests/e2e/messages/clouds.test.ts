/** Messages to Claude where clouds serve it: in Anthropic's own form, so that nothing of it is lost on the way; other models by their own wires. */
import { describe, expect, test } from "bun:test";
import type Anthropic from "@anthropic-ai/sdk";
import { jsonAnswer, type Received, type Replay, sseAnswer } from "../../kit/replay.ts";
import { event, exception } from "../../providers/bedrock-eventstream.ts";
import { forAll, type Json, logOf } from "../endpoints/api.ts";
import { refusalOf } from "../guarded.ts";
import { anthropicBody, anthropicStream, clientOf } from "./stand-ins.ts";
import { verifies } from "../../requirements/verifies.ts";

const api = forAll();
const MARK = { type: "ephemeral" } as const;
const messages = [
  {
    role: "user",
    content: [
      {
        type: "document",
        title: "T",
        context: "C",
        source: { type: "text", media_type: "text/plain", data: "D" },
        citations: { enabled: true },
      },
    ],
  },
  { role: "assistant", content: [{ type: "text", text: "one" }, { type: "text", text: "two", cache_control: MARK }] }, // biome-ignore format: a turn
  { role: "user", content: "And?" },
] as Anthropic.MessageParam[];
const asks = { max_tokens: 100, messages, stop_sequences: ["END"] };
const CITED = { type: "text", text: "It says D.", citations: [{ type: "char_location", cited_text: "D", document_index: 0 }] };
const ANSWER = { content: [{ type: "thinking", thinking: "hm", signature: "c2ln" }, CITED], stop: "stop_sequence" };
const stopped = (wire: string): string => wire.replace('"stop_sequence":null},"usage"', '"stop_sequence":"END"},"usage"');
const STREAM = stopped(anthropicStream(ANSWER));
const BODY = JSON.stringify({ ...anthropicBody(ANSWER), stop_sequence: "END" }, null, 1);

const linesOf = (wire: string): string[] =>
  wire.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice("data: ".length)] : []));
const chunk = (line: string): Uint8Array => event("chunk", { bytes: Buffer.from(line).toString("base64"), p: "abcdef" });
const framed = (...frames: readonly Uint8Array[]): Replay => ({
  body: Buffer.concat(frames),
  headers: { "content-type": "application/vnd.amazon.eventstream" },
});

const VERTEX = "anthropic.claude-sonnet-4-5@20250929";
const BEDROCK = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const AT = {
  vertex: {
    model: VERTEX,
    headers: { "x-gateway-provider": "vertex-ai", "x-gateway-vertex-project-id": "acme-1", "x-gateway-vertex-region": "europe-west4" },
    whole: "/v1/projects/acme-1/locations/europe-west4/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict",
    streamed: "/v1/projects/acme-1/locations/europe-west4/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict",
    sent: { anthropic_version: "vertex-2023-10-16" },
    streams: { stream: true },
    stream: (): Replay => sseAnswer(`event: vertex_event\ndata: {"type":"vertex_event"}\n\n${STREAM}`),
  },
  bedrock: {
    model: BEDROCK,
    headers: { "x-gateway-provider": "bedrock", "x-gateway-aws-region": "eu-central-1" },
    whole: "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke",
    streamed: "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream",
    sent: { anthropic_version: "bedrock-2023-05-31" },
    streams: {},
    stream: (): Replay => framed(...linesOf(STREAM).map(chunk)),
  },
} as const;
const CLOUDS = [["vertex"], ["bedrock"]] as const;
type Cloud = keyof typeof AT;

const clientAt = (cloud: Cloud, headers: Readonly<Record<string, string>> = {}) =>
  clientOf(api.gateway.base, { ...AT[cloud].headers, "x-gateway-custom-host": api.upstream.url, ...headers });
const last = (): Received => api.upstream.received.at(-1) ?? expect.unreachable();

describe.each(CLOUDS)("Claude at %s", (cloud: Cloud) => {
  const { model, sent, streams, whole, streamed, stream } = AT[cloud];

  test(verifies("D7.11.clouds", "gets a message as its client wrote it, and the answer comes back as it was"), async () => {
    api.upstream.answer(jsonAnswer(BODY));
    const response = await clientAt(cloud)
      .messages.create({ ...asks, model })
      .asResponse();
    expect([last().path, last().json()]).toEqual([whole, { ...asks, ...sent }]);
    expect(await response.text()).toBe(BODY);
    const { metrics } = await logOf(api, String(response.headers.get("x-gateway-trace-id")));
    expect(metrics).toMatchObject({ req_units: 15, res_units: 7 });
  });
  test("streams: thoughts, citations and the text that stopped it", async () => {
    api.upstream.answer(stream());
    const final = await clientAt(cloud)
      .messages.stream({ ...asks, model })
      .finalMessage();
    expect([last().path, last().json()]).toEqual([streamed, { ...asks, ...sent, ...streams }]);
    expect(final).toMatchObject({ id: "msg_01", content: ANSWER.content, stop_reason: "stop_sequence", stop_sequence: "END" });
    expect(final.usage).toMatchObject({ input_tokens: 12, cache_read_input_tokens: 3, output_tokens: 7 });
  });
  test("has its answers judged, whole and streamed", async () => {
    const deny = { id: "words", deny: true, "default.contains": { words: ["says"], operator: "none" } };
    const client = clientAt(cloud, { "x-gateway-config": JSON.stringify({ output_guardrails: [deny] }) });
    api.upstream.answer(jsonAnswer(BODY));
    expect(await refusalOf(client.messages.create({ ...asks, model }))).toMatchObject({ status: 446 });
    api.upstream.answer(stream());
    expect(await refusalOf(client.messages.create({ ...asks, model, stream: true }))).toMatchObject({ status: 446 });
  });
  test("ends a turn without thinking that it did not begin", async () => {
    api.upstream.answer(jsonAnswer(BODY));
    const turn = { role: "assistant" as const, content: [{ type: "tool_use" as const, id: "t", name: "f", input: {} }] };
    const result = { role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: "t", content: "1" }] };
    const thinking = { type: "enabled" as const, budget_tokens: 2000 };
    await clientAt(cloud).messages.create({ ...asks, model, max_tokens: 4000, thinking, messages: [...messages, turn, result] });
    expect(last().json()).not.toHaveProperty("thinking");
  });
  test("is denied a request before it is asked", async () => {
    const before = api.upstream.received.length;
    const deny = { id: "words", deny: true, "default.contains": { words: ["D"], operator: "none" } };
    const client = clientAt(cloud, { "x-gateway-config": JSON.stringify({ input_guardrails: [deny] }) });
    expect(await refusalOf(client.messages.create({ ...asks, model, messages: messages.slice(0, 1) }))).toMatchObject({ status: 446 });
    expect(api.upstream.received.length).toBe(before);
  });
});

test("an error in the midst of Bedrock's stream is told as one, in Anthropic's form", async () => {
  const begun = linesOf(STREAM).slice(0, 5).map(chunk);
  api.upstream.answer(framed(...begun, exception("throttlingException", { message: "Too many." })));
  const failed = await refusalOf(
    clientAt("bedrock")
      .messages.stream({ ...asks, model: BEDROCK })
      .finalMessage(),
  );
  expect((failed as Error).message).toContain("Too many.");
  expect(failed).toMatchObject({ error: { type: "error", error: { type: "rate_limit_error" } } });
});

test("a refusal of either cloud is an error of Anthropic's form", async () => {
  api.upstream.answer(jsonAnswer({ message: "The model is not there." }, { status: 404 }));
  expect(await refusalOf(clientAt("bedrock").messages.create({ ...asks, model: BEDROCK }))).toMatchObject({
    status: 404,
    type: "not_found_error",
  });
  api.upstream.answer(jsonAnswer({ error: { code: 404, message: "No such model.", status: "NOT_FOUND" } }, { status: 404 }));
  expect(await refusalOf(clientAt("vertex").messages.create({ ...asks, model: VERTEX }))).toMatchObject({
    status: 404,
    type: "not_found_error",
  });
});

test("other models of both clouds are asked on their own wires", async () => {
  const plain = { max_tokens: 100, messages: [{ role: "user" as const, content: "Hi" }] };
  api.upstream.answer(jsonAnswer({ candidates: [{ content: { role: "model", parts: [{ text: "Ciao" }] }, finishReason: "STOP" }] }));
  const gemini = await clientAt("vertex").messages.create({ ...plain, model: "gemini-2.5-flash" });
  expect([last().path.split("/").at(-1), gemini.content]).toEqual([
    "gemini-2.5-flash:generateContent",
    [{ type: "text", text: "Ciao" }] as never,
  ]);
  const output = { message: { role: "assistant", content: [{ text: "Ciao" }] } };
  api.upstream.answer(jsonAnswer({ output, stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1 } }));
  const nova = await clientAt("bedrock").messages.create({ ...plain, model: "amazon.nova-lite-v1:0" });
  expect([last().path, nova.content]).toEqual(["/model/amazon.nova-lite-v1%3A0/converse", [{ type: "text", text: "Ciao" }] as never]);
});

test("a form of the answer that Claude does not promise on a cloud is asked for by a tool of the gateway's, as in chat", async () => {
  const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
  const called = { type: "tool_use", id: "t", name: "gateway_structured_answer", input: { a: "b" } };
  api.upstream.answer(jsonAnswer(anthropicBody({ content: [called], stop: "tool_use" })));
  const answer = await clientAt("vertex").messages.create({
    ...asks,
    model: VERTEX,
    output_config: { format: { type: "json_schema", schema } },
  });
  expect((last().json() as Json)["tool_choice"]).toMatchObject({ name: "gateway_structured_answer" });
  expect(answer).toMatchObject({ content: [{ type: "text", text: '{"a":"b"}' }], stop_reason: "end_turn" });
  const config = {
    "x-gateway-config": JSON.stringify({ override_params: { output_config: { format: { type: "json_schema", schema } } } }),
  };
  expect(await clientAt("vertex", config).messages.create({ ...asks, model: VERTEX })).toMatchObject({ content: [{ text: '{"a":"b"}' }] });
});
