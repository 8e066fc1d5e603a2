/** People: invited, members of workspaces, and gone again. */
import { expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, ISO, itemsOf, type Json, NOBODY, UUID } from "../endpoints/api.ts";
import { ADMIN_KEY, until } from "../process.ts";
import { chatStatus, errorOf, onBoth, refused } from "./api.ts";

const USERS = "/v2/admin/users";
const INVITES = `${USERS}/invites`;

onBoth("people", (plane) => {
  const invite = (email: string, body: Json = {}) => plane.admin("POST", INVITES, { email, role: "member", workspaces: [], ...body });
  const accept = (link: unknown, body: Json = { first_name: "Ada", last_name: "L" }) =>
    fetch(String(link), { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

  test(verifies("P.invite", "an invite is shown with its state, its link once, and works once"), async () => {
    const { id: workspace } = await plane.workspace("Invited");
    const made = bodyOf(await invite("Ada@Example.org", { workspaces: [{ id: workspace, role: "manager" }] }));
    expect(made).toEqual({ id: UUID, invite_link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:.+token=/) });
    const read = bodyOf(await plane.admin("GET", `${INVITES}/${made["id"]}`));
    expect(read).toMatchObject({
      ...{ object: "invite", id: made["id"], email: "ada@example.org", role: "member", status: "pending", accepted_at: null },
      ...{ created_at: ISO, expires_at: ISO, invited_by: UUID },
    });
    expect(JSON.stringify(read)).not.toContain("token");
    expect(itemsOf(await plane.admin("GET", `${INVITES}?status=pending&email=ADA@example.org`))).toHaveLength(1);
    expect(errorOf(await invite("ada@example.org"))).toEqual(refused(409, "AB07", "email"));
    const opened = await fetch(String(made["invite_link"])); // as a browser does
    expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining("Accept the invitation")]);
    expect((await accept(made["invite_link"], {})).status).toBe(400);
    expect((await accept(made["invite_link"])).status).toBe(200);
    expect((await accept(made["invite_link"])).status).toBe(404);
    expect(bodyOf(await plane.admin("GET", `${INVITES}/${made["id"]}`))).toMatchObject({ status: "accepted", accepted_at: ISO });
    const [user] = itemsOf(await plane.admin("GET", `${USERS}?email=ada@example.org`));
    expect(user).toEqual({
      ...{ object: "user", id: UUID, first_name: "Ada", last_name: "L", role: "member", email: "ada@example.org" },
      ...{ created_at: ISO, last_updated_at: ISO, workspace_ids: [workspace] },
    });
    expect(bodyOf(await plane.admin("GET", `${USERS}/${user?.["id"]}`))).toEqual(user as Json);
    expect(errorOf(await invite("ada@example.org"))).toEqual(refused(409, "AB07", "email"));
    expect(errorOf(await plane.admin("DELETE", `${INVITES}/${made["id"]}`))).toEqual(refused(409, "AB07"));
  });
  test(
    verifies("P.resend", "a new link takes the place of the one before; a cancelled invite opens nothing, and stays listed"),
    async () => {
      const { id, invite_link } = bodyOf(await invite("bo@example.org"));
      const { inviteLink } = bodyOf(await plane.admin("POST", `${INVITES}/${id}/resend`));
      expect((await accept(invite_link)).status).toBe(404);
      expect(bodyOf(await plane.admin("DELETE", `${INVITES}/${id}`))).toEqual({});
      expect((await accept(inviteLink)).status).toBe(404);
      expect(itemsOf(await plane.admin("GET", `${INVITES}?status=cancelled`)).map((item) => item["id"])).toContain(id);
      expect(errorOf(await plane.admin("POST", `${INVITES}/${id}/resend`))).toEqual(refused(409, "AB07"));
    },
  );
  test(
    verifies("P.invite-judged", "an invite names workspaces that there are, each once, and scopes that a user key may hold"),
    async () => {
      const { slug } = await plane.workspace("Judged");
      const wrong = [
        [{ email: "nobody" }, "email"],
        [{ role: "owner" }, "role"],
        [{ workspaces: [{ id: "ws-none", role: "member" }] }, "workspaces[0].id"],
        [
          {
            workspaces: [
              { id: slug, role: "member" },
              { id: slug, role: "admin" },
            ],
          },
          "workspaces[1].id",
        ],
        [{ workspaces: [{ id: slug, role: "owner" }] }, "workspaces[0].role"],
        [{ workspace_api_key_details: { scopes: ["audit_logs.list"] } }, "workspace_api_key_details.scopes"],
      ] as const;
      for (const [body, param] of wrong) expect(errorOf(await invite("cy@example.org", body))).toEqual(refused(400, "AB01", param));
    },
  );
  test(verifies("P.invite-archived", "a workspace that was deleted since the invite is left out, and no key opens it"), async () => {
    const [kept, gone] = [await plane.workspace("Kept for the invited"), await plane.workspace("Gone for the invited")];
    const workspaces = [kept, gone].map(({ id }) => ({ id, role: "admin" }));
    const both = { workspaces, workspace_api_key_details: { scopes: ["*"] } };
    const { invite_link: toBoth } = bodyOf(await invite("fay@example.org", both));
    const { invite_link: toGone } = bodyOf(await invite("gil@example.org", { ...both, workspaces: workspaces.slice(1) }));
    const before = await plane.key(gone.id, ["configs.list"]);
    expect((await plane.as(before, "GET", "/v2/configs")).status).toBe(200);
    const removed = await plane.admin("DELETE", `/v2/admin/workspaces/${gone.id}`, { name: "Gone for the invited" });
    expect(removed.status).toBe(200);
    await until("keys stop", async () => (await plane.as(before, "GET", "/v2/configs")).status === 401, 1_000);
    const accepted = (await (await accept(toBoth)).json()) as { api_keys: Json[] };
    expect(accepted.api_keys.map((key) => key["workspace_id"])).toEqual([kept.id]);
    expect((await accept(toGone)).status).toBe(400);
    expect(itemsOf(await plane.admin("GET", `${USERS}?email=gil@example.org`))).toEqual([]);
  });
  test(verifies("P.user-key", "a person who was promised keys has one in each workspace, shown when the invite is accepted"), async () => {
    const { id } = await plane.workspace("Keyed");
    const { keys } = await plane.person("di@example.org", [{ id, role: "member" }], {
      workspace_api_key_details: { scopes: ["completions.write", "configs.read"] },
    });
    expect(await chatStatus(plane, keys[id] ?? "")).toBe(200);
    const [key] = itemsOf(await plane.admin("GET", `/v2/api-keys?workspace_id=${id}`));
    expect(key).toMatchObject({ type: "workspace-user", creation_mode: "auto", scopes: ["completions.write", "configs.read"] });
  });
  test(verifies("P.invite-scopes", "an invite promises no scope above a role that it gives"), async () => {
    const [one, two] = [await plane.workspace("Led"), await plane.workspace("Visited")];
    const workspaces = [
      { id: one.id, role: "manager" },
      { id: two.id, role: "member" },
    ];
    const promise = { workspace_api_key_details: { scopes: ["completions.write", "configs.create"] } };
    const refusal = await invite("kim@example.org", { workspaces, ...promise });
    expect(errorOf(refusal)).toEqual(refused(403, "AB03", "workspace_api_key_details.scopes"));
    expect(refusal.text).toContain("somebody who is member in the workspace cannot hold the scope configs.create");
    expect(itemsOf(await plane.admin("GET", `${INVITES}?email=kim@example.org`))).toEqual([]);
    bodyOf(await invite("kim@example.org", { workspaces: workspaces.slice(0, 1), ...promise }));
    bodyOf(await invite("hal@example.org", { role: "admin", workspaces, ...promise }));
  });
  test(verifies("P.invite-scopes", "and where a role came to allow nothing of it meanwhile, there is no key"), async () => {
    const { id } = await plane.workspace("Narrowed");
    const promise = { workspace_api_key_details: { scopes: ["configs.create"] } };
    const made = bodyOf(await invite("ivy@example.org", { workspaces: [{ id, role: "manager" }], ...promise }));
    const managersEdit = (value: boolean) =>
      plane.admin("PUT", "/v2/admin/organisation", { security_settings: { configs: { managersEditConfigs: value } } });
    bodyOf(await managersEdit(false));
    const accepted = await accept(made["invite_link"]);
    bodyOf(await managersEdit(true));
    expect([accepted.status, await accepted.json()]).toEqual([200, expect.objectContaining({ api_keys: [] })]);
    expect(itemsOf(await plane.admin("GET", `/v2/api-keys?workspace_id=${id}`))).toEqual([]);
  });
  test(verifies("P.remove", "a person who is removed loses keys and memberships at once"), async () => {
    const { id } = await plane.workspace("Left");
    const person = await plane.person("ed@example.org", [{ id, role: "admin" }]);
    expect(bodyOf(await plane.admin("PUT", `${USERS}/${person.id}`, { role: "admin" }))).toEqual({});
    expect(bodyOf(await plane.admin("GET", `${USERS}/${person.id}`))).toMatchObject({ role: "admin" });
    expect(errorOf(await plane.admin("PUT", `${USERS}/${person.id}`, { role: "owner" }))).toEqual(refused(400, "AB01", "role"));
    expect(bodyOf(await plane.admin("DELETE", `${USERS}/${person.id}`))).toEqual({});
    await until("the key stops", async () => (await chatStatus(plane, person.keys[id] ?? "")) === 401, 1_000);
    expect(errorOf(await plane.admin("GET", `${USERS}/${person.id}`))).toEqual(refused(404, "AB08"));
    expect(itemsOf(await plane.admin("GET", `/v2/admin/workspaces/${id}/users`))).toEqual([]);
  });
  test(verifies("P.members", "members are added, listed, read, changed and removed, with their keys"), async () => {
    const [home, other] = [await plane.workspace("Home"), await plane.workspace("Other")];
    const { id } = await plane.person("flo@example.org", [{ id: home.id, role: "member" }]);
    const members = `/v2/admin/workspaces/${other.slug}/users`;
    expect(bodyOf(await plane.admin("POST", members, { users: [{ id, role: "member" }] }))).toEqual({});
    expect(errorOf(await plane.admin("POST", members, { users: [{ id }] }))).toEqual(refused(409, "AB07", "users"));
    expect(errorOf(await plane.admin("POST", members, { users: [{ id: NOBODY }] }))).toEqual(refused(400, "AB01", "users"));
    const member = bodyOf(await plane.admin("GET", `${members}/${id}`));
    expect(member).toMatchObject({
      ...{ object: "workspace-user", id, first_name: "Ada", org_role: "member", role: "member", status: "active" },
      ...{ workspace_id: other.id, email: "flo@example.org", settings: null, created_at: ISO, last_updated_at: ISO },
    });
    expect(member["scopes"]).toContain("configs.read");
    expect(member["scopes"]).not.toContain("configs.create");
    for (const query of ["?role=member", "?email=FLO@example.org", ""])
      expect(itemsOf(await plane.admin("GET", members + query))).toEqual([member]);
    for (const query of ["?role=admin", "?email=none@example.org"]) expect(itemsOf(await plane.admin("GET", members + query))).toEqual([]);
    expect(bodyOf(await plane.admin("GET", `/v2/admin/workspaces/${other.id}`))["users"]).toEqual([member]);
    expect(bodyOf(await plane.admin("PUT", `${members}/${id}`, { role: "manager" }))).toEqual({});
    expect(bodyOf(await plane.admin("GET", `${members}/${id}`))).toMatchObject({ role: "manager" });
    const made = await plane.admin("POST", "/v2/api-keys/user", {
      ...{ name: "hers", user_id: id, workspace_id: other.id, scopes: ["completions.write"] },
    });
    const key = String(bodyOf(made)["key"]);
    expect(bodyOf(await plane.admin("DELETE", `${members}/${id}`))).toEqual({});
    expect(errorOf(await plane.admin("GET", `${members}/${id}`))).toEqual(refused(404, "AB08"));
    await until("the key stops", async () => (await chatStatus(plane, key)) === 401, 1_000);
    expect(errorOf(await plane.as(ADMIN_KEY, "GET", `/v2/admin/workspaces/${NOBODY}/users`))).toEqual(refused(404, "AB08"));
  });
});
