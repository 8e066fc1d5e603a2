import { describe, expect, test } from "bun:test";
import { ApiKeys, type Caller, Configs, type Json } from "#contract";
import { testResource } from "../../../tests/kit/resource.ts";
import { CALLERS, ORGANISATION, tenants, WORKSPACE, USER } from "../../../tests/kit/tenants.ts";
import { apiKeys } from "./resource.ts";

const collections = [ApiKeys, Configs];
testResource({
  resource: apiKeys,
  collections,
  createPath: "/service",
  create: { name: "CI", scopes: ["configs.read"] },
  update: { name: "CD", rate_limits: [{ value: 5 }] },
  updated: { name: "CD", rate_limits: [{ type: "requests", unit: "rpm", value: 5 }] },
});

const post = async (body: object, { as = CALLERS.workspace, path = "/service" }: { as?: Caller; path?: string } = {}) => {
  const world = await tenants(collections);
  const answer = await world.ask(apiKeys, "POST", `/api-keys${path}`, as, { name: "k", scopes: ["completions.write"], ...body });
  const stored = (await world.handles.records.in(ApiKeys).list({ limit: 1, offset: 0 })).data[0];
  return { world, answer, stored };
};
const refused = (status: number, code: string, param: string) => ({ status, body: { error: { code, param } } });

describe("API keys", () => {
  test("the secret is alphanumeric, shown once, and stored as a keyed hash", async () => {
    const { world, answer, stored } = await post({});
    expect(answer.body).toEqual({ id: expect.any(String), key: expect.stringMatching(/^[A-Za-z0-9]{40,}$/), object: "api-key" });
    const secret = String(answer.body["key"]);
    expect(stored?.digest).toBe(world.handles.vault.digest(secret));
    expect(JSON.stringify(stored)).not.toContain(secret);
    for (const path of ["/api-keys", `/api-keys/${String(answer.body["id"])}`]) {
      const read = await world.ask(apiKeys, "GET", path, CALLERS.workspace);
      expect(read.text).not.toContain(secret);
      expect(read.text).toContain(`"key":"${secret.slice(0, 2)}*******${secret.slice(-2)}"`);
    }
  });
  test.each<[string, string, Caller, object, string | number]>([
    ["a service key asked with a workspace key", "/service", CALLERS.workspace, {}, "workspace-service"],
    ["a service key asked with an organisation key", "/service", CALLERS.admin, { scopes: ["configs.read"] }, "organisation-service"],
    ["a service key for a workspace named by slug", "/service", CALLERS.admin, { workspace_id: "default" }, "workspace-service"],
    ["the older path for a workspace", "/workspace/service", CALLERS.admin, {}, "workspace-service"],
    ["the older path for the organisation", "/organisation/service", CALLERS.admin, { scopes: ["configs.read"] }, "organisation-service"],
    ["a user key", "/user", CALLERS.workspace, { user_id: USER }, "workspace-user"],
    ["a user key in the default workspace", "/user", CALLERS.admin, { user_id: USER }, "workspace-user"],
    ["a user key without its user", "/user", CALLERS.workspace, {}, 400],
    ["a user key of the organisation", "/organisation/user", CALLERS.admin, { user_id: USER, scopes: ["configs.read"] }, 400],
    ["another kind of key", "/robot", CALLERS.workspace, {}, 400],
    ["an organisation key asked with a workspace key", "/organisation/service", CALLERS.workspace, {}, 403],
  ])("%s", async (_, path, as, body, expected) => {
    const { answer, stored } = await post(body, { as, path });
    expect(answer.status === 200 ? (stored?.type ?? "") : answer.status).toBe(expected);
  });
  test("name and scopes are required", async () => {
    expect((await post({ name: undefined })).answer).toMatchObject(refused(400, "AB01", "name"));
    expect((await post({ scopes: undefined })).answer).toMatchObject(refused(400, "AB01", "scopes"));
  });
  test("scopes must exist, suit the key's type, and not exceed the caller's own", async () => {
    expect((await post({ scopes: ["configs.fly"] })).answer).toMatchObject(refused(400, "AB01", "scopes"));
    expect(JSON.stringify((await post({ scopes: ["completion.write"] })).answer)).toContain("completions.write was probably meant");
    expect((await post({ scopes: ["audit_logs.list"] })).answer).toMatchObject(refused(400, "AB01", "scopes"));
    expect((await post({ scopes: ["workspace_user_api_keys.create"], user_id: USER }, { path: "/user" })).answer).toMatchObject(
      refused(400, "AB01", "scopes"),
    );
    const narrow: Caller = {
      ...CALLERS.workspace,
      scopes: new Set(["workspace_service_api_keys.create", "workspace_user_api_keys.create", "configs.read"]),
    };
    expect((await post({ scopes: ["configs.update"], user_id: USER }, { as: narrow, path: "/user" })).answer).toMatchObject(
      refused(403, "AB03", "scopes"),
    );
    expect((await post({ scopes: ["configs:read"], user_id: USER }, { as: narrow, path: "/user" })).stored?.scopes).toEqual([
      "configs.read",
    ]);
  });
  test("an update cannot widen a key beyond the caller either", async () => {
    const { world, answer } = await post({ scopes: ["configs.read"] });
    const narrow: Caller = { ...CALLERS.workspace, scopes: new Set(["workspace_service_api_keys.update"]) };
    expect(await world.ask(apiKeys, "PUT", `/api-keys/${String(answer.body["id"])}`, narrow, { scopes: ["configs.delete"] })).toMatchObject(
      refused(403, "AB03", "scopes"),
    );
  });
  test("a caller sees and touches only the kinds its scopes cover", async () => {
    const { world, answer } = await post({});
    const other: Caller = {
      ...CALLERS.workspace,
      scopes: new Set(["workspace_user_api_keys.list", "workspace_user_api_keys.read", "workspace_user_api_keys.delete"]),
    };
    expect((await world.ask(apiKeys, "GET", "/api-keys", other)).body).toMatchObject({ total: 0 });
    for (const method of ["GET", "DELETE"])
      expect((await world.ask(apiKeys, method, `/api-keys/${String(answer.body["id"])}`, other)).status).toBe(403);
  });
  test("a rate limit that says only its value counts requests per minute", async () => {
    expect((await post({ rate_limits: [{ value: 10 }] })).stored?.rate_limits).toEqual([{ type: "requests", unit: "rpm", value: 10 }]);
  });
  test("the whole documented body is taken and read back", async () => {
    const body: Json = {
      description: "for CI",
      organisation_id: ORGANISATION.ours,
      workspace_id: WORKSPACE.ours,
      rate_limits: [{ type: "tokens", unit: "rpd", value: 9 }],
      usage_limits: { credit_limit: 10, alert_threshold: 8, periodic_reset_days: 7, next_usage_reset_at: "2026-02-01T00:00:00Z" },
      defaults: { metadata: { team: "a" }, allow_config_override: false },
      alert_emails: ["a@example.org"],
      expires_at: "2026-06-01T00:00:00.000Z",
      rotation_policy: { next_rotation_at: "2026-03-01T00:00:00.000Z", key_transition_period_ms: 1_800_000 },
    };
    const { world, answer } = await post(body);
    expect(answer.status).toBe(200);
    expect((await world.ask(apiKeys, "GET", `/api-keys/${String(answer.body["id"])}`, CALLERS.workspace)).body).toMatchObject(body);
  });
  test.each<[object, string]>([
    [{ expires_at: "2025-01-01T00:00:00Z" }, "expires_at"],
    [{ alert_emails: ["nobody"] }, "alert_emails[0]"],
    [{ rate_limits: [{ value: -1 }] }, "rate_limits[0].value"],
    [{ rate_limits: [{ unit: "rpx", value: 1 }] }, "rate_limits[0].unit"],
    [{ defaults: { config_id: "pc-absent" } }, "defaults.config_id"],
    [{ rotation_policy: { key_transition_period_ms: 1_800_000 } }, "rotation_policy"],
    [{ user_id: "me" }, "user_id"],
  ])("%p is refused", async (body, param) => {
    expect((await post(body)).answer).toMatchObject(refused(400, "AB01", param));
  });
  test("a key can be pinned to a config of its workspace, by id or slug, and not to another's", async () => {
    const world = await tenants(collections);
    const config = async (slug: string, workspace_id: string) => {
      const id = crypto.randomUUID();
      await world.handles.records.in(Configs).insert({
        id,
        created_at: 0,
        last_updated_at: 0,
        organisation_id: ORGANISATION.ours,
        workspace_id,
        owner_id: id,
        updated_by: null,
        name: slug,
        slug,
        status: "active",
        is_default: 0,
        version_id: id,
        config: {},
      });
      return id;
    };
    const own = await config("pc-own", WORKSPACE.ours);
    const other = await config("pc-other", WORKSPACE.second);
    const ask = (config_id: string) =>
      world.ask(apiKeys, "POST", "/api-keys/service", CALLERS.workspace, {
        name: "k",
        scopes: ["completions.write"],
        defaults: { config_id },
      });
    for (const named of ["pc-own", own]) expect((await ask(named)).status).toBe(200);
    for (const named of ["pc-other", other]) expect((await ask(named)).status).toBe(400);
    const { data } = await world.handles.records.in(ApiKeys).list({ limit: 10, offset: 0 });
    expect(data.map(({ defaults }) => defaults["config_id"])).toEqual(["pc-own", "pc-own"]);
  });
  test("raising the budget of an exhausted key, or resetting its usage, makes it active", async () => {
    for (const body of [{ usage_limits: { credit_limit: 20 } }, { reset_usage: true }]) {
      const { world, answer } = await post({ usage_limits: { credit_limit: 10 } });
      const id = String(answer.body["id"]);
      await world.handles.records.in(ApiKeys).update(id, { status: "exhausted" });
      await world.ask(apiKeys, "PUT", `/api-keys/${id}`, CALLERS.workspace, { usage_limits: { credit_limit: 10 } });
      expect((await world.handles.records.in(ApiKeys).get(id))?.status).toBe("exhausted");
      await world.ask(apiKeys, "PUT", `/api-keys/${id}`, CALLERS.workspace, body);
      expect((await world.handles.records.in(ApiKeys).get(id))?.status).toBe("active");
    }
  });
});
