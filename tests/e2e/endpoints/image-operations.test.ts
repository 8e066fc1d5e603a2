/** POST /v1/images/generations, /v1/images/edits and /v1/images/variations, by the official client. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { GATEWAY_KEY } from "../process.ts";
import { at, bodyOf, forAll, type Json, SANDBOX } from "./api.ts";
import { clientOf, denying, failureOf, loggedOf } from "./client.ts";

const api = forAll();
const image = () => new File([new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])], "cat.png", { type: "image/png" });
const PNG = /^iVBORw0KGgo/;
const USAGE = { total_tokens: 300, input_tokens: 28, output_tokens: 272, input_tokens_details: { text_tokens: 18, image_tokens: 10 } };
const event = (type: string, more: Json): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const generate = (headers: Readonly<Record<string, string>>, body: Json) => api.data("POST", "/v1/images/generations", headers, body);

describe("the official client", () => {
  test(verifies("1.tag-images", "generates, edits and varies images, as data and as links"), async () => {
    const { images } = clientOf(api);
    const generated = await images.generate({ model: "sandbox-image", prompt: "a hat", n: 2, response_format: "b64_json" });
    expect(generated.data?.map(({ b64_json }) => b64_json)).toEqual([expect.stringMatching(PNG), expect.stringMatching(PNG)]);
    const edited = await images.edit({ model: "sandbox-image", image: image(), mask: image(), prompt: "a hat" });
    expect(edited.data?.map(({ url }) => url)).toEqual([expect.stringMatching(/^https:/)]);
    const both = await images.edit({ model: "sandbox-image", image: [image(), image()], prompt: "a hat" });
    expect(both.data).toHaveLength(1);
    const varied = await images.createVariation({ image: image(), n: 3, response_format: "b64_json" });
    expect(varied.data?.map(({ b64_json }) => PNG.test(b64_json ?? ""))).toEqual([true, true, true]);
    const linked = await images.createVariation({ image: image() });
    expect(linked.data?.map(({ url }) => url)).toEqual([expect.stringMatching(/^https:/)]);
  });
  test(verifies("D7.4.partial", "sees an image while it is drawn, and when it is done"), async () => {
    const { images } = clientOf(api);
    const ask = { model: "gpt-image-1", prompt: "a hat", stream: true as const, partial_images: 2 };
    const seen = [];
    for await (const { type } of await images.generate(ask)) seen.push(type);
    for await (const { type } of await images.edit({ ...ask, image: image() })) seen.push(type);
    expect(seen.map(String)).toEqual([
      "image_generation.partial_image",
      "image_generation.partial_image",
      "image_generation.completed",
      "image_edit.partial_image",
      "image_edit.partial_image",
      "image_edit.completed",
    ]);
  });
});

describe("what passes", () => {
  test(verifies("D7.4.passes", "a request with members of tomorrow and its answer, byte for byte; tokens are counted"), async () => {
    const wire = JSON.stringify({ created: 1, data: [{ b64_json: "AA==" }], x_new: 1, usage: USAGE }, null, 1);
    api.upstream.answer(jsonAnswer(wire));
    const body = { model: "gpt-image-1", prompt: "a hat", background: "transparent", moderation: "low", output_compression: 50, x: [1] };
    const answer = await generate(api.replayed, body);
    expect([answer.text, api.upstream.received.at(-1)?.json()]).toEqual([wire, body]);
    expect(await loggedOf(api, answer)).toMatchObject({ request: body, metrics: { req_units: 28, res_units: 272 } });
  });
  test(verifies("D7.4.json-edit", "an edit as JSON, its images as links, which guardrails read too"), async () => {
    const edit = (headers: Readonly<Record<string, string>>, body: Json) => api.data("POST", "/v1/images/edits", headers, body);
    const body = {
      model: "gpt-image-1",
      images: [{ image_url: "https://example.com/cat.png" }, { file_id: "file-1" }],
      prompt: "a hat",
      x: 1,
    };
    const wire = `{"created":1,"data":[{"b64_json":"AA=="}] }`;
    api.upstream.answer(jsonAnswer(wire));
    const seen = async (headers: Readonly<Record<string, string>>) => [
      (await edit(headers, body)).text,
      api.upstream.received.at(-1)?.json(),
    ];
    expect(await seen(api.replayed)).toEqual([wire, body]);
    expect(bodyOf(await edit(SANDBOX, body))).toMatchObject({ data: [{ revised_prompt: "a hat" }] });
    bodyOf(await edit(denying(SANDBOX, "input", "a hat"), body), 446);
    for (const more of [{ images: [] }, {}])
      expect(at(bodyOf(await edit(SANDBOX, { prompt: "a hat", ...more }), 400), "error", "param")).toBe("images");
  });
  test("events, byte for byte; usage behind an image of a megabyte is counted, and the log keeps no image", async () => {
    const large = Buffer.alloc(1024 * 1024, 7).toString("base64");
    const wire =
      event("image_generation.partial_image", { b64_json: large, partial_image_index: 0 }) +
      event("image_generation.completed", { b64_json: large, usage: USAGE });
    api.upstream.answer(sseAnswer(wire));
    const answer = await generate(api.replayed, { model: "gpt-image-1", prompt: "a hat", stream: true, partial_images: 1 });
    expect(answer.text === wire).toBeTrue();
    expect(answer.headers.get("content-type")).toStartWith("text/event-stream");
    const { response, metrics } = await loggedOf(api, answer);
    expect(metrics).toMatchObject({ req_units: 28, res_units: 272, total_units: 300 });
    expect(response).toBeUndefined();
  });
  test(verifies("D7.4.variation", "the form of a variation, with its files"), async () => {
    api.upstream.answer(jsonAnswer({ created: 1, data: [{ url: "https://images.example.com/1.png" }] }));
    const { data } = await clientOf(api, api.replayed).images.createVariation({ image: image(), model: "dall-e-2", size: "256x256" });
    expect(data?.[0]?.url).toBe("https://images.example.com/1.png");
    const seen = api.upstream.received.at(-1);
    expect([seen?.path, seen?.text().includes('filename="cat.png"'), seen?.text().includes("256x256")]).toEqual([
      "/v1/images/variations",
      true,
      true,
    ]);
  });
});

test(verifies("D7.4.guarded", "an input guardrail denies a prompt, in JSON and in a form"), async () => {
  const { images } = clientOf(api, denying(SANDBOX, "input", "secret"));
  for (const asked of [
    () => images.generate({ prompt: "a secret" }),
    () => images.generate({ prompt: "a secret", stream: true }),
    () => images.edit({ image: image(), prompt: "a secret" }),
  ])
    expect(await failureOf(asked())).toMatchObject({ status: 446, type: "hooks_failed" });
  expect((await images.edit({ image: image(), prompt: "a hat" })).data).toHaveLength(1);
});
describe("a form that two readers could take for two", () => {
  const prompt = (text: string, more = ""): string => `Content-Disposition: form-data; name="prompt"${more}\r\n\r\n${text}\r\n`;
  const GOOD = `--A\r\n${prompt("good")}`;
  const BAD = prompt("a secret");
  test.each([
    ["two boundaries", 400, 'x="; boundary=A"; boundary=B', `${GOOD}--A--\r\n--B\r\n${BAD}--B--\r\n`],
    ["words behind its end", 400, "boundary=A", `${GOOD}--A--junk\r\n--A\r\n${BAD}--A--\r\n`],
    ["two prompts", 400, "boundary=A", `--A\r\n${BAD}${GOOD}--A--\r\n`],
    ["an encoded prompt", 400, "boundary=A", `--A\r\nContent-Transfer-Encoding: base64\r\n${prompt("YSBzZWNyZXQ=")}--A--\r\n`],
    ["a prompt with an empty file name", 446, "boundary=A", `--A\r\n${prompt("a secret", '; filename=""')}--A--\r\n`],
  ])("is kept from the provider by a guardrail: %s", async (_, status, parameters, body) => {
    const before = api.upstream.received.length;
    const headers = { ...denying(api.replayed, "input", "secret"), "content-type": `multipart/form-data; ${parameters}` };
    const asked = { method: "POST", headers: { "x-gateway-api-key": GATEWAY_KEY, ...headers }, body };
    expect((await fetch(`${api.gateway.base}/v1/images/edits`, asked)).status).toBe(status);
    expect(api.upstream.received.length).toBe(before);
  });
});
test("what is wrong is named, and so is a provider without the operation", async () => {
  expect(at(bodyOf(await generate(SANDBOX, { prompt: "a", n: 11 }), 400), "error", "param")).toBe("n");
  expect(await failureOf(clientOf(api).images.createVariation({ image: image(), n: 11 }))).toMatchObject({ status: 400, param: "n" });
  for (const provider of ["anthropic", "azure-openai"])
    expect(
      ((await failureOf(clientOf(api, { "x-gateway-provider": provider }).images.createVariation({ image: image() }))) as Error).message,
    ).toContain(provider);
});

describe("a provider whose wire is its own", () => {
  const bedrock = () => ({
    "x-gateway-provider": "bedrock",
    "x-gateway-custom-host": api.upstream.url,
    "x-gateway-aws-access-key-id": "AKIA",
    "x-gateway-aws-secret-access-key": "secret-of-these-tests",
    "x-gateway-aws-region": "us-east-1",
  });
  const ask = { model: "amazon.nova-canvas-v1:0", prompt: "a hat", n: 2, size: "512x512" } as const;
  test("draws for the official client", async () => {
    api.upstream.answer(jsonAnswer({ images: ["AA==", "BB=="] }));
    const { data } = await clientOf(api, bedrock()).images.generate(ask);
    expect(data).toEqual([{ b64_json: "AA==" }, { b64_json: "BB==" }]);
    expect(api.upstream.received.at(-1)?.json()).toMatchObject({ imageGenerationConfig: { numberOfImages: 2, width: 512, height: 512 } });
  });
  test("says why it does not, in the error that the client knows", async () => {
    api.upstream.answer(jsonAnswer({ images: [], error: "filtered" }));
    const thrown = await failureOf(clientOf(api, bedrock()).images.generate(ask));
    expect(thrown).toMatchObject({ status: 400, code: "content_filter", message: expect.stringContaining("filtered") });
  });
});
