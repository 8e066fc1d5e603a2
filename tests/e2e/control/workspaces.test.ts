/** Workspaces: made, used, kept apart, and closed. */
import { describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, ISO, itemsOf, type Json, NOBODY, UUID } from "../endpoints/api.ts";
import { ask, until } from "../process.ts";
import { chatStatus, errorOf, onBoth, refused } from "./api.ts";

const PATH = "/v2/admin/workspaces";

onBoth("workspaces", (plane) => {
  const names = async (query = ""): Promise<unknown[]> => itemsOf(await plane.admin("GET", PATH + query)).map(({ name }) => name);

  test(verifies("W.create", "a workspace is made with a slug of its name, and reads back as it was made"), async () => {
    const sent = {
      ...{ name: "Team Blue", description: "Blue things", defaults: { metadata: { team: "blue" } } },
      ...{ usage_limits: [{ type: "cost", credit_limit: 10 }], rate_limits: [{ type: "requests", unit: "rpm", value: 5 }] },
    };
    const made = bodyOf(await plane.admin("POST", PATH, sent));
    const { id, slug } = made;
    const defaults = { metadata: { team: "blue" }, is_default: 0, object: "workspace" };
    expect(made).toMatchObject({ ...sent, defaults, id: UUID, slug: expect.stringMatching(/^ws-team-blue-/), created_at: ISO });
    for (const address of [id, slug])
      expect(bodyOf(await plane.admin("GET", `${PATH}/${address}`))).toMatchObject({ ...sent, id, slug, defaults, users: [] });
    expect(bodyOf(await plane.admin("GET", `${PATH}/default`))).toMatchObject({ defaults: { is_default: 1, metadata: {} } });
    expect(bodyOf(await plane.admin("POST", "/v1/admin/workspaces", {}))).toMatchObject({ name: "Workspace", description: null });
  });
  test(verifies("W.list", "the list pages, and is filtered by name, exact name and status"), async () => {
    for (const name of ["Reds", "Red", "Green"]) await plane.workspace(`List ${name}`);
    expect(await names("?name=list%20red")).toEqual(["List Reds", "List Red"]);
    expect(await names("?exact_name=List%20Red")).toEqual(["List Red"]);
    expect(await names("?name=nothing-like-it")).toEqual([]);
    const page = bodyOf(await plane.admin("GET", `${PATH}?page_size=1&current_page=1&name=List`));
    expect(page).toMatchObject({ object: "list", total: 3, data: [{ name: "List Red" }] });
    for (const query of ["page_size=0", "current_page=-1", "status=gone", "surprise=1"])
      expect(errorOf(await plane.admin("GET", `${PATH}?${query}`))).toEqual(refused(400, "AB01", query.split("=")[0]));
  });
  test(verifies("W.update", "an update changes what it names, and refuses what it cannot keep"), async () => {
    const { id } = await plane.workspace("Before", { description: "stays", defaults: { metadata: { a: "1" } } });
    expect(bodyOf(await plane.admin("PUT", `${PATH}/${id}`, { name: "After", defaults: { input_guardrails: [] } }))).toEqual({});
    expect(bodyOf(await plane.admin("GET", `${PATH}/${id}`))).toMatchObject({
      ...{ name: "After", description: "stays", defaults: { metadata: { a: "1" }, input_guardrails: [] } },
    });
    const wrong = [
      [{ slug: "other" }, "slug"],
      [{ name: "" }, "name"],
      [{ defaults: { metadata: { a: 1 } } }, "defaults.metadata.a"],
      [{ defaults: { input_guardrails: ["pg-none"] } }, "defaults.input_guardrails[0]"],
      [{ defaults: { user_api_key_config: "pc-none" } }, "defaults.user_api_key_config"],
      [{ rate_limits: [{ unit: "rps", value: 1 }] }, "rate_limits[0].unit"],
      [{ usage_limits: [{ credit_limit: 5, alert_threshold: 5 }] }, "usage_limits.alert_threshold"],
      [{ surprise: 1 }, "surprise"],
    ] as const;
    for (const [body, param] of wrong)
      expect(errorOf(await plane.admin("PUT", `${PATH}/${id}`, body))).toEqual(refused(400, "AB01", param));
    expect(errorOf(await plane.admin("PUT", `${PATH}/${NOBODY}`, { name: "x" }))).toEqual(refused(404, "AB08"));
  });
  test(
    verifies("W.delete", "the default workspace and one that holds something are not deleted; another is archived, and its keys stop"),
    async () => {
      expect(errorOf(await plane.admin("DELETE", `${PATH}/default`))).toEqual(refused(409, "AB07"));
      const { id, slug } = await plane.workspace("Closing");
      const key = await plane.key(slug, ["completions.write", "workspaces.read"]);
      const config = bodyOf(await plane.admin("POST", "/v2/configs", { name: "c", workspace_id: id, config: { provider: "sandbox" } }));
      const full = await plane.admin("DELETE", `${PATH}/${id}`);
      expect(errorOf(full)).toEqual(refused(409, "AB07"));
      expect(full.text).toContain("holds configs");
      expect(await chatStatus(plane, key)).toBe(200);
      bodyOf(await plane.admin("DELETE", `/v2/configs/${(config["data"] as { slug: string }).slug}?workspace_id=${id}`));
      expect(bodyOf(await plane.admin("DELETE", `${PATH}/${id}`))).toEqual({});
      await until("its key stops", async () => (await chatStatus(plane, key)) === 401, 1_000);
      expect(errorOf(await plane.admin("GET", `${PATH}/${id}`))).toEqual(refused(404, "AB08"));
      expect(await names("?status=archived")).toContain("Closing");
      expect(await names()).not.toContain("Closing");
      expect(errorOf(await plane.admin("POST", "/v2/api-keys/service", { name: "k", workspace_id: slug, scopes: ["logs.view"] }))).toEqual(
        refused(403, "AB03", "workspace_id"),
      );
    },
  );
  test(verifies("W.delete", "what integrations and secret references grant to a workspace goes with it"), async () => {
    const [closing, staying] = [await plane.workspace("Granted and closing"), await plane.workspace("Granted and staying")];
    const slug = `ws-granted-${closing.id.slice(0, 8)}`;
    bodyOf(
      await plane.admin("POST", "/admin/v2/integrations", { name: "granted", slug, ai_provider_id: "openai", key: "granted-0123456789" }),
    );
    const workspaces = [closing, staying].map(({ id }) => ({ id, enabled: true }));
    bodyOf(await plane.admin("PUT", `/admin/v2/integrations/${slug}/workspaces`, { workspaces, create_default_provider: false }));
    const auth_config = { vault_auth_type: "token", vault_addr: "https://vault.example.org", vault_token: "s.0123456789abcdef" };
    const reference = { name: "granted", slug, manager_type: "hashicorp_vault", secret_path: "secret/data/x", auth_config };
    const allowed_workspaces = [closing.id, staying.id];
    bodyOf(await plane.admin("POST", "/admin/v2/secret-references", { ...reference, allowed_workspaces }));
    bodyOf(await plane.admin("DELETE", `${PATH}/${closing.id}`));
    expect(bodyOf(await plane.admin("GET", `/admin/v2/secret-references/${slug}`))).toMatchObject({
      ...{ allow_all_workspaces: false, allowed_workspaces: [staying.id] },
    });
    const span = "start_time=2020-01-01T00%3A00%3A00Z&end_time=2100-01-01T00%3A00%3A00Z&page_size=100";
    const grants = async ({ id }: { id: string }) => {
      const { records } = bodyOf(await plane.admin("GET", `/v2/audit-logs?${span}&workspace_id=${id}`)) as { records: Json[] };
      return records.filter(({ resource_type: type }) => type === "integration_workspaces").map(({ action }) => action);
    };
    expect(await grants(closing)).toEqual(["delete", "create"]);
    expect(await grants(staying)).toEqual(["create"]);
  });
  describe("a second workspace", () => {
    test(verifies("W.own", "is all that its keys see: their own workspace, and nobody else's records, logs and configs"), async () => {
      const [one, two] = [await plane.workspace("One"), await plane.workspace("Two")];
      const scopes = [
        "completions.write",
        "logs.view",
        "workspaces.list",
        "workspaces.read",
        "workspaces.update",
        "configs.list",
        "configs.read",
      ];
      const [first, second] = [await plane.key(one.slug, scopes), await plane.key(two.id, scopes)];
      const made = await plane.admin("POST", "/v2/configs", { name: "same", workspace_id: one.id, config: { provider: "sandbox" } });
      const slug = String((bodyOf(made)["data"] as { slug: string }).slug);
      expect(itemsOf(await plane.as(first, "GET", PATH)).map(({ id }) => id)).toEqual([one.id]);
      expect(bodyOf(await plane.as(first, "PUT", `${PATH}/${one.slug}`, { description: "ours" }))).toEqual({});
      for (const method of ["GET", "PUT"])
        expect(errorOf(await plane.as(second, method, `${PATH}/${one.id}`, method === "PUT" ? {} : undefined))).toEqual(
          refused(404, "AB08"),
        );
      expect(itemsOf(await plane.as(second, "GET", "/v2/configs"))).toEqual([]);
      expect(await chatStatus(plane, first, "x", { "x-gateway-config": slug, "x-gateway-provider": "" })).toBe(200);
      expect(await chatStatus(plane, second, "x", { "x-gateway-config": slug, "x-gateway-provider": "" })).toBe(400);
      const chat = await ask(
        `${plane.gateway.base}/v1/chat/completions`,
        "POST",
        first,
        { model: "echo", messages: [] },
        { "x-gateway-provider": "sandbox" },
      );
      const log = `/v1/logs/${chat.headers.get("x-gateway-trace-id")}`;
      await until("the log is written", async () => (await plane.as(first, "GET", log)).status === 200);
      expect((await plane.as(second, "GET", log)).status).toBe(404);
    });
    test(verifies("W.rate-limits", "has rate limits that all of its keys share, and no other workspace's do"), async () => {
      const { slug } = await plane.workspace("Slow", { rate_limits: [{ type: "requests", unit: "rpd", value: 2 }] });
      const keys = [await plane.key(slug, ["completions.write"]), await plane.key(slug, ["completions.write"])];
      const statuses = [];
      for (const key of [keys[0], keys[1], keys[0], keys[1]]) statuses.push(await chatStatus(plane, key ?? ""));
      expect(statuses).toEqual([200, 200, 429, 429]);
      expect(await chatStatus(plane, await plane.key("default", ["completions.write"]))).toBe(200);
      const manager = await plane.key(slug, ["workspaces.update"]);
      for (const body of [{ rate_limits: null }, { usage_limits: [] }])
        expect(errorOf(await plane.as(manager, "PUT", `${PATH}/${slug}`, body))).toEqual(refused(403, "AB03", Object.keys(body)[0]));
      bodyOf(await plane.admin("PUT", `${PATH}/${slug}`, { rate_limits: null }));
      await until("the limit is gone", async () => (await chatStatus(plane, keys[0] ?? "")) === 200, 1_000);
    });
    test(verifies("W.guardrails", "has default guardrails of its own on every request"), async () => {
      const { id } = await plane.workspace("Guarded");
      const feedback = { feedback: { value: 1, weight: 1, metadata: "" } };
      const guardrail = bodyOf(
        await plane.admin("POST", "/v2/guardrails", {
          ...{ name: "No pears", workspace_id: id, actions: { deny: true, async: false, on_success: feedback, on_fail: feedback } },
          checks: [{ id: "default.contains", parameters: { words: ["pear"], operator: "none" } }],
        }),
      );
      const key = await plane.key(id, ["completions.write"]);
      expect(await chatStatus(plane, key, "pear")).toBe(200);
      bodyOf(await plane.admin("PUT", `${PATH}/${id}`, { defaults: { input_guardrails: [guardrail["id"]] } }));
      expect(bodyOf(await plane.admin("GET", `${PATH}/${id}`))).toMatchObject({ defaults: { input_guardrails: [guardrail["slug"]] } });
      await until("it judges", async () => (await chatStatus(plane, key, "pear")) === 446, 1_000);
      expect(await chatStatus(plane, key, "plum")).toBe(200);
    });
  });
});
