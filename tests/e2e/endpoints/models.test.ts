/** The models list: the workspace's catalogue, and what each vendor answers in its own form. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, forAll, itemsOf, type Json, newKey, SANDBOX } from "./api.ts";

const api = forAll();
type Headers = Readonly<Record<string, string>>;

describe("the models list", () => {
  const save = async (): Promise<string> => {
    const slug = `m-${crypto.randomUUID().slice(0, 8)}`;
    const integration = { name: "Sandbox", slug, ai_provider_id: "sandbox", workspace_id: "default" };
    bodyOf(await api.admin("POST", "/admin/v2/integrations", integration));
    return slug;
  };
  const slugsListed = async (headers: Headers, path = "/v1/models"): Promise<readonly string[]> => {
    const ids = itemsOf(await api.data("GET", path, headers)).map(({ id }) => String(id));
    return [...new Set(ids.map((id) => id.split("/")[0] ?? ""))];
  };
  test(verifies("D7.6.config-slugs", "of the catalogue is that of the saved providers which the config names"), async () => {
    const [one, two, three] = [await save(), await save(), await save()];
    const both = {
      strategy: { mode: "fallback" },
      targets: [{ provider: `@${one}` }, { override_params: { model: `@${two}/sandbox-echo` } }],
    };
    const asked = (config: Json): Promise<readonly string[]> =>
      slugsListed({ "x-gateway-config": JSON.stringify({ ...config, fetch_integrated_models: true }) });
    expect((await asked(both)).toSorted()).toEqual([`@${one}`, `@${two}`].toSorted());
    expect(await asked({ provider: `@${three}` })).toEqual([`@${three}`]);
    expect(await asked({ provider: "sandbox" })).toEqual(expect.arrayContaining([`@${one}`, `@${two}`, `@${three}`]));
  });
  test(
    verifies("D7.6.query", "of the catalogue is filtered, sorted and paged by its query, and says how many there are in all"),
    async () => {
      const slug = await save();
      const listed = (query: string): Promise<Json> => api.data("GET", `/v1/models?provider=${slug}${query}`).then(bodyOf);
      const all = await listed("");
      const ids = (all["data"] as readonly Json[]).map(({ id }) => id); // a list, as its schema says
      expect(ids.length).toBeGreaterThan(2);
      expect(all).toMatchObject({ object: "list", total_count: ids.length });
      expect((await listed("&order=desc"))["data"]).toEqual((all["data"] as readonly Json[]).toReversed());
      expect(await listed("&limit=1&offset=1")).toMatchObject({ data: [{ id: ids[1] }], total_count: ids.length });
      expect(await listed("&ai_service=openai")).toMatchObject({ data: [], total_count: 0 });
      for (const wrong of ["sort=size", "order=sideways", "limit=0", "offset=-1"])
        expect(at(bodyOf(await api.data("GET", `/v1/models?${wrong}`), 400), "error", "param")).toBe(wrong.split("=")[0]);
    },
  );
  test(verifies("D7.6.scopes", "is for keys with models.list or completions.write"), async () => {
    const asked = async (scope: string): Promise<number> => {
      const key = await newKey(api, { scopes: [scope] });
      return (await fetch(`${api.gateway.base}/v1/models`, { headers: { "x-gateway-api-key": key, ...SANDBOX } })).status;
    };
    expect([await asked("models.list"), await asked("completions.write"), await asked("logs.view")]).toEqual([200, 200, 403]);
  });
});

describe("a provider's own list", () => {
  test(
    verifies("D7.6.list-provider", "says beside it which provider that is; the catalogue is nobody's, and one model stands alone"),
    async () => {
      bodyOf(
        await api.admin("POST", "/admin/v2/integrations", {
          name: "S",
          slug: "whose-list",
          ai_provider_id: "sandbox",
          workspace_id: "default",
        }),
      );
      for (const provider of ["sandbox", "@whose-list"]) {
        const list = bodyOf(await api.data("GET", "/v1/models", { "x-gateway-provider": provider }));
        expect(list).toMatchObject({ object: "list", provider: "sandbox" });
        expect(list["data"]).toBeArray();
      }
      for (const path of ["/v1/models", "/v1beta/models"]) expect(bodyOf(await api.data("GET", path, {}))).not.toHaveProperty("provider");
      expect(bodyOf(await api.data("GET", "/v1/models/echo", SANDBOX))).not.toHaveProperty("provider");
    },
  );
});

describe("a vendor's own list", () => {
  const toUpstream = (path = ""): Headers => ({ "x-gateway-custom-host": `${api.upstream.url}${path}`, authorization: "Bearer k" });
  const VENDORS: Readonly<
    Record<
      string,
      {
        readonly headers: () => Headers;
        readonly asked: string;
        readonly answer: Json;
        readonly listed: Json;
        readonly credentials: Headers;
      }
    >
  > = {
    openai: {
      headers: () => toUpstream("/v1"),
      asked: "/v1/models",
      answer: { object: "list", data: [{ id: "gpt-x", object: "model", created: 1, owned_by: "me" }] },
      listed: { id: "gpt-x", created: 1, owned_by: "me" },
      credentials: { authorization: "Bearer k" },
    },
    "azure-openai": {
      headers: () => ({ ...toUpstream("/openai/v1"), "x-gateway-azure-resource-name": "r" }),
      asked: "/openai/v1/models",
      answer: { object: "list", data: [{ id: "gpt-x", object: "model", created_at: 1 }] },
      listed: { id: "gpt-x" },
      credentials: { "api-key": "k" },
    },
    anthropic: {
      headers: () => toUpstream("/v1"),
      asked: "/v1/models?limit=1000",
      answer: { data: [{ type: "model", id: "claude-x", display_name: "Claude X", created_at: "2025-02-19T00:00:00Z" }], has_more: false },
      listed: { id: "claude-x", created: 1_739_923_200, owned_by: "anthropic", display_name: "Claude X" },
      credentials: { "x-api-key": "k" },
    },
    google: {
      headers: () => toUpstream(),
      asked: "/v1beta/models",
      answer: { models: [{ name: "models/gemini-x", displayName: "Gemini X", inputTokenLimit: 5 }] },
      listed: { id: "gemini-x", owned_by: "google", inputTokenLimit: 5 },
      credentials: { "x-goog-api-key": "k" },
    },
    "vertex-ai": {
      headers: () => ({ ...toUpstream(), "x-gateway-vertex-project-id": "acme-1", "x-gateway-vertex-region": "us-central1" }),
      asked: "/v1beta1/publishers/google/models?pageSize=100",
      answer: { publisherModels: [{ name: "publishers/google/models/gemini-x", launchStage: "GA" }] },
      listed: { id: "gemini-x", owned_by: "google", launchStage: "GA" },
      credentials: { authorization: "Bearer k", "x-goog-user-project": "acme-1" },
    },
    bedrock: {
      headers: () => ({
        ...toUpstream(),
        "x-gateway-aws-access-key-id": "AKIA",
        "x-gateway-aws-secret-access-key": "s",
        "x-gateway-aws-region": "eu-west-1",
      }),
      asked: "/foundation-models",
      answer: { modelSummaries: [{ modelId: "anthropic.claude-x", providerName: "Anthropic", modelName: "Claude X" }] },
      listed: { id: "anthropic.claude-x", owned_by: "Anthropic", modelName: "Claude X" },
      credentials: { authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKIA\/\d{8}\/eu-west-1\/bedrock\//) },
    },
  };
  test.each(Object.keys(VENDORS))(
    verifies("D7.6.native", "of %s is told in OpenAI's form, and what it says beside that stays"),
    async (provider) => {
      const { headers, asked, answer, listed, credentials } = VENDORS[provider] ?? expect.unreachable();
      api.upstream.answer(jsonAnswer(answer));
      const list = await api.data("GET", "/v1/models", {
        ...headers(),
        "x-gateway-provider": provider,
        "x-gateway-strict-open-ai-compliance": "true",
      });
      expect(bodyOf(list)).toMatchObject({ object: "list", data: [{ object: "model", ...listed }] });
      const seen = api.upstream.received.at(-1) ?? expect.unreachable();
      expect(seen.path).toStartWith(asked);
      expect(Object.fromEntries(seen.headers)).toMatchObject(credentials);
    },
  );
});
