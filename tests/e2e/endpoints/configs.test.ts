/** Saved configs: their resource, and what they do to requests. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { type Answer, chat } from "../process.ts";
import { at, bodyOf, expectError, forAll, ISO, itemsOf, type Json, logOf, SANDBOX, UUID } from "./api.ts";

const api = forAll();
const create = (config: unknown, more: Json = {}): Promise<Answer> =>
  api.admin("POST", "/v2/configs", { name: "Ours", workspace_id: "default", config, ...more });
const slugOf = async (config: Json): Promise<string> => String(at(bodyOf(await create(config)), "data", "slug"));
const read = async (slug: string): Promise<Json> => bodyOf(await api.admin("GET", `/v2/configs/${slug}`));
const using = (config: string, body: Json = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  chat(api.gateway, body, { "x-gateway-config": config, ...headers });

const DOCUMENTED: Json = {
  retry: { attempts: 3, on_status_codes: [429, 503] },
  cache: { mode: "simple", max_age: 3600 },
  strategy: { mode: "fallback" },
  targets: [{ provider: "sandbox" }, { virtual_key: "my-key" }],
};

describe("E8: GET /v2/configs/{slug}", () => {
  test(verifies("E8.get", "gives the config of that slug"), async () => {
    const slug = await slugOf({ provider: "sandbox" });
    expect(await read(slug)).toMatchObject({
      success: true,
      data: { slug, name: "Ours", id: UUID, created_at: ISO, config: { provider: "sandbox" } },
    });
  });
  test("serves requests by its slug and by its id", async () => {
    const made = at(bodyOf(await create({ provider: "sandbox", override_params: { model: "sandbox-error-418" } })), "data") as Json;
    for (const name of [made["slug"], made["id"]]) expect((await using(String(name))).status).toBe(418);
    expect((await using(crypto.randomUUID())).status).toBe(400);
  });
  test(verifies("2.11.fields", "reads back what was written: retry, cache, strategy and targets"), async () => {
    const body = await read(await slugOf(DOCUMENTED));
    expect(body["success"]).toBe(true);
    expect(at(body, "data", "config")).toEqual(DOCUMENTED);
  });
  test(verifies("2.11.more", "carries fetch_integrated_models, input_guardrails, output_guardrails and anthropic_beta"), async () => {
    const config = {
      provider: "anthropic",
      fetch_integrated_models: true,
      input_guardrails: [{ "default.wordCount": { maxWords: 5 } }],
      output_guardrails: [{ "default.contains": { words: ["x"], operator: "none" } }],
      anthropic_beta: "files-2025",
    };
    expect(at(await read(await slugOf(config)), "data", "config")).toEqual(config);
  });
  test.each(["pc-nobody", "..%2f", "a".repeat(300), "%00"])("answers 404 and the error body for %s", async (slug) =>
    expectError(await api.admin("GET", `/v2/configs/${slug}`), 404, "AB08"),
  );
  test(verifies("4.success", "and every documented read, answers 200 with JSON"), async () => {
    const slug = await slugOf({ provider: "sandbox" });
    const paths = [
      `/v2/configs/${slug}`,
      "/v2/configs",
      "/v2/guardrails",
      "/v2/providers",
      "/v2/api-keys",
      "/v2/policies/rate-limits",
      "/admin/v2/integrations",
      "/admin/v2/guardrails",
    ];
    for (const path of paths) {
      const answer = await api.admin("GET", path);
      expect({ path, status: answer.status, type: answer.headers.get("content-type") }).toEqual({
        path,
        status: 200,
        type: expect.stringMatching(/^application\/json/),
      });
    }
  });
});

describe("a config", () => {
  test(verifies("1.control-configs", "can be created, listed, read, updated and deleted"), async () => {
    const slug = await slugOf({ provider: "sandbox" });
    expect(itemsOf(await api.admin("GET", "/v2/configs?workspace_id=default")).some((one) => one["slug"] === slug)).toBe(true);
    bodyOf(await api.admin("PUT", `/v2/configs/${slug}`, { name: "Theirs", config: { provider: "openai" } }));
    expect(await read(slug)).toMatchObject({ data: { name: "Theirs", config: { provider: "openai" } } });
    bodyOf(await api.admin("DELETE", `/v2/configs/${slug}`));
    expectError(await api.admin("GET", `/v2/configs/${slug}`), 404, "AB08");
  });
  test.each<[string, unknown]>([
    ["no object", "sandbox"],
    ["an unknown member", { provder: "sandbox" }],
    ["an absent strategy", { strategy: { mode: "magic" }, targets: [{ provider: "sandbox" }] }],
    ["no targets", { strategy: { mode: "fallback" } }],
    ["empty targets", { strategy: { mode: "fallback" }, targets: [] }],
    ["a wrong type", { provider: "sandbox", retry: { attempts: "three" } }],
    ["a status that is none", { retry: { attempts: 1, on_status_codes: [99] } }],
    ["a private host", { provider: "openai", custom_host: "http://192.168.0.1/v1" }],
    ["a negative weight", { strategy: { mode: "loadbalance" }, targets: [{ provider: "sandbox", weight: -1 }] }],
    ["nothing", {}],
    ["a target that says nothing", { targets: [{}] }],
  ])(verifies("7.ab-codes", "with %s is refused with a code of the form AB01"), async (_, config) =>
    expectError(await create(config), 400, "AB01"),
  );
  test.each(["input_guardrails", "output_guardrails"])(
    verifies("2.6.slugs-in-configs", "naming an unknown guardrail in %s is refused, at create and at update"),
    async (member) => {
      for (const named of ["pg-nobody", "not a slug at all", ""])
        expectError(await create({ provider: "sandbox", [member]: [named] }), 400, "AB01");
      const slug = await slugOf({ provider: "sandbox" });
      expectError(await api.admin("PUT", `/v2/configs/${slug}`, { config: { provider: "sandbox", [member]: ["pg-nobody"] } }), 400, "AB01");
    },
  );
  test(verifies("7.unknown-slugs", "naming one deep inside its targets is refused too"), async () => {
    expectError(
      await create({
        strategy: { mode: "fallback" },
        targets: [
          { provider: "sandbox" },
          { strategy: { mode: "loadbalance" }, targets: [{ provider: "sandbox", output_guardrails: ["pg-nobody"] }] },
        ],
      }),
      400,
      "AB01",
    );
  });
  test("in a request's header is judged the same way", async () => {
    const answer = await using(JSON.stringify({ strategy: { mode: "magic" }, targets: [{ provider: "sandbox" }] }));
    expect({ status: answer.status, says: answer.text.includes("magic") }).toEqual({ status: 400, says: true });
  });
});

describe("a config at work", () => {
  test(verifies("5.way-config", "it is named by its slug, or given as JSON"), async () => {
    const { data } = bodyOf(await create({ provider: "sandbox" }));
    const asked = (config: string): Promise<Answer> =>
      chat(
        { base: api.gateway.base, gatewayKey: api.gateway.gatewayKey },
        {},
        { "x-gateway-provider": "no-such-provider", "x-gateway-config": config },
      );
    for (const config of [String(at(data, "slug")), JSON.stringify({ provider: "sandbox" })])
      expect((await asked(config)).status).toBe(200);
  });
  test(verifies("1.config-retry", "it repeats a call that failed with a status it names"), async () => {
    let calls = 0;
    api.upstream.answer(() =>
      jsonAnswer(
        (calls += 1) < 3 ? { error: { message: "busy" } } : { id: "c", object: "chat.completion", created: 1, model: "m", choices: [] },
        { status: calls < 3 ? 503 : 200, headers: { "retry-after": "0" } },
      ),
    );
    const answer = await using(
      await slugOf({
        provider: "openai",
        api_key: "k",
        custom_host: `${api.upstream.url}/v1`,
        retry: { attempts: 3, on_status_codes: [503], use_retry_after_headers: true },
      }),
    );
    expect({ status: answer.status, calls, counted: answer.headers.get("x-gateway-retry-attempt-count") }).toEqual({
      status: 200,
      calls: 3,
      counted: "2",
    });
  });
  test(verifies("1.config-strategy", "it falls back, balances and takes the single target"), async () => {
    const failing = { provider: "sandbox", override_params: { sandbox: { error: { status: 500 } } } };
    const used = async (mode: string, targets: readonly Json[]): Promise<string | null> =>
      (await using(await slugOf({ strategy: { mode }, targets }))).headers.get("x-gateway-last-used-option-index");
    expect(await used("fallback", [failing, { provider: "sandbox" }])).toBe("config.targets[1]");
    expect(await used("single", [{ provider: "sandbox" }, failing])).toBe("config.targets[0]");
    expect(
      await used("loadbalance", [
        { provider: "sandbox", weight: 0 },
        { provider: "sandbox", weight: 1 },
      ]),
    ).toBe("config.targets[1]");
  });
  test("it is obeyed as it now is: an update is seen by the next request", async () => {
    const slug = await slugOf({ provider: "sandbox", override_params: { sandbox: { text: "first" } } });
    expect((await using(slug)).text).toContain("first");
    bodyOf(
      await api.admin("PUT", `/v2/configs/${slug}`, { config: { provider: "sandbox", override_params: { sandbox: { text: "second" } } } }),
    );
    expect((await using(slug)).text).toContain("second");
    bodyOf(await api.admin("DELETE", `/v2/configs/${slug}`));
    expect((await using(slug)).status).toBe(400);
  });
  test("request_timeout of a config wins over the header's", async () => {
    const answer = await using(
      JSON.stringify({ provider: "sandbox", request_timeout: 30 }),
      { sandbox: { latency_ms: 5_000 } },
      { "x-gateway-request-timeout": "60000" },
    );
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 408, text: expect.stringContaining("30 ms") });
  });
  test("its slug stands in the log", async () => {
    const slug = await slugOf({ provider: "sandbox" });
    const answer = await using(slug, {}, SANDBOX);
    expect(at(await logOf(api, String(answer.headers.get("x-gateway-trace-id"))), "metrics", "config")).toBe(slug);
  });
});
