/** Tokens that a provider reports, in any of the usual forms: what is asked, and whom, makes no difference. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { bodyOf, forAll, type Json } from "./api.ts";
import { loggedOf } from "./client.ts";

const api = forAll();
const azure = (): Readonly<Record<string, string>> => ({
  ...{ "x-gateway-provider": "azure-openai", "x-gateway-azure-resource-name": "r", "x-gateway-azure-api-version": "2024-10-21" },
  ...{ "x-gateway-azure-deployment-id": "d", "x-gateway-custom-host": api.upstream.url, authorization: "Bearer k" },
});
const compatible = (): Readonly<Record<string, string>> => ({ ...api.replayed, "x-gateway-provider": "openai-compatible" });
const providers = { openai: () => api.replayed, "azure-openai": azure, "openai-compatible": compatible };

describe.each(Object.keys(providers) as (keyof typeof providers)[])("%s", (provider) => {
  const counted = async (path: string, body: Json, answer: Json) => {
    api.upstream.answer(jsonAnswer(answer));
    const asked = await api.data("POST", path, providers[provider](), { model: "m", ...body });
    bodyOf(asked);
    return (await loggedOf(api, asked)).metrics;
  };
  test.each<[string, Json, number | null]>([
    ["prompt and total", { prompt_tokens: 5, total_tokens: 5 }, 5],
    ["total alone", { total_tokens: 5 }, 5],
  ])("embeddings: %s", async (_, usage, tokens) => {
    const answer = { object: "list", data: [{ object: "embedding", index: 0, embedding: [1] }], model: "m", usage };
    expect(await counted("/v1/embeddings", { input: "x" }, answer)).toMatchObject({ req_units: tokens });
  });
  test("images: input, output and their details", async () => {
    if (provider === "openai-compatible") return expect(provider).not.toBe("openai"); // declares no images
    const usage = { input_tokens: 28, output_tokens: 272, total_tokens: 300, output_tokens_details: { reasoning_tokens: 20 } };
    expect(await counted("/v1/images/generations", { prompt: "x" }, { created: 1, data: [], usage })).toMatchObject({
      ...{ req_units: 28, res_units: 272 },
    });
  });
});

describe("in the events of a stream that nobody reads,", () => {
  const done = (usage: string): string => `data: {"type":"image_generation.completed","b64_json":"AA==",${usage}}\n\n`;
  const USAGE = '{"input_tokens":28,"output_tokens":272,"total_tokens":300}';
  test.each([
    ["as they are", done(`"usage":${USAGE}`)],
    ["with blanks", done(`"usage" : ${USAGE}`)],
    ["before an event that has none", done(`"usage":${USAGE}`) + done('"usage":null')],
    ["before a text that looks like some", done(`"usage":${USAGE},"note":"\\"usage\\": {"`)],
  ])("%s", async (_, wire) => {
    api.upstream.answer(sseAnswer(wire));
    const answer = await api.data("POST", "/v1/images/generations", api.replayed, { model: "m", prompt: "x", stream: true });
    expect(answer.status).toBe(200);
    expect((await loggedOf(api, answer)).metrics).toMatchObject({ req_units: 28, res_units: 272 });
  });
});
