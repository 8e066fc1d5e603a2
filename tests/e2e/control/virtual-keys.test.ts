/** Virtual keys: integrations and their providers, in the form that they had before. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, forAll, ISO, itemsOf, type Json } from "../endpoints/api.ts";
import { type Answer, ask, GATEWAY_KEY, until } from "../process.ts";
import { errorOf, onBoth, refused } from "./api.ts";

const KEYS = "/v2/virtual-keys";
const SECRET = "vk-canary-credential-0123456789";
const WHERE = "page_size=50&current_page=0";
const SCOPES = ["virtual_keys.create", "virtual_keys.read", "virtual_keys.update", "virtual_keys.delete", "virtual_keys.list"];
const slugOf = (answer: Answer): string => String(at(bodyOf(answer), "data", "slug"));

onBoth("virtual keys", (plane) => {
  const make = (key: string, body: Json = {}): Promise<Answer> =>
    plane.as(key, "POST", KEYS, { name: "Team key", provider: "openai", key: SECRET, ...body });

  test(verifies("V.shape", "are made, listed, read, changed and deleted in the older shapes"), async () => {
    const { id } = await plane.workspace("Shapes of virtual keys");
    const key = await plane.key(id, SCOPES);
    const made = bodyOf(await make(key, { note: "for the team", rate_limits: { type: "requests", unit: "rpm", value: 60 } }));
    expect(made).toEqual({ success: true, data: { slug: expect.stringMatching(/^team-key-\w{6}$/) } });
    const slug = String(at(made, "data", "slug"));
    const whole = {
      ...{ name: "Team key", note: "for the team", status: "active", usage_limits: null, reset_usage: null, created_at: ISO, slug },
      ...{ model_config: {}, rate_limits: [{ type: "requests", unit: "rpm", value: 60 }], expires_at: null, secret_mappings: [] },
      object: "virtual-key",
    };
    for (const base of [KEYS, "/v1/virtual-keys"]) {
      expect(bodyOf(await plane.as(key, "GET", `${base}?${WHERE}`))).toEqual({ object: "list", total: 1, data: [whole] });
      expect(bodyOf(await plane.as(key, "GET", `${base}/${slug}`))).toEqual(whole);
    }
    expect(
      bodyOf(await plane.as(key, "PUT", `/v1/virtual-keys/${slug}`, { name: "Other", note: null, key: "another-credential-0123" })),
    ).toEqual({});
    expect(bodyOf(await plane.as(key, "GET", `${KEYS}/${slug}`))).toEqual({ ...whole, name: "Other", note: null });
    expect(bodyOf(await plane.as(key, "DELETE", `${KEYS}/${slug}`))).toEqual({});
    expect((await plane.as(key, "GET", `${KEYS}/${slug}`)).status).toBe(404);
    expect(bodyOf(await plane.as(key, "GET", `${KEYS}?${WHERE}`))).toEqual({ object: "list", total: 0, data: [] });
  });
  test(verifies("V.errors", "answer errors in the older body, and a 401 in that alone"), async () => {
    const nobody = await plane.as("nobody", "GET", KEYS);
    expect(bodyOf(nobody, 401)).toEqual({ success: false, data: { message: expect.stringContaining("key") } });
    const { id } = await plane.workspace("Errors of virtual keys");
    const key = await plane.key(id, SCOPES);
    for (const [answer, status, code, param] of [
      [await make(key, { provider: "nobody" }), 400, "AB01", "provider"],
      [await plane.as(key, "POST", KEYS, { name: "x" }), 400, "AB01", "provider"],
      [await make(key, { apiVersion: "v1" }), 400, "AB01", "apiVersion"],
      [await make(key, { unknown: 1 }), 400, "AB01", "unknown"],
      [await plane.as(key, "GET", `${KEYS}/none`), 404, "AB08", null],
      [await plane.as(await plane.key(id, ["configs.list"]), "GET", KEYS), 403, "AB03", null],
    ] as const) {
      expect(errorOf(answer)).toEqual(refused(status, code, param));
      expect(answer.json).toMatchObject({ success: false, data: { message: at(answer.json, "error", "message") } });
    }
    expect(itemsOf(await plane.as(key, "GET", KEYS))).toEqual([]); // what was refused left nothing
    expect(itemsOf(await plane.admin("GET", `/admin/v2/integrations?workspace_id=${id}&type=workspace`))).toEqual([]);
  });
  test(verifies("V.one-fact", "are an integration and its provider, and are seen changed where those are changed"), async () => {
    const { id } = await plane.workspace("One fact");
    const key = await plane.key(id, SCOPES);
    const slug = slugOf(await make(key));
    const integration = bodyOf(await plane.admin("GET", `/admin/v2/integrations/${slug}`));
    expect(integration).toMatchObject({
      workspace_id: id,
      ai_provider_id: "openai",
      name: "Team key",
      masked_key: expect.stringMatching(/\*/),
    });
    const provider = `/v2/providers/${slug}?workspace_id=${id}`;
    expect(bodyOf(await plane.admin("GET", provider))).toMatchObject({ slug, integration_id: integration["id"] });
    bodyOf(await plane.admin("PUT", provider, { note: "changed there" }));
    bodyOf(await plane.admin("PUT", `/admin/v2/integrations/${slug}`, { configurations: { openai_project: "proj-1" } }));
    expect(bodyOf(await plane.as(key, "GET", `${KEYS}/${slug}`))).toMatchObject({
      ...{ note: "changed there", model_config: { openai_project: "proj-1" } },
    });
  });
  test(verifies("V.limits", "have the provider's limits, judged as those are"), async () => {
    const { id } = await plane.workspace("Limits of virtual keys");
    const key = await plane.key(id, SCOPES);
    const wrong = { usage_limits: { credit_limit: 5, alert_threshold: 9 } };
    expect(errorOf(await make(key, wrong))).toEqual(refused(400, "AB01", "usage_limits.alert_threshold"));
    expect(errorOf(await make(key, { expires_at: "2020-01-01T00:00:00Z" }))).toEqual(refused(400, "AB01", "expires_at"));
    const limits = { credit_limit: 10, alert_threshold: 5, periodic_reset: "monthly" };
    const slug = slugOf(await make(key, { usage_limits: limits, expires_at: "2099-01-01T00:00:00.000Z" }));
    const read = async () => bodyOf(await plane.as(key, "GET", `${KEYS}/${slug}`));
    expect(await read()).toMatchObject({ usage_limits: limits, expires_at: "2099-01-01T00:00:00.000Z" });
    expect(errorOf(await plane.as(key, "PUT", `${KEYS}/${slug}`, wrong))).toEqual(refused(400, "AB01", "usage_limits.alert_threshold"));
    bodyOf(await plane.as(key, "PUT", `${KEYS}/${slug}`, { usage_limits: { credit_limit: 20 } }));
    expect(at(await read(), "usage_limits", "credit_limit")).toBe(20);
    expect(at(bodyOf(await plane.admin("GET", `/v2/providers/${slug}?workspace_id=${id}`)), "usage_limits", "credit_limit")).toBe(20);
  });
  test(verifies("V.deployments", "keep deployments as the provider's fields, under their older names"), async () => {
    const { id } = await plane.workspace("Deployments");
    const key = await plane.key(id, SCOPES);
    const deploymentConfig = [{ apiVersion: "2024-10-21", deploymentName: "prod", alias: "gpt-4o", is_default: true }];
    const azure = { provider: "azure-openai", resourceName: "ours", apiVersion: "2024-10-21", deploymentName: "prod" };
    const slug = slugOf(await make(key, { ...azure, deploymentConfig }));
    const { provider: _, ...members } = azure;
    const read = async () => bodyOf(await plane.as(key, "GET", `${KEYS}/${slug}`))["model_config"];
    expect(await read()).toEqual({ ...members, deploymentConfig });
    expect(at(bodyOf(await plane.admin("GET", `/admin/v2/integrations/${slug}`)), "configurations")).toMatchObject({
      ...{ azure_resource_name: "ours", azure_deployment_id: "prod", azure_api_version: "2024-10-21" },
    });
    const next = [{ apiVersion: "2025-01-01-preview", deploymentName: "other" }];
    bodyOf(await plane.as(key, "PUT", `${KEYS}/${slug}`, { deploymentConfig: next }));
    expect(await read()).toEqual({ ...members, deploymentConfig: [{ ...next[0], alias: "other" }] });
    const wrong = await plane.as(key, "PUT", `${KEYS}/${slug}`, { deploymentConfig: [{ apiVersion: "when?", deploymentName: "x" }] });
    expect(errorOf(wrong)).toEqual(refused(400, "AB01", "deploymentConfig.0.apiVersion"));
  });
  test(verifies("V.mappings", "have the integration's secret mappings"), async () => {
    const { id } = await plane.workspace("Mapped virtual keys");
    const key = await plane.key(id, SCOPES);
    const reference = {
      name: "Vault",
      slug: `vk-ref-${id.slice(0, 8)}`,
      manager_type: "hashicorp_vault",
      secret_path: "secret/data/openai",
    };
    const auth_config = { vault_auth_type: "token", vault_addr: "https://vault.example.org", vault_token: "s.0123456789abcdef" };
    const saved = await plane.admin("POST", "/admin/v2/secret-references", { ...reference, auth_config });
    const secret_reference_id = String(bodyOf(saved)["id"]);
    const mapped = [{ target_field: "key", secret_reference_id: reference.slug }];
    const slug = slugOf(await plane.as(key, "POST", KEYS, { name: "mapped", provider: "openai", secret_mappings: mapped }));
    const shown = [{ target_field: "key", secret_reference_id }];
    expect(bodyOf(await plane.as(key, "GET", `${KEYS}/${slug}`))["secret_mappings"]).toEqual(shown);
    expect(bodyOf(await plane.admin("GET", `/admin/v2/integrations/${slug}`))["secret_mappings"]).toEqual(shown);
    const wrong = { secret_mappings: [{ target_field: "nothing", secret_reference_id }] };
    expect(errorOf(await plane.as(key, "PUT", `${KEYS}/${slug}`, wrong))).toEqual(refused(400, "AB01", "secret_mappings[0].target_field"));
    bodyOf(await plane.as(key, "PUT", `${KEYS}/${slug}`, { secret_mappings: [] }));
    expect(bodyOf(await plane.as(key, "GET", `${KEYS}/${slug}`))["secret_mappings"]).toEqual([]);
  });
  const integrationOf = async (slug: string): Promise<Json> => bodyOf(await plane.admin("GET", `/admin/v2/integrations/${slug}`));
  const integrate = async (body: Json): Promise<string> => {
    const whole = { name: "made as one", ai_provider_id: "openai", key: SECRET, configurations: { openai_project: "proj-own" }, ...body };
    return String(bodyOf(await plane.admin("POST", "/admin/v2/integrations", whole))["id"]);
  };
  test(verifies("V.own", "neither show nor change what was made as an integration"), async () => {
    const { id } = await plane.workspace("Integrations that are no virtual keys");
    const key = await plane.key(id, SCOPES);
    const slug = `vk-normal-${id.slice(0, 8)}`;
    await integrate({ slug, workspace_id: id, tags: { made_as: "virtual-key" } });
    const before = await integrationOf(slug);
    expect(bodyOf(await plane.as(key, "GET", `${KEYS}/${slug}`))).toMatchObject({ slug, model_config: {}, secret_mappings: [] });
    expect(itemsOf(await plane.as(key, "GET", KEYS))).toMatchObject([{ slug, model_config: {}, secret_mappings: [] }]);
    const deploymentConfig = [{ apiVersion: "2024-10-21", deploymentName: "prod" }];
    for (const change of [
      { key: "changed-credential-01" },
      { secret_mappings: [] },
      { deploymentConfig },
      { name: "x", key: "changed-02" },
    ])
      expect(errorOf(await plane.as(key, "PUT", `${KEYS}/${slug}`, change))).toEqual(refused(409, "AB07"));
    expect(bodyOf(await plane.as(key, "GET", `${KEYS}/${slug}`))["name"]).toBe("made as one");
    bodyOf(await plane.as(key, "PUT", `${KEYS}/${slug}`, { note: "ours" }));
    bodyOf(await plane.as(key, "DELETE", `${KEYS}/${slug}`));
    expect(await integrationOf(slug)).toEqual(before);
  });
  test(verifies("V.own", "do not take along what the organisation keeps, whatever its tags say"), async () => {
    const { id } = await plane.workspace("Tagged by the organisation");
    const key = await plane.key(id, SCOPES);
    const slug = `vk-tagged-${id.slice(0, 8)}`;
    await integrate({ slug, tags: { made_as: "virtual-key" } });
    bodyOf(await plane.admin("PUT", `/admin/v2/integrations/${slug}/workspaces`, { workspaces: [{ id, enabled: true }] }));
    bodyOf(await plane.as(key, "DELETE", `${KEYS}/${slug}`));
    expect((await plane.as(key, "GET", `${KEYS}/${slug}`)).status).toBe(404);
    expect(await integrationOf(slug)).toMatchObject({ slug });
  });
  test(verifies("V.if-match", "have an entity tag that covers the integration, and are changed whole or not at all"), async () => {
    const { id } = await plane.workspace("Tags of virtual keys");
    const key = await plane.key(id, SCOPES);
    const slug = slugOf(await make(key));
    const path = `${KEYS}/${slug}`;
    const etag = async () => (await plane.as(key, "GET", path)).headers.get("etag") ?? "";
    const put = (tag: string, body: Json) => ask(plane.gateway.base + path, "PUT", key, body, { "if-match": tag });
    const first = await etag();
    bodyOf(await plane.admin("PUT", `/admin/v2/integrations/${slug}`, { key: "rotated-elsewhere-0123456789" }));
    const rotated = await integrationOf(slug);
    expect(errorOf(await put(first, { key: "written-over-unseen-0123" }))).toEqual(refused(412, "AB07"));
    expect(await integrationOf(slug)).toEqual(rotated);
    const second = await etag();
    const answers = await Promise.all([put(second, { key: "a-credential-of-one-0001" }), put(second, { key: "a-credential-of-two-0002" })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const won = answers[0]?.status === 200 ? "0001" : "0002";
    expect(String((await integrationOf(slug))["masked_key"])).toEndWith(won.slice(-2));
  });
  test(verifies("V.refused", "that are refused leave nothing in the audit log"), async () => {
    const { id } = await plane.workspace("Refused virtual keys");
    const key = await plane.key(id, SCOPES);
    expect(errorOf(await make(key, { provider: "nonsense" }))).toEqual(refused(400, "AB01", "provider"));
    const taken = { name: "first", slug: `vk-first-${id.slice(0, 8)}`, ai_provider_id: "openai", key: SECRET, workspace_id: id };
    bodyOf(await plane.admin("POST", "/admin/v2/integrations", taken));
    const second = { ...taken, slug: `vk-second-${id.slice(0, 8)}`, default_provider_slug: taken.slug };
    const conflict = await plane.admin("POST", "/admin/v2/integrations", second);
    expect(errorOf(conflict)).toEqual(refused(409, "AB07", "default_provider_slug"));
    expect(conflict.text).not.toContain("audit");
    const span = "start_time=2020-01-01T00%3A00%3A00Z&end_time=2100-01-01T00%3A00%3A00Z&page_size=100";
    const { records } = bodyOf(await plane.admin("GET", `/v2/audit-logs?${span}&workspace_id=${id}`)) as { records: Json[] };
    const told = records.filter(({ resource_type: type }) => type === "providers" || type === "integrations");
    expect(told.map(({ action, resource_type }) => `${action} ${resource_type}`).sort()).toEqual([
      "create integrations",
      "create providers",
    ]);
  });
  test(verifies("V.delete", "take the integration that was made with them along, and no other"), async () => {
    const { id } = await plane.workspace("Deleted virtual keys");
    const key = await plane.key(id, SCOPES);
    const [alone, shared] = [slugOf(await make(key)), slugOf(await make(key))];
    bodyOf(await plane.admin("POST", "/v2/providers", { name: "second", slug: "second-of-it", integration_id: shared, workspace_id: id }));
    const apart = { name: "apart", slug: `apart-${id.slice(0, 8)}`, ai_provider_id: "openai", key: SECRET, workspace_id: id };
    bodyOf(await plane.admin("POST", "/admin/v2/integrations", apart));
    expect(errorOf(await plane.as(key, "PUT", `${KEYS}/${shared}`, { key: "changed-credential-01" }))).toEqual(refused(409, "AB07"));
    for (const slug of [alone, shared, apart.slug]) bodyOf(await plane.as(key, "DELETE", `${KEYS}/${slug}`));
    const left = async (slug: string) => (await plane.admin("GET", `/admin/v2/integrations/${slug}`)).status;
    expect([await left(alone), await left(shared), await left(apart.slug)]).toEqual([404, 200, 200]);
    expect(itemsOf(await plane.as(key, "GET", KEYS)).map(({ slug }) => slug)).toEqual(["second-of-it"]);
  });
  test(
    verifies("V.tenants", "of another workspace are not there, and what is the organisation's is neither shown nor changed"),
    async () => {
      const [ours, theirs] = [await plane.workspace("Ours of virtual keys"), await plane.workspace("Theirs of virtual keys")];
      const [key, other] = [await plane.key(ours.id, SCOPES), await plane.key(theirs.id, SCOPES)];
      const slug = slugOf(await make(key));
      expect(itemsOf(await plane.as(other, "GET", KEYS))).toEqual([]);
      for (const [method, body] of [["GET"], ["PUT", { name: "mine now" }], ["DELETE"]] as const)
        expect(errorOf(await plane.as(other, method, `${KEYS}/${slug}`, body))).toEqual(refused(404, "AB08"));
      expect(errorOf(await make(other, { workspace_id: ours.id }))).toEqual(refused(403, "AB03", "workspace_id"));
      const shared = { name: "for all", slug: `for-all-${ours.id.slice(0, 8)}`, ai_provider_id: "openai", key: SECRET };
      bodyOf(await plane.admin("POST", "/admin/v2/integrations", { ...shared, configurations: { openai_project: "proj-secret" } }));
      bodyOf(
        await plane.admin("POST", "/v2/providers", { name: "of all", slug: "of-all", integration_id: shared.slug, workspace_id: ours.id }),
      );
      expect(bodyOf(await plane.as(key, "GET", `${KEYS}/of-all`))).toMatchObject({ slug: "of-all", model_config: {}, secret_mappings: [] });
      expect(errorOf(await plane.as(key, "PUT", `${KEYS}/of-all`, { key: "changed-credential-01" }))).toEqual(refused(409, "AB07"));
      bodyOf(await plane.as(key, "PUT", `${KEYS}/of-all`, { note: "ours" }));
    },
  );
});

describe("in requests", () => {
  const api = forAll();
  const COMPLETION: Json = {
    ...{ id: "c", object: "chat.completion", created: 1, model: "m", usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
    choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  };
  const asked = (headers: Readonly<Record<string, string>>, model = "m"): Promise<Answer> => {
    api.upstream.answer(jsonAnswer(COMPLETION));
    const body = { model, messages: [{ role: "user", content: "x" }] };
    return ask(`${api.gateway.base}/v1/chat/completions`, "POST", GATEWAY_KEY, body, headers);
  };

  test(verifies("V.used", "a virtual key is named in every way that there is, until it is deleted"), async () => {
    const made = await api.admin("POST", KEYS, { name: "used", provider: "openai", key: SECRET, workspace_id: "default" });
    const slug = slugOf(made);
    const there = { configurations: { custom_host: `${api.upstream.url}/v1` }, key: SECRET };
    bodyOf(await api.admin("PUT", `/admin/v2/integrations/${slug}`, there));
    const ways = [
      [{ "x-gateway-virtual-key": slug }, "m"],
      [{ "x-gateway-config": JSON.stringify({ virtual_key: slug }) }, "m"],
      [{ "x-gateway-config": JSON.stringify({ strategy: { mode: "single" }, targets: [{ virtual_key: slug }] }) }, "m"],
      [{ "x-gateway-provider": `@${slug}` }, "m"],
      [{}, `@${slug}/m`],
    ] as const;
    for (const [headers, model] of ways) {
      bodyOf(await asked(headers, model));
      expect(api.upstream.received.at(-1)?.headers.get("authorization")).toBe(`Bearer ${SECRET}`);
    }
    const path = `${KEYS}/${slug}?workspace_id=default`;
    bodyOf(await api.admin("PUT", path, { key: "second-credential-0123456789" }).then(noSecret));
    await until("the new credential is sent", async () => {
      bodyOf(await asked({ "x-gateway-virtual-key": slug }));
      return api.upstream.received.at(-1)?.headers.get("authorization") === "Bearer second-credential-0123456789";
    });
    bodyOf(await api.admin("DELETE", path));
    await until("it is unknown", async () => (await asked({ "x-gateway-virtual-key": slug })).status === 400);
  });
  test(verifies("V.secret", "its credential is in no answer"), async () => {
    const made = noSecret(await api.admin("POST", KEYS, { name: "quiet", provider: "openai", key: SECRET, workspace_id: "default" }));
    const path = `${KEYS}/${slugOf(made)}?workspace_id=default`;
    noSecret(await api.admin("GET", path));
    noSecret(await api.admin("GET", `${KEYS}?workspace_id=default`));
    noSecret(
      await api.admin("POST", KEYS, { name: "quiet", provider: "openai", key: SECRET, workspace_id: "default", deploymentName: "x" }),
    );
    expect(api.gateway.output()).not.toContain(SECRET);
  });
});
function noSecret(answer: Answer): Answer {
  expect(answer.text).not.toContain(SECRET);
  return answer;
}
