/** API keys: each field, and what a key may do in each of its states. */
import { describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { type Answer, ask, until } from "../process.ts";
import { at, bodyOf, chatWith, expectError, forAll, itemsOf, type Json, newKey, NOBODY, SANDBOX, UUID, newUser } from "./api.ts";

const api = forAll();
const SCOPES = ["completions.write", "logs.view"];
const create = (body: Json = {}, path = "/v2/api-keys/service"): Promise<Answer> =>
  api.admin("POST", path, { name: "A key", scopes: SCOPES, workspace_id: "default", ...body });
const created = async (body: Json = {}, path?: string): Promise<Json> => bodyOf(await create(body, path));
const read = async ({ id }: Json): Promise<Json> => bodyOf(await api.admin("GET", `/v2/api-keys/${id}`));
const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe("E3: POST /v2/api-keys/{sub-type}", () => {
  test(verifies("E3.create", "creates a user key or a service key, and no other kind"), async () => {
    expect(await read(await created())).toMatchObject({ type: "workspace-service", user_id: null });
    const user_id = await newUser(api);
    expect(await read(await created({ user_id }, "/v2/api-keys/user"))).toMatchObject({ type: "workspace-user", user_id });
    for (const kind of ["robot", "Service", "users"]) expectError(await create({ user_id }, `/v2/api-keys/${kind}`), 400, "AB01");
  });
  test(verifies("2.7.creation-result", "answers with id, key and object, and nothing else"), async () =>
    expect(await created()).toEqual({ id: UUID, key: expect.any(String), object: "api-key" }),
  );
  test(verifies("E3.alphanumeric", "generates strictly alphanumeric keys"), async () => {
    for (let made = 0; made < 20; made += 1) expect((await created())["key"]).toMatch(/^[A-Za-z0-9]{32,}$/);
  });
  test(verifies("E3.text", "takes name, description and alert_emails"), async () => {
    const body = { name: "Naïve ☃", description: "for tests", alert_emails: ["ops@example.com", "a.b+c@example.co.uk"] };
    expect(await read(await created(body))).toMatchObject(body);
    for (const wrong of [
      { name: "" },
      { name: 5 },
      { name: undefined },
      { alert_emails: ["nobody"] },
      { alert_emails: "ops@example.com" },
      { description: 5 },
    ])
      expectError(await create(wrong), 400, "AB01");
  });
  test(verifies("E3.place", "takes organisation_id, workspace_id and user_id"), async () => {
    const { organisation_id, workspace_id } = await read(await created());
    expect(await read(await created({ organisation_id, workspace_id }))).toMatchObject({ organisation_id, workspace_id });
    expect(await read(await created({ workspace_id: undefined, scopes: ["configs.read"] }))).toMatchObject({
      type: "organisation-service",
      workspace_id: null,
    });
    expectError(await create({ organisation_id: NOBODY }), 403, "AB03");
    expectError(await create({ workspace_id: NOBODY }), 403, "AB03");
    expectError(await create({ user_id: "me" }, "/v2/api-keys/user"), 400, "AB01");
  });
  test(verifies("E3.scopes", "scopes say what the key may do"), async () => {
    const key = await newKey(api, { scopes: ["logs.view"] });
    expect((await chatWith(api, key)).status).toBe(403);
    expect((await chatWith(api, await newKey(api, { scopes: ["completions.write"] }))).status).toBe(200);
    for (const scopes of [undefined, [], ["everything"], "logs.view"]) expectError(await create({ scopes }), 400, "AB01");
  });
  test(verifies("5.scope-names", "the scopes that release notes name can be given"), async () => {
    const crud = (family: string): string[] => ["create", "read", "update", "delete", "list"].map((action) => `${family}.${action}`);
    const scopes = [
      "organisation_settings.read",
      "organisation_settings.update",
      ...crud("organisation_guardrails"),
      "organisation_exclusions.list",
      "organisation_exclusions.update",
    ];
    expect(await read(await created({ workspace_id: undefined, scopes }))).toMatchObject({ scopes });
    const deployments = crud("deployments");
    expect(
      await read(await created({ workspace_id: undefined, scopes: deployments.map((scope) => scope.replace(".", ":")) })),
    ).toMatchObject({ scopes: deployments });
  });
  test(verifies("E3.usage-limits", "takes usage_limits"), async () => {
    const usage_limits = { credit_limit: 10, alert_threshold: 8, periodic_reset_days: 30, next_usage_reset_at: soon(86_400_000) };
    expect((await read(await created({ usage_limits })))["usage_limits"]).toMatchObject(usage_limits);
    for (const wrong of [
      { credit_limit: "ten" },
      { credit_limit: -1 },
      { alert_threshold: 20, credit_limit: 10 },
      { periodic_reset_days: 1.5 },
      { next_usage_reset_at: "soon" },
    ])
      expectError(await create({ usage_limits: wrong }), 400, "AB01");
  });
  test(verifies("E3.rate-limit-value", "takes a rate limit that says its value alone, and holds it"), async () => {
    const key = await created({ rate_limits: [{ value: 2 }] });
    const statuses = [];
    for (let asked = 0; asked < 6; asked += 1) statuses.push((await chatWith(api, String(key["key"]))).status);
    expect(statuses.slice(0, 2)).toEqual([200, 200]);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2); // 4, unless a new minute begins in between
    expect((await read(key))["rate_limits"]).toEqual([{ type: "requests", unit: "rpm", value: 2 }]);
    for (const wrong of [[{}], [{ value: "2" }], [{ value: -1 }], { value: 2 }, [{ value: 2, unit: "year" }]])
      expectError(await create({ rate_limits: wrong }), 400, "AB01");
  });
  test(verifies("1.key-rate", "a limit of nothing lets nothing pass"), async () => {
    const refused = await chatWith(api, await newKey(api, { rate_limits: [{ type: "requests", unit: "rph", value: 0 }] }));
    expect({
      status: refused.status,
      type: at(refused.json, "error", "type"),
      wait: Number(refused.headers.get("retry-after")) > 0,
    }).toEqual({ status: 429, type: "rate_limit_error", wait: true });
  });
  test(verifies("E3.expires", "takes expires_at, which must lie ahead"), async () => {
    const expires_at = soon(3_600_000);
    expect(await read(await created({ expires_at }))).toMatchObject({ expires_at, status: "active" });
    for (const wrong of [soon(-1000), "tomorrow", 5]) expectError(await create({ expires_at: wrong }), 400, "AB01");
  });
  test(verifies("E3.rotation", "takes rotation_policy"), async () => {
    const rotation_policy = { next_rotation_at: soon(86_400_000), key_transition_period_ms: 3_600_000 };
    const midnight = `${rotation_policy.next_rotation_at.slice(0, 10)}T00:00:00.000Z`;
    expect((await read(await created({ rotation_policy })))["rotation_policy"]).toEqual({ ...rotation_policy, next_rotation_at: midnight });
    for (const wrong of [{ next_rotation_at: "soon" }, { next_rotation_at: soon(86_400_000), key_transition_period_ms: 1.5 }])
      expectError(await create({ rotation_policy: wrong }), 400, "AB01");
  });
  test(verifies("E3.scopes-exceed", "no caller makes a key that may do more than the caller"), async () => {
    const maker = await newKey(api, { scopes: ["workspace_user_api_keys.create", "workspace_service_api_keys.create", "logs.view"] });
    const by = (body: Json, path: string): Promise<Answer> => api.admin("POST", path, { name: "x", ...body }, maker);
    const user = { user_id: await newUser(api) };
    bodyOf(await by({ ...user, scopes: ["logs.view"] }, "/v2/api-keys/user"));
    expect((await by({ ...user, scopes: ["logs.view", "completions.write"] }, "/v2/api-keys/user")).status).toBe(403);
    expect((await by({ scopes: ["configs.delete"] }, "/v2/api-keys/service")).status).toBe(403);
  });
  test("an unknown member is refused", async () => expectError(await create({ colour: "red" }), 400, "AB01"));
});

describe("a key", () => {
  test(verifies("2.7.shown-once", "is shown in the answer that creates it and nowhere else"), async () => {
    const { id, key } = await created();
    const shown = [
      await api.admin("GET", `/v2/api-keys/${id}`),
      await api.admin("GET", "/v2/api-keys?page_size=1000"),
      await api.admin("PUT", `/v2/api-keys/${id}`, { name: "x" }),
    ];
    for (const answer of shown)
      expect({ status: answer.status, leaks: answer.text.includes(String(key)) }).toEqual({ status: 200, leaks: false });
  });
  test(verifies("E3.no-raw-keys", "is masked in lists"), async () => {
    await created();
    for (const item of itemsOf(await api.admin("GET", "/v2/api-keys?page_size=1000"))) expect(item["key"]).toMatch(/^.{2}\*+.{2}$/);
  });
  test(verifies("1.control-api-keys", "can be created, listed, read, updated and deleted; a deleted one opens nothing"), async () => {
    const { id, key } = await created();
    expect(itemsOf(await api.admin("GET", "/v2/api-keys?page_size=1000")).some((item) => item["id"] === id)).toBe(true);
    expect((await chatWith(api, String(key))).status).toBe(200);
    bodyOf(await api.admin("PUT", `/v2/api-keys/${id}`, { name: "Other", scopes: ["logs.view"] }));
    expect((await chatWith(api, String(key))).status).toBe(403);
    bodyOf(await api.admin("PUT", `/v2/api-keys/${id}`, { scopes: SCOPES }));
    bodyOf(await api.admin("DELETE", `/v2/api-keys/${id}`));
    expect((await chatWith(api, String(key))).status).toBe(401);
    expectError(await api.admin("GET", `/v2/api-keys/${id}`), 404, "AB08");
  });
  test(verifies("3.key-expires", "no longer works once expires_at has passed, without anybody doing anything"), async () => {
    const { key } = await created({ expires_at: soon(2_000) });
    expect((await chatWith(api, String(key))).status).toBe(200);
    const refused = await until("the key has expired", async () => {
      const answer = await chatWith(api, String(key));
      return answer.status === 401 && answer;
    });
    expect(refused.text).toContain("expired");
  });
  test(verifies("3.key-marked-expired", "is shown as expired then"), async () => {
    const key = await created({ expires_at: soon(1_000) });
    await until("it is shown as expired", async () => (await read(key))["status"] === "expired");
  });
  test("its stored form opens nothing", async () => {
    const { key } = await read(await created());
    expect((await ask(`${api.gateway.base}/v1/models`, "GET", String(key), undefined, SANDBOX)).status).toBe(401);
  });
});
