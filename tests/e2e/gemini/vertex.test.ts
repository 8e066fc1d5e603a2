/** The official Gemini client over Vertex AI: Google's own models natively, Claude by translation; and models of saved providers. */
import { expect, test } from "bun:test";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { forAll } from "../endpoints/api.ts";
import { anthropicBody, anthropicStream } from "../messages/stand-ins.ts";
import { byGoogle, clientOf, type Json } from "./stand-ins.ts";

const api = forAll();
const vertex = () =>
  clientOf(api.gateway.base, {
    "x-gateway-provider": "vertex-ai",
    "x-gateway-custom-host": api.upstream.url,
    "x-gateway-vertex-project-id": "acme-1",
    "x-gateway-vertex-region": "europe-west4",
    authorization: "Bearer ya29.of-the-client",
  });
const PLACE = "/v1/projects/acme-1/locations/europe-west4/publishers";
const last = () => api.upstream.received.at(-1) ?? expect.unreachable();
async function streamed(client: ReturnType<typeof vertex>, model: string): Promise<string> {
  let text = "";
  for await (const chunk of await client.models.generateContentStream({ model, contents: "Hello" })) text += chunk.text ?? "";
  return text;
}

test("Gemini gets the client's own body at its path there, whole, streamed and counted", async () => {
  api.upstream.answer(byGoogle([{ text: "Ciao" }]));
  const asks = { model: "gemini-2.5-flash", contents: "Hello" };
  const body = { contents: [{ parts: [{ text: "Hello" }], role: "user" }] };
  expect((await vertex().models.generateContent(asks)).text).toBe("Ciao");
  expect([last().path, last().json(), last().headers.get("authorization")]).toEqual([
    `${PLACE}/google/models/gemini-2.5-flash:generateContent`,
    body,
    "Bearer ya29.of-the-client",
  ]);
  expect(await streamed(vertex(), "google.gemini-2.5-flash")).toBe("Ciao");
  expect(last().path).toBe(`${PLACE}/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse`);
  api.upstream.answer(jsonAnswer({ totalTokens: 3 }));
  expect((await vertex().models.countTokens(asks)).totalTokens).toBe(3);
  expect([last().path, last().json()]).toEqual([`${PLACE}/google/models/gemini-2.5-flash:countTokens`, body]);
});

test("Claude is asked in its own form, whole, streamed and counted", async () => {
  const message = { content: [{ type: "text", text: "Ciao" }] };
  api.upstream.answer(({ path }) =>
    path.endsWith("streamRawPredict") ? sseAnswer(anthropicStream(message)) : jsonAnswer(anthropicBody(message)),
  );
  const model = "anthropic.claude-sonnet-4-5@20250929";
  expect((await vertex().models.generateContent({ model, contents: "Hello" })).text).toBe("Ciao");
  expect(last().path).toBe(`${PLACE}/anthropic/models/claude-sonnet-4-5@20250929:rawPredict`);
  expect((last().json() as Json)["messages"]).toEqual([{ role: "user", content: "Hello" }]);
  expect(await streamed(vertex(), model)).toBe("Ciao");
  expect(last().path).toBe(`${PLACE}/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict`);
  api.upstream.answer(jsonAnswer({ input_tokens: 9 }));
  expect((await vertex().models.countTokens({ model, contents: "Hello" })).totalTokens).toBe(9);
});

test("a model of a saved provider is named by its slug, with the provider's own key", async () => {
  const slug = "my-gemini";
  const made = { name: slug, slug, ai_provider_id: "google", workspace_id: "default", key: "AIza-saved-key-0123456789" };
  await api.admin("POST", "/admin/v2/integrations", { ...made, configurations: { custom_host: api.upstream.url } });
  const client = clientOf(api.gateway.base, {});
  api.upstream.answer(byGoogle([{ text: "Ciao" }]));
  expect(await streamed(client, `@${slug}/gemini-2.5-flash`)).toBe("Ciao");
  expect([last().path, last().json(), last().headers.get("x-goog-api-key")]).toEqual([
    "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    { contents: [{ parts: [{ text: "Hello" }], role: "user" }] },
    "AIza-saved-key-0123456789",
  ]);
  api.upstream.answer(jsonAnswer({ embeddings: [{ values: [1] }] }));
  await client.models.embedContent({ model: `@${slug}/gemini-embedding-001`, contents: "a" });
  expect([last().path, last().json()]).toMatchObject([
    "/v1beta/models/gemini-embedding-001:batchEmbedContents",
    { requests: [{ model: "models/gemini-embedding-001" }] },
  ]);
});
