/** What people may do: their role, their key's scopes, and security settings. */
import { describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, type Json } from "../endpoints/api.ts";
import { ask, until } from "../process.ts";
import { chatStatus, type ControlPlane, errorOf, onBoth, refused } from "./api.ts";

const ORGANISATION = "/v2/admin/organisation";
const CONFIG: Json = { name: "c", config: { provider: "sandbox" } };

onBoth("roles", (plane) => {
  let people = 0;
  /** Somebody of this role in a new workspace, with a key that may do all that the role may. */
  const somebody = async (role: string, invite: Json = {}) => {
    people += 1;
    const workspace = await plane.workspace(`Of ${role} ${people}`);
    const { id, keys } = await plane.person(`${role}-${people}@example.org`, [{ id: workspace.id, role }], invite);
    return { id, workspace, key: keys[workspace.id] ?? "", members: `/v2/admin/workspaces/${workspace.id}/users` };
  };
  const newConfig = (key: string) => plane.as(key, "POST", "/v2/configs", CONFIG);

  test(verifies("R.roles", "a member looks and asks models; a manager and an admin write, too"), async () => {
    for (const [role, writes] of [
      ["member", 403],
      ["manager", 200],
      ["admin", 200],
    ] as const) {
      const { key } = await somebody(role);
      const written = await newConfig(key);
      expect({ role, status: written.status }).toEqual({ role, status: writes });
      if (writes === 403) expect(written.text).toContain("belongs to somebody who is member in the workspace"); // the key's "*" holds the scope
      expect((await plane.as(key, "GET", "/v2/configs")).status).toBe(200);
      expect(await chatStatus(plane, key)).toBe(200);
    }
  });
  test(verifies("R.organisation-admin", "who runs the organisation is an admin in all of its workspaces"), async () => {
    const { key } = await somebody("member", { role: "admin" });
    expect((await newConfig(key)).status).toBe(200);
  });
  test(verifies("R.at-once", "a role that is lowered, and one that is taken away, bite at once"), async () => {
    const { id, key, members } = await somebody("manager");
    expect((await newConfig(key)).status).toBe(200);
    bodyOf(await plane.admin("PUT", `${members}/${id}`, { role: "member" }));
    await until("the manager is a member", async () => (await newConfig(key)).status === 403, 1_000);
    bodyOf(await plane.admin("DELETE", `${members}/${id}`));
    await until("the key stops", async () => (await plane.as(key, "GET", "/v2/configs")).status === 401, 1_000);
  });
  test(verifies("R.not-above", "nobody makes, changes or removes somebody who is more than themselves"), async () => {
    const { key, members } = await somebody("manager");
    const admin = await somebody("admin");
    const other = await somebody("member");
    const add = (id: string, role: string) => plane.as(key, "POST", members, { users: [{ id, role }] });
    expect(errorOf(await add(admin.id, "admin"))).toEqual(refused(403, "AB03", "role"));
    expect(bodyOf(await add(other.id, "manager"))).toEqual({});
    expect(errorOf(await plane.as(key, "PUT", `${members}/${other.id}`, { role: "admin" }))).toEqual(refused(403, "AB03", "role"));
    bodyOf(await plane.admin("POST", members, { users: [{ id: admin.id, role: "admin" }] }));
    for (const [method, body] of [
      ["PUT", { role: "member" }],
      ["DELETE", undefined],
    ] as const)
      expect(errorOf(await plane.as(key, method, `${members}/${admin.id}`, body))).toEqual(refused(403, "AB03", "role"));
    expect(errorOf(await plane.as(other.key, "POST", other.members, { users: [{ id: admin.id }] }))).toEqual(refused(403, "AB03"));
  });
  test(verifies("R.user-keys", "a user key is a member's, and holds no scope above the person's role"), async () => {
    const { id, workspace } = await somebody("member");
    const stranger = await somebody("member");
    const make = (user_id: string, scopes: readonly string[]) =>
      plane.admin("POST", "/v2/api-keys/user", { name: "k", workspace_id: workspace.id, user_id, scopes });
    expect(errorOf(await make(id, ["configs.create"]))).toEqual(refused(403, "AB03", "scopes"));
    expect(errorOf(await make(stranger.id, ["configs.read"]))).toEqual(refused(400, "AB01", "user_id"));
    expect(errorOf(await make(crypto.randomUUID(), ["configs.read"]))).toEqual(refused(400, "AB01", "user_id"));
    const nowhere = await plane.admin("POST", "/v2/api-keys/user", { name: "k", user_id: id, scopes: ["configs.read"] });
    expect(errorOf(nowhere)).toEqual(refused(400, "AB01", "workspace_id"));
    expect(nowhere.text).toContain("The member workspace_id is missing");
    const made = bodyOf(await make(id, ["configs.read"]));
    const update = await plane.admin("PUT", `/v2/api-keys/${made["id"]}`, { scopes: ["configs.update"] });
    expect(errorOf(update)).toEqual(refused(403, "AB03", "scopes"));
  });

  describe("security settings", () => {
    const organisation = async (change: Json): Promise<void> =>
      void expect(bodyOf(await plane.admin("PUT", ORGANISATION, change))).toEqual({});
    test(verifies("S.scopes", "take from a role, and give to it, at once"), async () => {
      const manager = await somebody("manager");
      const member = await somebody("member");
      await organisation({ security_settings: { configs: { managersEditConfigs: false, membersEditConfigs: true } } });
      await until("managers may not", async () => (await newConfig(manager.key)).status === 403, 1_000);
      expect((await newConfig(member.key)).status).toBe(200);
      await organisation({ security_settings: { configs: { managersEditConfigs: true, membersEditConfigs: false } } });
      await until("managers may", async () => (await newConfig(manager.key)).status === 200, 1_000);
    });
    test(verifies("S.logs", "hide what was said in logs, or logs as a whole, or other people's"), async () => {
      const { key, workspace } = await somebody("member");
      const service = await plane.key(workspace.id, ["completions.write"]);
      const [own, foreign] = [await logged(plane, key), await logged(plane, service)];
      const seen = async (log: string): Promise<unknown> => {
        const answer = await plane.as(key, "GET", log);
        return answer.status === 200 ? answer.text.includes("secret words") : answer.status;
      };
      await until("both are written", async () => (await seen(own)) === true && (await seen(foreign)) === true);
      await organisation({ security_settings: { data_visibility: { membersViewAllData: false } } });
      await until("others' are gone", async () => (await seen(foreign)) === 404, 1_000);
      expect(await seen(own)).toBe(true);
      await organisation({ security_settings: { logs: { membersViewLogs: false } } });
      await until("bodies are gone", async () => (await seen(own)) === false, 1_000);
      await organisation({ security_settings: { logs: { membersViewLogMetadata: false } } });
      await until("logs are gone", async () => (await seen(own)) === 404, 1_000);
      await organisation({
        security_settings: { data_visibility: { membersViewAllData: true }, logs: { membersViewLogs: true, membersViewLogMetadata: true } },
      });
      await until("all is back", async () => (await seen(foreign)) === true, 1_000);
    });
    test(
      verifies("S.overrides", "are a workspace's own where the organisation says so, and begin with the organisation's values"),
      async () => {
        const { key, workspace } = await somebody("manager");
        const path = `/v2/admin/workspaces/${workspace.id}`;
        const says = (guardrails: Json) => plane.admin("PUT", path, { security_settings: { guardrails } });
        const valueIn = async (at: string) =>
          (bodyOf(await plane.admin("GET", at))["security_settings"] as { guardrails: Json }).guardrails["managersWriteGuardrails"];
        expect(errorOf(await says({ managersWriteGuardrails: true }))).toEqual(refused(400, "AB01", "security_settings.guardrails"));
        await organisation({
          security_settings: { guardrails: { managersWriteGuardrails: false } },
          workspace_overrides: { guardrails: true },
        });
        expect(bodyOf(await plane.admin("GET", ORGANISATION))).toMatchObject({ workspace_overrides: { guardrails: true, logs: false } });
        await organisation({ security_settings: { guardrails: { managersWriteGuardrails: true } } });
        expect([await valueIn(path), await valueIn(ORGANISATION)]).toEqual([false, true]);
        expect((await plane.as(key, "PUT", path, { security_settings: { guardrails: { managersWriteGuardrails: true } } })).status).toBe(
          403,
        );
        expect(bodyOf(await says({ managersWriteGuardrails: true }))).toEqual({});
        expect(await valueIn(path)).toBe(true);
        await organisation({ workspace_overrides: { guardrails: false } });
        await organisation({
          security_settings: { guardrails: { managersWriteGuardrails: false } },
          workspace_overrides: { guardrails: true },
        });
        expect(await valueIn(path)).toBe(false); // what it said before the category was closed is forgotten
        await organisation({
          security_settings: { guardrails: { managersWriteGuardrails: true } },
          workspace_overrides: { guardrails: false },
        });
      },
    );
  });
});

/** The path of the log of a new request. */
async function logged(plane: ControlPlane, key: string): Promise<string> {
  const body = { model: "echo", messages: [{ role: "user", content: "secret words" }] };
  const answer = await ask(`${plane.gateway.base}/v1/chat/completions`, "POST", key, body, { "x-gateway-provider": "sandbox" });
  expect(answer.status).toBe(200);
  return `/v1/logs/${answer.headers.get("x-gateway-trace-id")}`;
}
