import { describe, expect, test } from "bun:test";
import { Integrations, IntegrationWorkspaces, newGatewayKey, Providers } from "#contract";
import { testResource } from "../../../tests/kit/resource.ts";
import { CALLERS, tenants, WORKSPACE } from "../../../tests/kit/tenants.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { integrations } from "./resource.ts";

const KEY = "sk-live-0123456789abcdef";
const INNER = "inner-secret-0123456789";
const collections = [Integrations, IntegrationWorkspaces, Providers];
const create = {
  name: "OpenAI, main",
  slug: "openai-main",
  ai_provider_id: "openai",
  key: KEY,
  configurations: { openai_organization: "org-1", openai_secret: INNER },
};

testResource({
  resource: integrations,
  collections,
  create,
  update: { name: "Other", configurations: { openai_organization: "org-2" } },
  updated: { name: "Other", configurations: { openai_organization: "org-2" } },
  secrets: [KEY, INNER],
});

const PATH = "/integrations/openai-main";
const world = async (as = CALLERS.workspace, body: object = {}) => {
  const all = await tenants(collections);
  const answer = await all.ask(integrations, "POST", "/integrations", as, { ...create, ...body });
  return { ...all, answer, stored: async () => (await all.handles.records.in(Integrations).list({ limit: 1, offset: 0 })).data[0] };
};

describe("integrations", () => {
  test("the list has the documented shape", async () => {
    const { ask } = await world();
    expect((await ask(integrations, "GET", "/integrations", CALLERS.admin)).body).toEqual({
      object: "list",
      total: 1,
      data: [
        {
          id: expect.any(String),
          organisation_id: CALLERS.admin.organisationId,
          workspace_id: WORKSPACE.ours,
          ai_provider_id: "openai",
          name: "OpenAI, main",
          status: "active",
          created_at: "2026-01-01T00:00:00.000Z",
          last_updated_at: "2026-01-01T00:00:00.000Z",
          slug: "openai-main",
          description: "",
          tags: {},
          object: "integration",
        },
      ],
    });
  });
  test.each([
    ["key", (key: string) => ({ key })],
    ["configurations.openai_secret", (key: string) => ({ configurations: { openai_secret: key } })],
  ])(verifies("G.credentials.own-key", "a key of the gateway as %s is refused"), async (param, body) => {
    const { handles, ask } = await world();
    const key = newGatewayKey(handles.vault);
    const { status, body: answer } = await ask(integrations, "PUT", PATH, CALLERS.workspace, body(key));
    expect({ status, answer }).toMatchObject({ status: 400, answer: { error: { code: "AB01", param } } });
    expect(JSON.stringify(answer)).not.toContain(key);
  });
  test("credentials are sealed where they are stored and masked where they are read", async () => {
    const { ask, stored, handles } = await world();
    const record = await stored();
    expect(JSON.stringify(record)).not.toMatch(new RegExp(`${KEY}|${INNER}`));
    expect(handles.vault.open(record?.key_sealed ?? "")).toBe(KEY);
    expect((await ask(integrations, "GET", PATH, CALLERS.workspace)).body).toMatchObject({
      masked_key: "sk*******ef",
      configurations: { openai_organization: "org-1", openai_secret: "in*******89" },
    });
  });
  test("secrets left out of an update, or sent back masked, keep their value", async () => {
    const { ask, stored } = await world();
    const before = await stored();
    await ask(integrations, "PUT", PATH, CALLERS.workspace, { key: "sk*******ef", configurations: { openai_secret: "in*******89" } });
    expect(await stored()).toMatchObject({
      key_sealed: before?.key_sealed ?? "",
      configurations: { openai_secret: before?.configurations["openai_secret"] },
    });
    await ask(integrations, "PUT", PATH, CALLERS.workspace, { configurations: { openai_organization: "org-9" } });
    expect((await stored())?.configurations).toEqual({
      openai_organization: "org-9",
      openai_secret: before?.configurations["openai_secret"],
    });
  });
  test("null takes a secret away", async () => {
    const { ask, stored } = await world();
    await ask(integrations, "PUT", PATH, CALLERS.workspace, { configurations: { openai_secret: null, openai_organization: "org-1" } });
    expect((await stored())?.configurations).toEqual({ openai_organization: "org-1" });
  });
  test.each<[string, object, object, string | null]>([
    ["the key", {}, {}, "key"],
    ["the key, sent back masked", {}, { key: "sk*******ef", configurations: { openai_secret: "another-secret-0123" } }, "key"],
    ["a secret field", { key: undefined }, {}, "openai_secret"],
    ["a secret field beside a new key", {}, { key: "sk-new-0123456789" }, "openai_secret"],
    ["nothing that is stored", {}, { key: "sk-new-0123456789", configurations: { openai_secret: "another-secret-0123" } }, null],
  ])("a new custom host takes no stored credential along: %s", async (_, made, update, param) => {
    const { ask } = await world(CALLERS.workspace, made);
    const { configurations = {}, ...rest } = update as { configurations?: object };
    const answer = await ask(integrations, "PUT", PATH, CALLERS.workspace, {
      ...rest,
      configurations: { custom_host: "https://models.example.org/v1", ...configurations },
    });
    expect(answer).toMatchObject(param === null ? { status: 200 } : { status: 400, body: { error: { param } } });
  });
  test.each<[string, object, string]>([
    ["an unknown provider", { ai_provider_id: "absent" }, "ai_provider_id"],
    ["a field the provider does not have", { configurations: { azure_region: "x" } }, "configurations.azure_region"],
    ["a field of the wrong type", { configurations: { openai_organization: 1 } }, "configurations.openai_organization"],
    ["a slug with a space", { slug: "a b" }, "slug"],
    ["a name of 256 characters", { name: "n".repeat(256) }, "name"],
  ])("%s is refused", async (_, body, param) => {
    expect((await world(CALLERS.workspace, body)).answer).toMatchObject({ status: 400, body: { error: { param } } });
  });
  test("a private custom host is refused", async () => {
    expect((await world(CALLERS.workspace, { configurations: { custom_host: "http://127.0.0.1:1/v1" } })).answer.status).toBe(400);
    expect((await world(CALLERS.workspace, { configurations: { custom_host: "https://models.example.org/v1" } })).answer.status).toBe(200);
  });
  test("a workspace integration brings a provider unless told not to, and takes its providers along when deleted", async () => {
    const { ask, handles } = await world(CALLERS.workspace, { default_provider_slug: "main" });
    const providers = async () => (await handles.records.in(Providers).list({ limit: 10, offset: 0 })).data;
    expect(await providers()).toMatchObject([{ slug: "main", workspace_id: WORKSPACE.ours, status: "active" }]);
    await ask(integrations, "DELETE", PATH, CALLERS.workspace);
    expect(await providers()).toEqual([]);
    await ask(integrations, "POST", "/integrations", CALLERS.workspace, { ...create, create_default_provider: false });
    await ask(integrations, "POST", "/integrations", CALLERS.admin, { ...create, slug: "organisation-wide" });
    expect(await providers()).toEqual([]);
  });
  test("a provider slug that is taken takes the integration back", async () => {
    const { ask, stored } = await world();
    const again = await ask(integrations, "POST", "/integrations", CALLERS.workspace, {
      ...create,
      slug: "another",
      default_provider_slug: "openai-main",
    });
    expect(again).toMatchObject({ status: 409, body: { error: { code: "AB07" } } });
    expect(await stored()).toMatchObject({ slug: "openai-main" });
    expect((await ask(integrations, "GET", "/integrations/another", CALLERS.workspace)).status).toBe(404);
  });
  test("type chooses whose are listed; a workspace key sees the organisation's in the list and not one by one", async () => {
    const { ask } = await world();
    await ask(integrations, "POST", "/integrations", CALLERS.admin, { ...create, slug: "shared" });
    await ask(integrations, "POST", "/integrations", CALLERS.second, { ...create, slug: "second" });
    const slugs = async (as: typeof CALLERS.admin, query: string) => {
      const { body } = await ask(integrations, "GET", `/integrations${query}`, as);
      return (body["data"] as { slug: string }[]).map(({ slug }) => slug); // the list's documented shape
    };
    expect(await slugs(CALLERS.admin, "")).toEqual(["openai-main", "shared", "second"]);
    expect(await slugs(CALLERS.admin, "?type=organisation")).toEqual(["shared"]);
    expect(await slugs(CALLERS.admin, "?type=workspace")).toEqual(["openai-main", "second"]);
    expect(await slugs(CALLERS.workspace, "?type=all")).toEqual(["openai-main", "shared"]);
    expect(await slugs(CALLERS.workspace, "?type=workspace")).toEqual(["openai-main"]);
    expect((await ask(integrations, "GET", "/integrations/shared", CALLERS.workspace)).status).toBe(404);
    expect((await ask(integrations, "GET", "/integrations?type=mine", CALLERS.admin)).body).toMatchObject({
      error: { code: "AB01", param: "type" },
    });
  });
});
