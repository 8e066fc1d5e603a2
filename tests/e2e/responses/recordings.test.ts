/** Real providers' recorded answers, whole and streamed, read by the official OpenAI client as responses through the running gateway. */
import { describe, expect, test } from "bun:test";
import type OpenAI from "openai";
import { haveRecordings, recordedLines, recording, recordings, sayIfMissing, sseWire } from "../../kit/recordings.ts";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { forAll } from "../endpoints/api.ts";
import type { RecordedAnswer } from "../recorded.ts";
import { bodies, type Recorded, streams } from "../replayed.ts";
import { clientOf } from "./stand-ins.ts";

/** An OpenAI-compatible server is asked by chat completions, as OpenAI itself is not. */
const BY_CHAT: Readonly<Record<string, string>> = { openai: "openai-compatible", groq: "openai-compatible", "x-ai": "openai-compatible" };

const api = forAll();
sayIfMissing();

const asks = { model: "some-model", input: "Hello" };
const clientFor = ({ provider }: Recorded): OpenAI =>
  clientOf(api.gateway.base, { "x-gateway-provider": BY_CHAT[provider] ?? provider, "x-gateway-custom-host": api.upstream.url });

const INCOMPLETE: Readonly<Record<string, string>> = { max_output_tokens: "length", content_filter: "content_filter" };
function saidBy({ output, output_text, incomplete_details, usage }: OpenAI.Responses.Response): RecordedAnswer {
  const tools = output.flatMap((item) =>
    item.type === "function_call" ? [{ name: item.name, arguments: JSON.parse(item.arguments) }] : [],
  );
  const refusals = output.flatMap((item) => (item.type === "message" ? item.content : [])).some(({ type }) => type === "refusal");
  expect(refusals).toBeFalse();
  return {
    text: output_text,
    tools,
    finish: INCOMPLETE[incomplete_details?.reason ?? ""] ?? (tools.length > 0 ? "tool_calls" : "stop"),
    usage: { input: usage?.input_tokens ?? 0, output: usage?.output_tokens ?? 0, total: usage?.total_tokens ?? 0 },
  };
}
/** A response has no word for it where the model calls tools; xAI counts its thoughts beside the answer, which are output here. */
const expected = ({ said }: Recorded): RecordedAnswer => ({
  ...said,
  finish: said.tools.length > 0 && said.finish === "stop" ? "tool_calls" : said.finish,
  usage: { ...said.usage, output: said.usage.total - said.usage.input },
});

describe.skipIf(!haveRecordings)("read by OpenAI's client as a response", () => {
  test.each(streams.map((recorded) => [recorded.path, recorded] as const))("%s says what its lines say", async (_, recorded) => {
    api.upstream.answer(sseAnswer(recorded.bytes));
    expect(saidBy(await clientFor(recorded).responses.stream(asks).finalResponse())).toEqual(expected(recorded));
  });
  test.each(bodies.map((recorded) => [recorded.path, recorded] as const))("%s says what its body says", async (_, recorded) => {
    api.upstream.answer({ ...jsonAnswer(""), body: recorded.bytes });
    expect(saidBy(await clientFor(recorded).responses.create(asks))).toEqual(expected(recorded));
  });
});

/** Recorded responses of providers that have the API, and the provider that gave them. */
const NATIVE: readonly (readonly [folder: string, provider: string])[] = [
  ["openai/responses", "openai"],
  ["azure", "azure-openai"],
  ["xai/responses", "x-ai"],
  ["open-responses/responses", "openai"],
];
const RESOURCE = { "x-gateway-azure-resource-name": "contoso", "x-gateway-azure-api-version": "v1" };
const nativeClient = (provider: string): OpenAI =>
  clientOf(api.gateway.base, {
    ...{ "x-gateway-provider": provider, "x-gateway-custom-host": api.upstream.url },
    ...(provider === "azure-openai" && RESOURCE),
  });
const recorded = (suffix: string) =>
  NATIVE.flatMap(([folder, provider]) => recordings([folder], suffix).map((path) => [path, provider] as const));

/** A recording may go on with the answer to a later request: one ends with the event that says so. */
function linesOfOne(path: string): readonly string[] {
  const lines = recordedLines(path);
  const end = lines.findIndex((line) => /^response\.(completed|incomplete|failed)$/.test((JSON.parse(line) as { type: string }).type));
  return lines.slice(0, end + 1);
}

describe.skipIf(!haveRecordings)("a recorded response is read by OpenAI's client as its provider wrote it:", () => {
  test("there are some", () => expect([recorded(".json").length, recorded(".chunks.txt").length].every((count) => count > 10)).toBeTrue());
  test.each(recorded(".chunks.txt"))("the stream %s of %s", async (path, provider) => {
    const lines = linesOfOne(path);
    api.upstream.answer(sseAnswer(sseWire(lines, { named: true })));
    const events: unknown[] = [];
    for await (const event of await nativeClient(provider).responses.create({ ...asks, stream: true })) events.push(event);
    expect(events).toEqual(lines.map((line) => JSON.parse(line) as unknown));
  });
  test.each(recorded(".json"))("the body %s of %s", async (path, provider) => {
    api.upstream.answer(jsonAnswer(recording(path)));
    expect(await nativeClient(provider).responses.create(asks)).toMatchObject(JSON.parse(recording(path)) as object);
  });
});
