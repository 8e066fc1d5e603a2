/** POST /v1/audio/speech, /v1/audio/transcriptions and /v1/audio/translations. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, forAll, type Json, SANDBOX } from "./api.ts";
import { clientOf, denying, failureOf, loggedOf } from "./client.ts";
import { GATEWAY_KEY } from "../process.ts";

const api = forAll();
const SOUND = new Uint8Array(Array.from({ length: 5_000 }, (_, index) => (index * 31) % 256));
const file = () => new File([SOUND], "talk.wav", { type: "audio/wav" });
const USAGE = {
  type: "tokens",
  input_tokens: 140,
  input_token_details: { text_tokens: 0, audio_tokens: 140 },
  output_tokens: 20,
  total_tokens: 160,
};
const event = (body: Json): string => `data: ${JSON.stringify(body)}\n\n`;
const speak = (headers: Readonly<Record<string, string>>, body: Json) =>
  api.data("POST", "/v1/audio/speech", headers, { model: "gpt-4o-mini-tts", voice: "alloy", input: "Good morning", ...body });

/** A form, asked without the official client: the answer is what came over the wire. */
async function listen(headers: Readonly<Record<string, string>>, fields: Readonly<Record<string, string>>, path = "transcriptions") {
  const form = new FormData();
  form.set("file", file());
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const asked = { method: "POST", headers: { "x-gateway-api-key": GATEWAY_KEY, ...headers }, body: form };
  const response = await fetch(`${api.gateway.base}/v1/audio/${path}`, asked);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("speech by the official client", () => {
  test(verifies("1.tag-audio", "is heard, in the format that was asked for"), async () => {
    const { audio } = clientOf(api);
    const ask = { model: "sandbox-speech", voice: "alloy", input: "Good morning" };
    const [mp3, wav] = [await audio.speech.create(ask), await audio.speech.create({ ...ask, response_format: "wav" })];
    expect([mp3.headers.get("content-type"), wav.headers.get("content-type")]).toEqual(["audio/mpeg", "audio/wav"]);
    expect([...new Uint8Array(await mp3.arrayBuffer()).slice(0, 2)]).toEqual([0xff, 0xfb]);
    const bytes = Buffer.from(await wav.arrayBuffer());
    expect([bytes.toString("latin1", 0, 4), bytes.readUInt32LE(4)]).toEqual(["RIFF", bytes.length - 8]);
    expect(await failureOf(audio.speech.create({ ...ask, response_format: "flac" }))).toMatchObject({
      status: 400,
      param: "response_format",
    });
  });
  test(verifies("D7.5.speech-events", "comes as events when it is asked for so"), async () => {
    const answer = await speak(SANDBOX, { stream_format: "sse", response_format: "pcm" });
    const events = answer.text
      .split("\n\n")
      .filter(Boolean)
      .map((frame) => JSON.parse(frame.slice(6)));
    expect([events[0].type, events.at(-1).type]).toEqual(["speech.audio.delta", "speech.audio.done"]);
    expect(await loggedOf(api, answer)).toMatchObject({ metrics: { req_units: 3, res_units: 3 } });
  });
});

describe("speech", () => {
  test(verifies("D7.5.unlogged", "passes byte for byte, and the log has the text and no sound"), async () => {
    api.upstream.answer({ body: SOUND, headers: { "content-type": "audio/mpeg" } });
    const answer = await clientOf(api, api.replayed).audio.speech.create({ model: "tts-1", voice: "nova", input: "Hi", speed: 2 });
    expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), Buffer.from(SOUND))).toBe(0);
    expect(api.upstream.received.at(-1)?.json()).toEqual({ model: "tts-1", voice: "nova", input: "Hi", speed: 2 });
    const { request, response } = await loggedOf(api, answer);
    expect(request).toMatchObject({ input: "Hi" });
    expect(response).toBeUndefined();
  });
  test("as events passes byte for byte, and its tokens are counted", async () => {
    const wire = event({ type: "speech.audio.delta", audio: "AAAA" }) + event({ type: "speech.audio.done", usage: USAGE });
    api.upstream.answer(sseAnswer(wire));
    const answer = await speak(api.replayed, { stream_format: "sse" });
    expect(answer.text).toBe(wire);
    const { response, metrics } = await loggedOf(api, answer);
    expect(metrics).toMatchObject({ req_units: 140, res_units: 20 });
    expect(at(metrics, "cost")).toBeGreaterThan(0);
    expect(response).toBeUndefined();
  });
  test(verifies("D7.5.guarded", "is denied by what its text or its instructions say"), async () => {
    for (const more of [{ input: "a secret" }, { instructions: "whisper the secret" }])
      bodyOf(await speak(denying(SANDBOX, "input", "secret"), more), 446);
  });
  test.each([
    ["input", { input: "x".repeat(4097) }],
    ["speed", { speed: 5 }],
    ["voice", { voice: 7 }],
  ])("with a wrong member %s is refused", async (param, more) =>
    expect(at(bodyOf(await speak(SANDBOX, more), 400), "error", "param")).toBe(param),
  );
});

const TEXT = "The sandbox has heard talk.wav. Names: Zoë";
describe("what was said, by the official client", () => {
  const { prompt, model } = { prompt: "Names: Zoë", model: "sandbox-audio" };
  test(verifies("D7.5.translated", verifies("D7.5.formats", "comes as JSON, text, subtitles, and with its times")), async () => {
    const { transcriptions, translations } = clientOf(api).audio;
    expect((await transcriptions.create({ file: file(), model, prompt })).text).toBe(TEXT);
    expect(await transcriptions.create({ file: file(), model, prompt, response_format: "text" })).toBe(`${TEXT}\n`);
    expect(await transcriptions.create({ file: file(), model, prompt, response_format: "srt" })).toMatch(
      /^1\n00:00:00,000 --> 00:00:\d\d,\d{3}\nThe/,
    );
    expect(await transcriptions.create({ file: file(), model, prompt, response_format: "vtt" })).toStartWith("WEBVTT\n");
    const timed = await transcriptions.create({
      file: file(),
      model,
      language: "de",
      response_format: "verbose_json",
      timestamp_granularities: ["word", "segment"],
    });
    expect([timed.language, timed.segments?.length, timed.words?.[0]?.word]).toEqual(["de", 1, "The"]);
    expect((await translations.create({ file: file(), model })).text).toBe("The sandbox has heard talk.wav.");
    expect(String(await translations.create({ file: file(), model, response_format: "srt" }))).toContain("-->");
  });
  test(verifies("D7.5.pieces", "comes in pieces"), async () => {
    const events = [];
    for await (const part of await clientOf(api).audio.transcriptions.create({ file: file(), model, prompt, stream: true }))
      events.push(part);
    expect(events.map((part) => (part.type === "transcript.text.delta" ? part.delta : "")).join("")).toBe(TEXT);
    expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", text: TEXT });
  });
});

describe("what was said", () => {
  const WIRE = `{"text": "hello",  "usage":${JSON.stringify(USAGE)}}`;
  const EVENTS =
    event({ type: "transcript.text.delta", delta: "my sec" }) +
    event({ type: "transcript.text.delta", delta: "ret" }) +
    event({ type: "transcript.text.done", text: "my secret", usage: USAGE });

  test(verifies("D7.5.form-passes", "passes byte for byte, and so does the form that asked for it; tokens are counted"), async () => {
    api.upstream.answer(jsonAnswer(WIRE));
    const answer = await listen(api.replayed, { model: "gpt-4o-transcribe", "include[]": "logprobs", x_tomorrow: "1" });
    expect(answer.text).toBe(WIRE);
    const seen = api.upstream.received.at(-1);
    expect(seen?.path).toBe("/v1/audio/transcriptions");
    expect(Buffer.from(seen?.body ?? []).includes(Buffer.from(SOUND))).toBeTrue();
    const { response, metrics } = await loggedOf(api, answer);
    expect(response).toEqual({ text: "hello", usage: USAGE });
    expect(metrics).toMatchObject({ ai_model: "gpt-4o-transcribe", req_units: 140, res_units: 20, total_units: 160 });
    expect(at(metrics, "cost")).toBeGreaterThan(0);
  });
  test("as events passes byte for byte, and its tokens are counted", async () => {
    api.upstream.answer(sseAnswer(EVENTS));
    const answer = await listen(api.replayed, { model: "gpt-4o-transcribe", stream: "true" });
    expect(answer.text).toBe(EVENTS);
    expect(await loggedOf(api, answer)).toMatchObject({ metrics: { req_units: 140, res_units: 20, total_units: 160 } });
  });
  test.each([
    ["JSON", jsonAnswer({ text: "my secret" })],
    ["text", { body: "my secret\n", headers: { "content-type": "text/plain; charset=utf-8" } }],
    ["subtitles", { body: "WEBVTT\n\n00:00.000 --> 00:01.000\nmy secret\n", headers: { "content-type": "text/vtt" } }],
    ["events", sseAnswer(EVENTS)],
  ])("is denied as %s by an output guardrail", async (_, answered) => {
    api.upstream.answer(answered);
    const headers = denying(api.replayed, "output", "secret");
    for (const path of ["transcriptions", "translations"])
      expect(await listen(headers, { model: "m" }, path)).toMatchObject({ status: 446, text: expect.stringContaining("hooks_failed") });
    const passing = denying(api.replayed, "output", "another word");
    const expected =
      typeof answered.body === "string" && !answered.body.startsWith("{") ? answered.body : expect.stringContaining("my secret");
    expect(await listen(passing, { model: "m" })).toMatchObject({ status: 200, text: expected });
  });
  test(verifies("D7.5.guarded", "is not asked for when an input guardrail denies the prompt"), async () => {
    const before = api.upstream.received.length;
    for (const path of ["transcriptions", "translations"])
      expect(await listen(denying(api.replayed, "input", "secret"), { model: "m", prompt: "a secret" }, path)).toMatchObject({
        status: 446,
      });
    expect(api.upstream.received.length).toBe(before);
  });
  test("is refused by name where a provider cannot hear, and what is missing is named", async () => {
    expect((await listen({ "x-gateway-provider": "anthropic" }, { model: "m" })).text).toContain("anthropic");
    const asked = { method: "POST", headers: { "x-gateway-api-key": GATEWAY_KEY, ...SANDBOX }, body: new FormData() };
    asked.body.set("model", "m");
    expect(await (await fetch(`${api.gateway.base}/v1/audio/transcriptions`, asked)).json()).toMatchObject({ error: { param: "file" } });
  });
});
