/** Google's official client lists and reads models: the workspace's catalogue, a provider's own, and what is not there. */
import { ApiError, type GoogleGenAI, type Model } from "@google/genai";
import { beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { forAll, itemsOf } from "../endpoints/api.ts";
import { GATEWAY_KEY } from "../process.ts";
import { clientOf, PROVIDER_KEY } from "./stand-ins.ts";

const api = forAll();
beforeAll(async () => {
  const made = { name: "listed", slug: "listed", ai_provider_id: "google", workspace_id: "default", key: "AIza-saved-key-0123456789" };
  await api.admin("POST", "/admin/v2/integrations", { ...made, configurations: { custom_host: api.upstream.url } });
});
const google = (headers: Readonly<Record<string, string>> = {}): GoogleGenAI => clientOf(api.gateway.base, headers);
const ofProvider = (): GoogleGenAI => google({ "x-gateway-provider": "google", "x-gateway-custom-host": api.upstream.url });
const openAiIds = async (): Promise<readonly string[]> => {
  const answer = await api.data("GET", "/v1/models", {});
  return itemsOf(answer).map(({ id }) => String(id));
};
async function all(client: GoogleGenAI, pageSize?: number): Promise<readonly Model[]> {
  const models: Model[] = [];
  for await (const model of await client.models.list(pageSize === undefined ? {} : { config: { pageSize } })) models.push(model);
  return models;
}
const failure = async (asked: Promise<unknown>): Promise<unknown> => {
  const thrown = await asked.catch((error: unknown) => error);
  return thrown instanceof ApiError ? [thrown.status, JSON.parse(thrown.message)] : thrown;
};

describe("the catalogue", () => {
  test(verifies("D7.gemini.models.list", "is listed in Google's form, page by page"), async () => {
    const ids = await openAiIds();
    expect(ids).toContain("@listed/gemini-2.5-flash");
    for (const pageSize of [undefined, 2]) {
      const models = await all(google(), pageSize);
      expect(models.map(({ name }) => name)).toEqual(ids.map((id) => `models/${id}`));
    }
    const first = await google().models.list({ config: { pageSize: 2 } });
    expect([first.page.length, first.hasNextPage()]).toEqual([2, ids.length > 2]);
  });
  test(verifies("D7.gemini.models.get", "gives one of its models by name"), async () => {
    expect(await google().models.get({ model: "models/@listed/gemini-2.5-flash" })).toMatchObject({
      name: "models/@listed/gemini-2.5-flash",
      displayName: "@listed/gemini-2.5-flash",
    });
  });
  test("says in Google's form what is wrong or not there", async () => {
    const missing = { error: { code: 404, status: "NOT_FOUND", message: expect.stringContaining("nothing-of-this-name") } };
    expect(await failure(google().models.get({ model: "nothing-of-this-name" }))).toEqual([
      404,
      expect.objectContaining({ ...missing, error: expect.objectContaining(missing.error) }),
    ]);
    const wrong = await api.data("GET", "/v1beta/models?pageSize=0", {});
    expect([wrong.status, wrong.json["error"]]).toMatchObject([
      400,
      { code: 400, status: "INVALID_ARGUMENT", message: expect.stringContaining("pageSize") },
    ]);
    const none = await fetch(`${api.gateway.base}/v1beta/models`);
    expect([none.status, await none.json()]).toMatchObject([401, { error: { code: 401, status: "UNAUTHENTICATED" } }]);
  });
});

describe("a provider that the request names", () => {
  const FLASH = { name: "models/gemini-2.5-flash", displayName: "Gemini 2.5 Flash", inputTokenLimit: 1_048_576, version: "001" };
  test(verifies("D7.gemini.models.list", "is asked for its own list and model"), async () => {
    api.upstream.answer(jsonAnswer({ models: [FLASH] }));
    expect(await all(ofProvider())).toMatchObject([FLASH]);
    expect(api.upstream.received.at(-1)?.path).toBe("/v1beta/models?pageSize=1000");
    api.upstream.answer(jsonAnswer(FLASH));
    expect(await ofProvider().models.get({ model: "gemini-2.5-flash" })).toMatchObject(FLASH);
    const seen = api.upstream.received.at(-1);
    expect([seen?.path, seen?.headers.get("x-goog-api-key")]).toEqual(["/v1beta/models/gemini-2.5-flash", PROVIDER_KEY]);
    expect(seen?.headers.get("x-gateway-api-key")).not.toBe(GATEWAY_KEY);
  });
  test("may be one of OpenAI's form", async () => {
    const client = google({ "x-gateway-provider": "openai", "x-gateway-custom-host": `${api.upstream.url}/v1` });
    const gpt = { id: "gpt-5", object: "model", created: 1, owned_by: "openai" };
    api.upstream.answer(jsonAnswer({ object: "list", data: [gpt] }));
    expect(await all(client)).toMatchObject([{ name: "models/gpt-5", displayName: "gpt-5" }]);
    api.upstream.answer(jsonAnswer(gpt));
    expect(await client.models.get({ model: "gpt-5" })).toMatchObject({ name: "models/gpt-5" });
    expect(api.upstream.received.at(-1)?.path).toBe("/v1/models/gpt-5");
  });
});
