import { describe, expect, test } from "bun:test";
import { ApiKeys, Configs, Guardrails, Workspaces } from "#contract";
import { testResource } from "../../../tests/kit/resource.ts";
import { CALLERS, tenants, WORKSPACE } from "../../../tests/kit/tenants.ts";
import { guardrails, organisationGuardrails } from "./resource.ts";

const feedback = (value: number) => ({ feedback: { value, weight: 1, metadata: "" } });
const create = {
  name: "No shouting",
  checks: [{ id: "default.regexMatch", parameters: { rule: "^[^!]*$" } }],
  actions: { deny: true, async: false, on_success: feedback(5), on_fail: feedback(-5) },
};
const shared = { collections: [Guardrails, Configs, ApiKeys], create, update: { name: "Quiet" }, updated: { name: "Quiet" } };
testResource({ resource: guardrails, ...shared });
testResource({ resource: organisationGuardrails, ...shared });

describe("guardrails", () => {
  const ask = async (body: object) => {
    const world = await tenants([Guardrails, Configs, ApiKeys]);
    return { world, answer: await world.ask(guardrails, "POST", "/guardrails", CALLERS.workspace, { ...create, ...body }) };
  };
  const refused = (param: string, message: string) => ({
    status: 400,
    body: { error: { code: "AB01", param, message: expect.stringContaining(message) } },
  });

  test("an answer to create has id, slug, version, and who made it when", async () => {
    const { answer } = await ask({});
    expect(answer.body).toEqual({
      id: expect.any(String),
      slug: expect.stringMatching(/^pg-no-shouting-[0-9a-f]{6}$/),
      version_id: expect.any(String),
      created_at: "2026-01-01T00:00:00.000Z",
      created_by: CALLERS.workspace.keyId,
    });
  });
  test("an unknown check is refused by name", async () => {
    expect((await ask({ checks: [{ id: "default.absent" }] })).answer).toMatchObject(refused("checks[0].id", "default.absent"));
  });
  test("wrong parameters are refused with a sentence", async () => {
    expect((await ask({ checks: [{ id: "default.regexMatch", parameters: { rule: 1 } }] })).answer).toMatchObject(
      refused("checks[0].parameters.rule", "default.regexMatch"),
    );
  });
  test.each(["authorization", "x-gateway-config", "Host", "a header", "metadata-flavor", "connection"])(
    "the header %s may not be forwarded",
    async (name) => {
      const parameters = { rule: "x", forwardHeaders: ["x-gateway-trace-id", name] };
      expect((await ask({ checks: [{ id: "default.regexMatch", parameters }] })).answer).toMatchObject(
        refused("checks[0].parameters.forwardHeaders[1]", name),
      );
    },
  );
  test("a guardrail for models needs checks and actions, one for MCP tools does not", async () => {
    expect((await ask({ checks: undefined })).answer).toMatchObject(refused("checks", "checks"));
    expect((await ask({ actions: undefined })).answer).toMatchObject(refused("actions", "actions"));
    expect((await ask({ target: "mcp_tools", checks: undefined, actions: undefined })).answer.status).toBe(200);
  });
  test("an action that is misspelt is named with what was probably meant, before what is missing beside it", async () => {
    const misspelt = (await ask({ actions: { denny: true } })).answer;
    expect(misspelt).toMatchObject({ status: 400, body: { error: { code: "AB01", param: "actions.denny" } } });
    expect(misspelt.text).toContain("there is no such member; known are deny, async, ");
    expect(misspelt.text).toContain("and deny was probably meant");
  });
  test("soft_deny_200 without a denial is refused with what is missing", async () => {
    const idle = (await ask({ actions: { ...create.actions, deny: false, soft_deny_200: true } })).answer;
    expect(idle).toMatchObject({ status: 400, body: { error: { param: "actions.soft_deny_200" } } });
    expect(idle.text).toContain("this guardrail denies nothing: set actions.deny to true");
  });
  test("the members of actions that the specification requires are required", async () => {
    expect((await ask({ actions: { deny: true } })).answer).toMatchObject({
      status: 400,
      body: { error: { code: "AB01", param: expect.stringContaining("actions") } },
    });
  });
  test("an update makes a new version and cannot change the target", async () => {
    const { world, answer } = await ask({});
    const path = `/guardrails/${String(answer.body["id"])}`;
    const updated = await world.ask(guardrails, "PUT", path, CALLERS.workspace, { name: "Other" });
    expect(updated.body).toEqual({ id: answer.body["id"], slug: answer.body["slug"], version_id: expect.any(String) });
    expect(updated.body["version_id"]).not.toBe(answer.body["version_id"]);
    expect(await world.ask(guardrails, "PUT", path, CALLERS.workspace, { target: "mcp_tools" })).toMatchObject(refused("target", "target"));
  });
  test("a list shows both targets unless one is asked for, and pages", async () => {
    const { world } = await ask({});
    await world.ask(guardrails, "POST", "/guardrails", CALLERS.workspace, { name: "tools", target: "mcp_tools" });
    const list = async (query: string) => (await world.ask(guardrails, "GET", `/guardrails${query}`, CALLERS.workspace)).body;
    expect(await list("")).toMatchObject({ total: 2, data: [{ target: "llm" }, { target: "mcp_tools" }] });
    expect(await list("?target=mcp_tools")).toMatchObject({ total: 1, data: [{ name: "tools" }] });
    expect(await list("?page_size=1&current_page=1")).toMatchObject({ total: 2, data: [{ name: "tools" }] });
    for (const query of ["?page_size=0", "?page_size=1001", "?current_page=-1", "?page_size=x"])
      expect(await list(query)).toMatchObject({ error: { code: "AB01", param: query.slice(1).split("=")[0] } });
  });
  test("an organisation key that names no workspace makes the organisation's, which a workspace key does not see", async () => {
    const world = await tenants([Guardrails, Configs, ApiKeys]);
    const made = await world.ask(guardrails, "POST", "/guardrails", CALLERS.admin, create);
    const path = `/guardrails/${String(made.body["slug"])}`;
    expect((await world.ask(guardrails, "GET", path, CALLERS.admin)).body).toMatchObject({ workspace_id: null });
    expect((await world.ask(guardrails, "GET", path, CALLERS.workspace)).status).toBe(403);
    expect((await world.ask(organisationGuardrails, "GET", path, CALLERS.admin)).status).toBe(200);
    expect(
      (await world.ask(guardrails, "POST", "/guardrails", { ...CALLERS.admin, scopes: new Set(["guardrails.create"]) }, create)).status,
    ).toBe(403);
  });
  test("a workspace may be named by its slug", async () => {
    const world = await tenants([Guardrails, Configs, ApiKeys]);
    const made = await world.ask(guardrails, "POST", "/guardrails", CALLERS.admin, { ...create, workspace_id: "second" });
    expect((await world.ask(guardrails, "GET", `/guardrails/${String(made.body["id"])}`, CALLERS.second)).body).toMatchObject({
      workspace_id: WORKSPACE.second,
    });
  });
  test("a default guardrail of a workspace cannot be deleted", async () => {
    const { world, answer } = await ask({});
    await world.handles.records.in(Workspaces).update(WORKSPACE.ours, { defaults: { input_guardrails: [answer.body["slug"]] } });
    const path = `/guardrails/${String(answer.body["id"])}`;
    expect(await world.ask(guardrails, "DELETE", path, CALLERS.workspace)).toMatchObject({
      status: 409,
      body: { error: { code: "AB07", message: expect.stringContaining("default guardrail") } },
    });
    expect((await world.ask(guardrails, "GET", path, CALLERS.workspace)).status).toBe(200);
  });
  test("a text with the character U+0000 is refused, one that spells its escape is not", async () => {
    expect((await ask({ name: "a\u0000b" })).answer).toMatchObject({ status: 400, body: { error: { code: "AB01" } } });
    expect((await ask({ name: "a\\u0000b" })).answer.status).toBe(200);
  });
});
