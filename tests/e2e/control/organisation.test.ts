/** The organisation's own record, what it asks of metadata, and the workspaces that its guardrails leave out. */
import { expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, ISO, itemsOf, type Json, UUID } from "../endpoints/api.ts";
import { until } from "../process.ts";
import { chatStatus, errorOf, onBoth, refused } from "./api.ts";

const PATH = "/v2/admin/organisation";
const EXCLUSIONS = "/v1/workspace-exclusions/input-guardrails";

onBoth("the organisation", (plane) => {
  const read = async (): Promise<Json> => bodyOf(await plane.admin("GET", PATH));
  const write = async (body: Json): Promise<void> => void expect(bodyOf(await plane.admin("PUT", PATH, body))).toEqual({});

  test(verifies("O.details", "is read and written: name, settings, security settings, overrides and metadata schemas"), async () => {
    const before = await read();
    const { id } = before;
    expect(before).toMatchObject({ object: "organisation", id: UUID, name: "My organisation", created_at: ISO, last_updated_at: ISO });
    expect(Object.keys(before).sort()).toEqual([
      ...[
        "created_at",
        "id",
        "last_updated_at",
        "metadata_schemas",
        "name",
        "object",
        "security_settings",
        "settings",
        "workspace_overrides",
      ],
    ]);
    expect(JSON.stringify(before)).not.toContain("vault");
    await write({ name: "Ours", settings: { user_api_key_auto_create: true } });
    await write({ security_settings: { logs: { membersViewLogs: true } } });
    const settings = { user_api_key_auto_create: true, user_api_key_auto_create_scopes: null };
    expect(await read()).toMatchObject({ id, name: "Ours", settings });
    await write({ settings: { user_api_key_auto_create: false } });
    const wrong = [
      [{ surprise: 1 }, "surprise"],
      [{ settings: { user_api_key_auto_create_scopes: ["audit_logs.list"] } }, "settings.user_api_key_auto_create_scopes[0]"],
      [{ security_settings: { logs: { membersFly: true } } }, "security_settings.logs.membersFly"],
      [{ workspace_overrides: { flying: true } }, "workspace_overrides.flying"],
      [{ metadata_schemas: { api_key: { type: "array" } } }, "metadata_schemas.api_key.type"],
    ] as const;
    for (const [body, param] of wrong) expect(errorOf(await plane.admin("PUT", PATH, body))).toMatchObject({ status: 400, param });
    const workspaceKey = await plane.key("default", ["workspaces.read"]);
    expect((await plane.as(workspaceKey, "GET", PATH)).status).toBe(403);
  });
  test(verifies("O.auto-keys", "gives whoever joins a user key where it says so, with the scopes that it allows"), async () => {
    const { id } = await plane.workspace("Auto");
    await write({ settings: { user_api_key_auto_create: true, user_api_key_auto_create_scopes: ["completions.write", "configs.read"] } });
    const { keys } = await plane.person("auto@example.org", [{ id, role: "manager" }], { workspace_api_key_details: null });
    expect(await chatStatus(plane, keys[id] ?? "")).toBe(200);
    expect(itemsOf(await plane.admin("GET", `/v2/api-keys?workspace_id=${id}`))).toMatchObject([
      { scopes: ["completions.write", "configs.read"], creation_mode: "auto" },
    ]);
    await write({ settings: { user_api_key_auto_create: false, user_api_key_auto_create_scopes: null } });
  });
  test(verifies("O.metadata", "asks for metadata of keys and workspaces, and fills in defaults"), async () => {
    const schema = {
      ...{ type: "object", required: ["team"], additionalProperties: true },
      properties: { team: { type: "string", enum: ["red", "blue"] }, tier: { type: "string", default: "free" } },
    };
    await write({ metadata_schemas: { api_key: schema, workspace: schema } });
    const key = (metadata?: Json) =>
      plane.admin("POST", "/v2/api-keys/service", {
        name: "k",
        workspace_id: "default",
        scopes: ["logs.view"],
        ...(metadata && { defaults: { metadata } }),
      });
    const workspace = (metadata?: Json) =>
      plane.admin("POST", "/v2/admin/workspaces", { name: "m", ...(metadata && { defaults: { metadata } }) });
    for (const make of [key, workspace])
      for (const metadata of [undefined, {}, { team: "green" }])
        expect(errorOf(await make(metadata))).toEqual(refused(400, "AB01", "defaults.metadata.team"));
    const made = bodyOf(await key({ team: "red", more: "x" }));
    const whole = { team: "red", more: "x", tier: "free" };
    expect(bodyOf(await plane.admin("GET", `/v2/api-keys/${made["id"]}`))["defaults"]).toMatchObject({ metadata: whole });
    expect(bodyOf(await workspace({ team: "red", more: "x" }))["defaults"]).toMatchObject({ metadata: whole });
    const change = { defaults: { metadata: { team: "green" } } };
    expect((await plane.admin("PUT", `/v2/api-keys/${made["id"]}`, change)).status).toBe(400);
    await write({ metadata_schemas: { api_key: null, workspace: null } });
    expect((await key()).status).toBe(200);
  });
  test(
    verifies(
      "4.exclusions",
      verifies("2.6.org-exclusions", "leaves workspaces out of its guardrails: merged, or replaced with override_existing"),
    ),
    async () => {
      const [one, two] = [await plane.workspace("Excluded one"), await plane.workspace("Excluded two")];
      const key = await plane.key(one.id, ["completions.write"]);
      const feedback = { feedback: { value: 1, weight: 1, metadata: "" } };
      const guardrail = bodyOf(
        await plane.admin("POST", "/admin/v2/guardrails", {
          ...{ name: "No figs", actions: { deny: true, async: false, on_success: feedback, on_fail: feedback } },
          checks: [{ id: "default.contains", parameters: { words: ["fig"], operator: "none" } }],
        }),
      );
      bodyOf(await plane.admin("PUT", `${PATH}/defaults`, { input_guardrails: [guardrail["slug"]] }));
      await until("it judges", async () => (await chatStatus(plane, key, "fig")) === 446, 1_000);
      const organisation_id = (await read())["id"];
      const exclude = (workspace_id: string, excluded = true, more: Json = {}) =>
        plane.admin("PUT", EXCLUSIONS, { organisation_id, workspaces: [{ workspace_id, excluded }], ...more });
      const listed = async (): Promise<unknown[]> =>
        itemsOf(await plane.admin("GET", `${EXCLUSIONS}?organisation_id=${organisation_id}`)).map((item) => item["workspace_id"]);
      expect(bodyOf(await exclude(one.slug))).toEqual({});
      await until("it does not judge", async () => (await chatStatus(plane, key, "fig")) === 200, 1_000);
      bodyOf(await exclude(two.id));
      expect(await listed()).toEqual([one.id, two.id]);
      bodyOf(await exclude(two.id, true, { override_existing: true }));
      expect(await listed()).toEqual([two.id]);
      await until("it judges again", async () => (await chatStatus(plane, key, "fig")) === 446, 1_000);
      bodyOf(await exclude(two.id, false));
      expect(await listed()).toEqual([]);
      expect(errorOf(await exclude("ws-none"))).toEqual(refused(403, "AB03", "workspaces[0].workspace_id"));
      const foreign = { organisation_id: crypto.randomUUID(), workspaces: [] };
      expect(errorOf(await plane.admin("PUT", EXCLUSIONS, foreign))).toEqual(refused(403, "AB03", "organisation_id"));
      bodyOf(await plane.admin("PUT", `${PATH}/defaults`, { input_guardrails: [] }));
    },
  );
});
