/** Whose keys a person cares for. */
import { describe, expect, test } from "bun:test";
import { ApiKeys, type Caller, CallerRole, Configs, Guardrails, Users, WorkspaceMembers, type WorkspaceRole } from "#contract";
import { CALLERS, ORGANISATION, tenants, USER, WORKSPACE } from "../../../tests/kit/tenants.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { apiKeys } from "./resource.ts";

const ME = crypto.randomUUID();
const ACTIONS = ["create", "read", "update", "delete", "list", "rotate"];
/** As a session or a token brings them: a person with scopes over keys, bound by the person's role. */
const person = (role: WorkspaceRole): Caller => ({
  ...CALLERS.workspace,
  ...{ userId: ME, scopes: new Set([...ACTIONS.map((action) => `workspace_user_api_keys.${action}`), "completions.write", "models.list"]) },
  terms: CallerRole.saying(role),
});

describe("keys of other people", () => {
  const world = async () => {
    const made = await tenants([ApiKeys, Configs, Guardrails]);
    const stamps = { created_at: 0, last_updated_at: 0, organisation_id: ORGANISATION.ours };
    const me = { id: ME, first_name: "Me", last_name: "M", email: "me@ours.example", role: "member" as const };
    await made.handles.records.in(Users).insert({ ...stamps, ...me });
    const member = { id: crypto.randomUUID(), ...stamps, workspace_id: WORKSPACE.ours, user_id: ME, role: "member" as const };
    await made.handles.records.in(WorkspaceMembers).insert(member);
    const key = (as: Caller, more: object = {}) =>
      made.ask(apiKeys, "POST", "/api-keys/user", as, { name: "k", scopes: ["completions.write"], ...more });
    return { ...made, key };
  };

  test(verifies("K.others", "a member makes and sees their own only, without naming themselves"), async () => {
    const { ask, key } = await world();
    const theirs = String((await key(CALLERS.workspace, { user_id: USER })).body["id"]);
    const me = person("member");
    const own = String((await key(me)).body["id"]);
    expect((await ask(apiKeys, "GET", `/api-keys/${own}`, me)).body).toMatchObject({ user_id: ME });
    expect(await key(me, { user_id: USER })).toMatchObject({ status: 403, body: { error: { code: "AB03", param: "user_id" } } });
    expect((await ask(apiKeys, "GET", "/api-keys", me)).body).toMatchObject({ total: 1, data: [{ id: own }] });
    for (const [method, path, body] of [
      ["PUT", "", { name: "mine" }],
      ["POST", "/rotate", {}],
      ["GET", "/secret", undefined],
      ["GET", "", undefined],
      ["DELETE", "", undefined],
    ] as const) {
      const at = (id: string) => ask(apiKeys, method, `/api-keys/${id}${path}`, me, body);
      expect({ method, path, status: (await at(theirs)).status }).toEqual({ method, path, status: 403 });
      expect({ method, path, status: (await at(own)).status }).toEqual({ method, path, status: 200 });
    }
  });
  test("a manager makes them for others, and sees all", async () => {
    const { ask, key } = await world();
    for (const role of ["manager", "admin"] as const) expect((await key(person(role), { user_id: USER })).status).toBe(200);
    expect((await ask(apiKeys, "GET", "/api-keys", person("manager"))).body).toMatchObject({ total: 2 });
  });
});
