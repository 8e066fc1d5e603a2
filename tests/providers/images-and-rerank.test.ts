/** Images and rerank of the providers whose wires are their own. */
import { describe, expect, test } from "bun:test";
import { type Adapter, GatewayError, type Json, type OperationId, type OutgoingRequest, type Provider, UpstreamFailure } from "#contract";
import bedrockPlugin from "../../providers/bedrock/index.ts";
import vertexPlugin from "../../providers/vertex-ai/index.ts";
import { fakeHost } from "../kit/host.ts";
import { ask } from "../kit/provider.ts";

const caught = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (thrown) {
    return thrown;
  }
};
const { host: bedrockHost } = await fakeHost(bedrockPlugin.needs);
const bedrock: Provider = (await bedrockPlugin.setup(bedrockHost, { domain: "amazonaws.com" })).provides;
const { host: vertexHost } = await fakeHost(["net:*"], { id: "vertex-ai" });
const vertex: Provider = (await vertexPlugin.setup(vertexHost, {})).provides;

const KEYS = { aws_region: "eu-west-1", aws_access_key_id: "AKIA", aws_secret_access_key: "s" };
const at = (model: string, fields: Json) => ({ fields, apiKey: "key", customHost: null, model });
function served(provider: Provider, operation: OperationId, fields: Json) {
  const adapter: Adapter = provider.operations[operation] ?? expect.unreachable();
  const asking = (model: string) => ask(operation, at(model, fields));
  return {
    path: (model: string) => (typeof adapter.path === "function" ? adapter.path({}, asking(model)) : adapter.path),
    sent: (model: string, body: Json) => caught(() => adapter.request?.({ model, ...body }, asking(model))),
    read: (model: string, body: Json) => caught(() => adapter.response?.(body, asking(model))),
  };
}

describe("images on Bedrock", () => {
  const { path, sent, read } = served(bedrock, "imageGenerate", KEYS);
  const [CANVAS, CORE, XL] = ["us.amazon.nova-canvas-v1:0", "stability.stable-image-core-v1:1", "stability.stable-diffusion-xl-v1"];
  const rows: readonly (readonly [string, Json, Json])[] = [
    [
      CANVAS,
      { prompt: "a hat", n: 2, size: "1024x768", quality: "hd", seed: 0, negative_prompt: "cats", response_format: "b64_json", user: "u" },
      {
        taskType: "TEXT_IMAGE",
        textToImageParams: { text: "a hat", negativeText: "cats" },
        imageGenerationConfig: { numberOfImages: 2, width: 1024, height: 768, quality: "premium", seed: 0 },
      },
    ],
    [
      CANVAS,
      { prompt: "a hat", size: "auto", taskType: "BACKGROUND_REMOVAL", backgroundRemovalParams: { image: "AA" } },
      {
        taskType: "BACKGROUND_REMOVAL",
        textToImageParams: { text: "a hat" },
        imageGenerationConfig: {},
        backgroundRemovalParams: { image: "AA" },
      },
    ],
    [
      CORE,
      { prompt: "a hat", size: "1792x1024", n: 1, output_format: "png" },
      { prompt: "a hat", aspect_ratio: "16:9", output_format: "png" },
    ],
    [CORE, { prompt: "a hat", aspect_ratio: "21:9", size: "1024x1024" }, { prompt: "a hat", aspect_ratio: "21:9" }],
    [XL, { prompt: "a hat", n: 3, size: "512x512" }, { text_prompts: [{ text: "a hat", weight: 1 }], samples: 3, width: 512, height: 512 }],
  ];
  test.each(rows)("%s is asked for %j", (model, body, wire) => {
    const { aspect_ratio, ...own } = sent(model, body) as Json;
    expect(aspect_ratio === undefined ? own : { ...own, aspect_ratio }).toEqual(wire);
  });
  test.each([
    ["a model that draws nothing", "amazon.nova-lite-v1:0", { prompt: "a" }, "model"],
    ["a size that is none", CANVAS, { prompt: "a", size: "large" }, "size"],
    ["a stream, which it cannot give", CANVAS, { prompt: "a", stream: true }, "stream"],
    ["several images of a model that draws one", CORE, { prompt: "a", n: 2 }, "n"],
  ])("refuses %s", (_, model, body, param) => expect(sent(model, body)).toMatchObject({ code: "REQUEST_INVALID", param }));
  test.each([
    [CANVAS, { images: ["AA", "BB"] }, ["AA", "BB"]],
    [CORE, { seeds: [1], finish_reasons: [null], images: ["AA"] }, ["AA"]],
    [XL, { result: "success", artifacts: [{ base64: "AA", finishReason: "SUCCESS" }] }, ["AA"]],
  ])("%s answers in OpenAI's form", (model, body, images) =>
    expect(read(model, body)).toEqual({ created: expect.any(Number), data: images.map((b64_json) => ({ b64_json })) }),
  );
  test.each([
    [CANVAS, { error: "all were filtered" }, "all were filtered"],
    [CORE, { finish_reasons: ["Filter reason: prompt"], images: [null] }, "Filter reason: prompt"],
  ])("%s says why it drew nothing", (model, body, why) => {
    const thrown = read(model, body);
    expect(UpstreamFailure.is(thrown)).toBeTrue();
    expect(thrown).toMatchObject({ status: 400, message: expect.stringContaining(why), error: { code: "content_filter" } });
  });
  test("go to the model's own path", () => expect(path(CANVAS)).toBe("/model/us.amazon.nova-canvas-v1%3A0/invoke"));
});

describe("rerank on Bedrock", () => {
  const { path, sent, read } = served(bedrock, "rerank", KEYS);
  const MODEL = "cohere.rerank-v3-5:0";
  const configured = (more: Json): Json => ({
    type: "BEDROCK_RERANKING_MODEL",
    bedrockRerankingConfiguration: { modelConfiguration: { modelArn: `arn:aws:bedrock:eu-west-1::foundation-model/${MODEL}` }, ...more },
  });
  test("sends texts and objects, and asks for all of them unless told how many", () => {
    const documents = ["a", { text: "b" }, { title: "c" }];
    const text = (value: string): Json => ({ type: "INLINE", inlineDocumentSource: { type: "TEXT", textDocument: { text: value } } });
    expect(sent(MODEL, { query: "q", documents })).toEqual({
      queries: [{ type: "TEXT", textQuery: { text: "q" } }],
      rerankingConfiguration: configured({ numberOfResults: 3 }),
      sources: [text("a"), text("b"), { type: "INLINE", inlineDocumentSource: { type: "JSON", jsonDocument: { title: "c" } } }],
    });
    expect(sent(MODEL, { query: "q", documents, top_n: 1 })).toMatchObject({ rerankingConfiguration: configured({ numberOfResults: 1 }) });
  });
  test("members of the model's own go to it, and an ARN stays what it is", () => {
    const arn = "arn:aws:bedrock:us-west-2::foundation-model/amazon.rerank-v1:0";
    expect(sent(arn, { query: "q", documents: ["a"], max_tokens_per_doc: 9, parameters: { x: 1 } })).toMatchObject({
      rerankingConfiguration: {
        bedrockRerankingConfiguration: {
          modelConfiguration: { modelArn: arn, additionalModelRequestFields: { max_tokens_per_doc: 9, x: 1 } },
        },
      },
    });
  });
  test("answers in the one form", () =>
    expect(read(MODEL, { results: [{ index: 1, relevanceScore: 0.9 }] })).toEqual({
      object: "list",
      model: MODEL,
      results: [{ index: 1, relevance_score: 0.9 }],
    }));
  test("goes, signed, to the host of the agents' runtime, the list of models to the control plane, and nothing else does", async () => {
    const signedFor = async (below: string, customHost: string | null = null): Promise<OutgoingRequest | undefined> => {
      const target = { ...at(MODEL, KEYS), apiKey: "", customHost };
      const url = bedrock.endpoint(target).baseUrl + below;
      return bedrock.sign?.({ method: "POST", url, headers: new Headers(), body: "{}" }, target);
    };
    const sentTo = await signedFor(String(path(MODEL)));
    expect(sentTo?.url).toBe("https://bedrock-agent-runtime.eu-west-1.amazonaws.com/rerank");
    expect(sentTo?.headers.get("authorization")).toContain("/eu-west-1/bedrock/aws4_request");
    expect((await signedFor("/foundation-models?byProvider=x"))?.url).toBe(
      "https://bedrock.eu-west-1.amazonaws.com/foundation-models?byProvider=x",
    );
    expect((await signedFor("/model/rerank/converse"))?.url).toStartWith("https://bedrock-runtime.");
    expect((await signedFor("/rerank", "https://vpce.example.com"))?.url).toBe("https://vpce.example.com/rerank");
  });
});

describe("images on Vertex AI", () => {
  const { path, sent, read } = served(vertex, "imageGenerate", { vertex_project_id: "acme-1", vertex_region: "us-central1" });
  const MODEL = "imagen-4.0-generate-001";
  const PNG = { mimeType: "image/png" };
  test.each([
    [
      { n: 2, size: "1792x1024", user: "u" },
      { sampleCount: 2, aspectRatio: "16:9", outputOptions: PNG },
    ],
    [
      { size: "1024x1024", aspect_ratio: "3:4", seed: 7, addWatermark: false },
      { aspectRatio: "3:4", seed: 7, addWatermark: false, outputOptions: PNG },
    ],
    [{ output_format: "jpeg", quality: "hd" }, { outputOptions: { mimeType: "image/jpeg", compressionQuality: 100 } }],
    [
      { negative_prompt: "cats", n: null, parameters: { outputOptions: { mimeType: "image/webp" } } },
      { negativePrompt: "cats", outputOptions: { mimeType: "image/webp" } },
    ],
  ])("%j becomes parameters", (body, parameters) =>
    expect(sent(MODEL, { prompt: "a hat", response_format: "b64_json", ...body })).toEqual({
      instances: [{ prompt: "a hat" }],
      parameters,
    }),
  );
  test("are not streamed, and say so", () =>
    expect(sent(MODEL, { prompt: "a", stream: true })).toMatchObject({ code: "REQUEST_INVALID", param: "stream" }));
  test("answer in OpenAI's form, and say why nothing was drawn", () => {
    const predictions = [{ bytesBase64Encoded: "AA", mimeType: "image/png", prompt: "a fine hat" }, { raiFilteredReason: "filtered" }];
    expect(read(MODEL, { predictions })).toEqual({ created: expect.any(Number), data: [{ b64_json: "AA", revised_prompt: "a fine hat" }] });
    expect(read(MODEL, { predictions: predictions.slice(1) })).toMatchObject({ status: 400, message: "No image was drawn: filtered." });
    expect(read(MODEL, {})).toBeInstanceOf(UpstreamFailure);
    expect(GatewayError.is(read(MODEL, {}))).toBeFalse();
  });
  test("go to the model's own path", () =>
    expect(path(MODEL)).toBe(`/v1/projects/acme-1/locations/us-central1/publishers/google/models/${MODEL}:predict`));
});
