/** Members of a body with documented limits: what is beyond them is refused by the member's name, and what is at them passes. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, forAll, type Json, SANDBOX } from "./api.ts";

const api = forAll();
const texts = (length: number): string[] => Array<string>(length).fill("a");
type Beyond = readonly (readonly [param: string, member: Json])[];

/** Each is refused, without its provider being asked. */
async function expectRefused(path: string, body: Json, beyond: Beyond): Promise<void> {
  const before = api.upstream.received.length;
  for (const [param, member] of beyond) {
    const error = at(bodyOf(await api.data("POST", path, api.replayed, { ...body, ...member }), 400), "error");
    expect({ ...member, param: at(error, "param"), type: at(error, "type") }).toEqual({ ...member, param, type: "invalid_request_error" });
  }
  expect(api.upstream.received.length).toBe(before);
}
const expectTaken = async (path: string, body: Json, within: readonly Json[]): Promise<void> => {
  for (const member of within) bodyOf(await api.data("POST", path, SANDBOX, { ...body, ...member }));
};

describe("a member beyond its limits is refused by its name, of", () => {
  const chat = { model: "m", messages: [{ role: "user", content: "x" }] };
  test(verifies("D7.1.limits", "chat completions"), async () => {
    await expectRefused("/v1/chat/completions", chat, [
      ["messages", { messages: [] }],
      ["messages", { messages: "x" }],
      ["n", { n: 0 }],
      ["n", { n: 129 }],
      ["temperature", { temperature: 2.1 }],
      ["top_p", { top_p: -0.1 }],
      ["presence_penalty", { presence_penalty: -2.1 }],
      ["frequency_penalty", { frequency_penalty: 2.1 }],
      ["top_logprobs", { top_logprobs: 21 }],
      ["max_tokens", { max_tokens: -1 }],
      ["stream", { stream: "yes" }],
    ]);
    await expectTaken("/v1/chat/completions", chat, [
      { n: 2, temperature: 2, top_p: 1, presence_penalty: -2, frequency_penalty: 2, logprobs: true, top_logprobs: 20 },
      { n: null, temperature: null, top_p: null, presence_penalty: null, frequency_penalty: null, top_logprobs: null, stop: null },
    ]);
  });
  const completion = { model: "m", prompt: "x" };
  test(verifies("D7.1.completion-limits", "completions"), async () => {
    await expectRefused("/v1/completions", completion, [
      ["prompt", { prompt: [] }],
      ["n", { n: 129 }],
      ["best_of", { best_of: 21 }],
      ["max_tokens", { max_tokens: -1 }],
      ["temperature", { temperature: 2.1 }],
      ["presence_penalty", { presence_penalty: 2.1 }],
    ]);
    await expectTaken("/v1/completions", completion, [
      { prompt: ["a", "b"], n: 2, max_tokens: 0 },
      { prompt: [1, 2] },
      { prompt: [[1], [2]] },
    ]);
  });
  const embedding = { model: "m", input: "x" };
  test(verifies("D7.3.embed-limits", "embeddings"), async () => {
    await expectRefused("/v1/embeddings", embedding, [
      ["input", { input: [] }],
      ["input", { input: texts(2049) }],
      ["dimensions", { dimensions: 0 }],
    ]);
    await expectTaken("/v1/embeddings", embedding, [{ input: texts(2048) }, { input: [1, 2] }, { dimensions: 1 }]);
  });
  const ranking = { model: "m", query: "q", documents: ["a"] };
  test(verifies("D7.3.rerank-limits", "rerank"), async () => {
    await expectRefused("/v1/rerank", ranking, [
      ["documents", { documents: [] }],
      ["query", { query: 5 }],
      ["top_n", { top_n: 0 }],
      ["max_tokens_per_doc", { max_tokens_per_doc: 0 }],
    ]);
    await expectTaken("/v1/rerank", ranking, [{ documents: ["a", { text: "b" }], top_n: 1, return_documents: true }]);
  });
  const reading = { model: "m", document: { type: "document_url", document_url: "https://a.example/a.pdf" } };
  test(verifies("D7.3.ocr-limits", "OCR"), async () => {
    await expectRefused("/v1/ocr", reading, [
      ["document.type", { document: { type: "x" } }],
      ["image_limit", { image_limit: 0 }],
      ["image_min_size", { image_min_size: 0 }],
      ["pages", { pages: ["first"] }],
    ]);
  });
  test(verifies("D7.3.moderate-limits", "moderations, whose model may be left out"), async () => {
    await expectRefused("/v1/moderations", { input: "x" }, [
      ["input", { input: [] }],
      ["input", { input: 5 }],
    ]);
    await expectTaken("/v1/moderations", {}, [{ input: "x" }, { input: ["x", "y"] }]);
  });
  const drawing = { model: "m", prompt: "x" };
  test(verifies("D7.4.limits", "images"), async () => {
    await expectRefused("/v1/images/generations", drawing, [
      ["prompt", { prompt: 5 }],
      ["n", { n: 0 }],
      ["n", { n: 11 }],
      ["response_format", { response_format: "x" }],
    ]);
    await expectTaken("/v1/images/generations", drawing, [{ n: 10 }, { response_format: "b64_json", size: "256x256" }]);
  });
  const speaking = { model: "m", input: "x", voice: "alloy" };
  test(verifies("D7.5.limits", "speech"), async () => {
    await expectRefused("/v1/audio/speech", speaking, [
      ["input", { input: "x".repeat(4097) }],
      ["speed", { speed: 0.2 }],
      ["speed", { speed: 4.1 }],
    ]);
    await expectTaken("/v1/audio/speech", speaking, [{ input: "x".repeat(4096) }, { speed: 0.25 }, { speed: 4 }]);
  });
  const responding = { model: "m", input: "x" };
  test(verifies("D7.10.limits", "responses"), async () => {
    await expectRefused("/v1/responses", responding, [
      ["temperature", { temperature: 2.1 }],
      ["top_p", { top_p: 1.1 }],
      ["top_logprobs", { top_logprobs: 21 }],
      ["max_output_tokens", { max_output_tokens: -1 }],
    ]);
    await expectTaken("/v1/responses", responding, [
      { temperature: 2, top_p: 1, max_output_tokens: 5 },
      { temperature: null, top_p: null },
    ]);
  });
  const message = { model: "m", max_tokens: 5, messages: [{ role: "user", content: "x" }] };
  test(verifies("D7.11.limits", "messages"), async () => {
    for (const [member, body] of [
      ["messages", { messages: [] }],
      ["temperature", { temperature: 1.1 }],
      ["top_k", { top_k: -1 }],
      ["max_tokens", { max_tokens: -1 }],
    ] as const) {
      const refused = bodyOf(await api.data("POST", "/v1/messages", SANDBOX, { ...message, ...body }), 400);
      expect(at(refused, "error", "message")).toContain(member);
    }
    await expectTaken("/v1/messages", message, [{ temperature: 1, top_k: 0, top_p: 1 }]);
  });
});

test(verifies("D7.1.unknown", "a member that the gateway does not know reaches the provider as it came"), async () => {
  const tomorrow = { of_tomorrow: { deep: [1, null, "ü", 1e21] }, stop: ["a", "b", "c", "d", "e"] };
  api.upstream.answer(jsonAnswer({ object: "chat.completion", choices: [] }));
  await api.data("POST", "/v1/chat/completions", api.replayed, { model: "m", messages: [{ role: "user", content: "x" }], ...tomorrow });
  expect(api.upstream.received.at(-1)?.json()).toMatchObject(tomorrow);
});
