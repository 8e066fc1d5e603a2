/** What organisations and workspaces say of user keys: limits, ends, rotation, and keys that are made for people. */
import { expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, ISO, itemsOf, type Json } from "../endpoints/api.ts";
import { chatStatus, type ControlPlane, errorOf, onBoth, refused } from "./api.ts";

const ORGANISATION = "/v2/admin/organisation";
const UNSAID: Json = {
  ...{ user_api_key_auto_create: false, user_api_key_auto_create_scopes: null, user_api_key_rotation_period: null },
  ...{ user_api_key_ttl: null, user_api_key_limit: null, default_workspace_user_api_key_auto_create: false },
  user_api_key_workspace_overrides: false,
};
/** While the organisation says this; afterwards it says nothing again. */
async function whileSaid(plane: ControlPlane, settings: Json, work: () => Promise<void>): Promise<void> {
  bodyOf(await plane.admin("PUT", ORGANISATION, { settings }));
  try {
    await work();
  } finally {
    bodyOf(await plane.admin("PUT", ORGANISATION, { settings: UNSAID }));
  }
}

onBoth("settings of user keys", (plane) => {
  const userKey = (workspace_id: string, user_id: string, body: Json = {}) =>
    plane.admin("POST", "/v2/api-keys/user", { name: "mine", scopes: ["completions.write"], workspace_id, user_id, ...body });
  const keysIn = async (workspace: string): Promise<readonly Json[]> =>
    itemsOf(await plane.admin("GET", `/v2/api-keys?page_size=1000&workspace_id=${workspace}`));
  const keyAt = async (id: unknown): Promise<Json> => bodyOf(await plane.admin("GET", `/v2/api-keys/${id}`));
  const joined = (email: string, workspaces: readonly Json[]) => plane.person(email, workspaces, { workspace_api_key_details: undefined });

  test(verifies("K.limit", "a workspace has no more user keys than it may, however many are made at once"), async () => {
    const { id } = await plane.workspace("Limited keys");
    const { id: person } = await joined("limited@keys.example", [{ id, role: "member" }]);
    await whileSaid(plane, { user_api_key_limit: 3 }, async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => userKey(id, person)));
      const made = answers.filter(({ status }) => status === 200);
      for (const answer of answers) if (answer.status !== 200) expect(errorOf(answer)).toEqual(refused(400, "AB01", "workspace_id"));
      const there = await keysIn(id);
      expect(there.length).toBeLessThanOrEqual(3);
      expect(there.map((key) => key["id"]).sort()).toEqual(made.map(({ json }) => json["id"]).sort());
      for (let more = there.length; more < 3; more += 1) expect((await userKey(id, person)).status).toBe(200);
      const refusal = await userKey(id, person);
      expect(refusal.text).toContain("may have 3 user keys");
      const service = { name: "s", scopes: ["completions.write"], workspace_id: id };
      expect((await plane.admin("POST", "/v2/api-keys/service", service)).status).toBe(200);
      const [one] = await keysIn(id);
      bodyOf(await plane.admin("DELETE", `/v2/api-keys/${one?.["id"]}`));
      expect((await userKey(id, person)).status).toBe(200);
    });
  });
  test(verifies("K.ttl", "a user key ends at the latest when it is said; one that would live longer is refused"), async () => {
    const { id } = await plane.workspace("Ending keys");
    const { id: person } = await joined("ending@keys.example", [{ id, role: "member" }]);
    await whileSaid(plane, { user_api_key_ttl: 3_600 }, async () => {
      const made = bodyOf(await userKey(id, person));
      const { expires_at } = await keyAt(made["id"]);
      expect(Date.parse(String(expires_at)) - Date.now()).toBeWithin(3_000_000, 3_600_001);
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
      expect(errorOf(await userKey(id, person, { expires_at: tomorrow }))).toEqual(refused(400, "AB01", "expires_at"));
      const longer = await plane.admin("PUT", `/v2/api-keys/${made["id"]}`, { expires_at: tomorrow });
      expect(errorOf(longer)).toEqual(refused(400, "AB01", "expires_at"));
      bodyOf(await plane.admin("PUT", `/v2/api-keys/${made["id"]}`, { expires_at: null }));
      expect((await keyAt(made["id"]))["expires_at"]).toEqual(ISO);
    });
  });
  test(verifies("K.enforced", "the period that is enforced is that of new user keys; another one, or a day, is refused"), async () => {
    const { id } = await plane.workspace("Turning keys");
    const { id: person } = await joined("turning@keys.example", [{ id, role: "member" }]);
    await whileSaid(plane, { user_api_key_rotation_period: "weekly" }, async () => {
      expect(bodyOf(await plane.admin("GET", ORGANISATION))["settings"]).toMatchObject({ user_api_key_rotation_period: 7 });
      const made = bodyOf(await userKey(id, person));
      const enforced = { rotation_period_days: 7, next_rotation_at: expect.stringMatching(/T00:00:00.000Z$/) };
      expect((await keyAt(made["id"]))["rotation_policy"]).toEqual(enforced);
      const same = { rotation_policy: { rotation_period: "weekly", key_transition_period_ms: 3_600_000 } };
      expect((await userKey(id, person, same)).status).toBe(200);
      const next_rotation_at = new Date(Date.now() + 2 * 86_400_000).toISOString();
      const wrong: readonly (readonly [Json, string])[] = [
        [{ rotation_period_days: 30 }, "rotation_policy"],
        [{ rotation_period: "monthly" }, "rotation_policy"],
        [{ rotation_period_days: 7, next_rotation_at }, "rotation_policy.next_rotation_at"],
      ];
      for (const [rotation_policy, param] of wrong) {
        expect(errorOf(await userKey(id, person, { rotation_policy }))).toEqual(refused(400, "AB01", param));
        expect(errorOf(await plane.admin("PUT", `/v2/api-keys/${made["id"]}`, { rotation_policy }))).toEqual(refused(400, "AB01", param));
      }
      bodyOf(await plane.admin("PUT", `/v2/api-keys/${made["id"]}`, { rotation_policy: null }));
      expect((await keyAt(made["id"]))["rotation_policy"]).toEqual(enforced);
    });
  });
  test(verifies("K.overrides", "a workspace says otherwise where it may, and is heard for as long as it may"), async () => {
    const { id } = await plane.workspace("Its own keys");
    const { id: person } = await joined("own@keys.example", [{ id, role: "member" }]);
    const say = (settings: Json, key?: string) =>
      key
        ? plane.as(key, "PUT", `/v2/admin/workspaces/${id}`, { settings })
        : plane.admin("PUT", `/v2/admin/workspaces/${id}`, { settings });
    expect(errorOf(await say({ user_api_key_limit: 1 }))).toEqual(refused(400, "AB01", "settings"));
    await whileSaid(plane, { user_api_key_workspace_overrides: true, user_api_key_limit: 0 }, async () => {
      expect((await userKey(id, person)).status).toBe(400);
      const key = await plane.key(id, ["workspaces.update"]);
      expect(errorOf(await say({ user_api_key_limit: 2 }, key))).toEqual(refused(403, "AB03", "settings"));
      bodyOf(await say({ user_api_key_limit: 2 }));
      bodyOf(await say({ user_api_key_rotation_period: "monthly" }));
      const shown = bodyOf(await plane.admin("GET", `/v2/admin/workspaces/${id}`))["settings"];
      expect(shown).toEqual({ user_api_key_limit: 2, user_api_key_rotation_period: 30 });
      const made = bodyOf(await userKey(id, person));
      expect((await keyAt(made["id"]))["rotation_policy"]).toMatchObject({ rotation_period_days: 30 });
      bodyOf(await plane.admin("PUT", ORGANISATION, { settings: { user_api_key_workspace_overrides: false } }));
      expect((await userKey(id, person)).status).toBe(400);
    });
  });
  test(verifies("K.auto-create", "who becomes a member gets a user key; its secret is read by who may rotate it"), async () => {
    const [{ id: first }, { id: second }] = [await plane.workspace("Joined by invite"), await plane.workspace("Joined by hand")];
    const said = { user_api_key_auto_create: true, user_api_key_auto_create_scopes: ["completions.write"], user_api_key_ttl: 7_200 };
    await whileSaid(plane, { ...said, user_api_key_rotation_period: 9 }, async () => {
      const person = await joined("auto@keys.example", [{ id: first, role: "admin" }]);
      expect(await chatStatus(plane, String(person.keys[first]))).toBe(200);
      bodyOf(await plane.admin("POST", `/v2/admin/workspaces/${second}/users`, { users: [{ id: person.id }] }));
      for (const workspace of [first, second]) {
        const [key, ...others] = await keysIn(workspace);
        expect(others).toEqual([]);
        expect(key).toMatchObject({
          ...{ user_id: person.id, type: "workspace-user", creation_mode: "auto", scopes: ["completions.write"], expires_at: ISO },
          rotation_policy: { rotation_period_days: 9 },
        });
      }
      const [added] = await keysIn(second);
      const { key } = bodyOf(await plane.admin("GET", `/v2/api-keys/${added?.["id"]}/secret`));
      expect(await chatStatus(plane, String(key))).toBe(200);
      const [invited] = await keysIn(first);
      expect((await plane.admin("GET", `/v2/api-keys/${invited?.["id"]}/secret`)).status).toBe(404);
    });
  });
  test("who joins a workspace whose user keys are all taken joins without one", async () => {
    const { id } = await plane.workspace("Full of keys");
    await whileSaid(plane, { user_api_key_auto_create: true, user_api_key_limit: 0 }, async () => {
      expect(await joined("full@keys.example", [{ id, role: "member" }])).toMatchObject({ keys: {} });
    });
  });
  test(verifies("K.auto-default", "who may be in the default workspace gets a key of it by joining, where that is said"), async () => {
    const { id } = await plane.workspace("Not the default one");
    const home = String(bodyOf(await plane.admin("GET", "/v2/admin/workspaces/default"))["id"]);
    await whileSaid(plane, { default_workspace_user_api_key_auto_create: true }, async () => {
      const admin = await plane.person("default-admin@keys.example", [], { role: "admin", workspace_api_key_details: undefined });
      expect(Object.keys(admin.keys)).toEqual([home]);
      const member = await joined("default-member@keys.example", [{ id: "default", role: "member" }]);
      expect(Object.keys(member.keys)).toEqual([home]);
      const stranger = await joined("default-stranger@keys.example", [{ id, role: "member" }]);
      expect(stranger.keys).toEqual({});
    });
  });
  test(verifies("5.auto-scopes", "the scopes that are allowed bound those that an invite promises"), async () => {
    const { id } = await plane.workspace("Bounded scopes");
    await whileSaid(plane, { user_api_key_auto_create_scopes: ["models:list"] }, async () => {
      const person = await plane.person("bounded@keys.example", [{ id, role: "admin" }]);
      expect(await chatStatus(plane, String(person.keys[id]))).toBe(403);
      expect((await keysIn(id))[0]).toMatchObject({ scopes: ["models.list"] });
    });
    const wrong = await plane.admin("PUT", ORGANISATION, { settings: { user_api_key_auto_create_scopes: ["audit_logs.list"] } });
    expect(errorOf(wrong)).toEqual(refused(400, "AB01", "settings.user_api_key_auto_create_scopes[0]"));
  });
});
