import { describe, expect, test } from "bun:test";
import {
  ApiKeys,
  Guardrails,
  Integrations,
  IntegrationWorkspaces,
  PluginCredentials,
  Providers,
  SecretReferences,
  Workspaces,
} from "#contract";
import { testResource } from "../../../tests/kit/resource.ts";
import { CALLERS, tenants, WORKSPACE } from "../../../tests/kit/tenants.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { plugins } from "../plugins/resource.ts";
import { integrations } from "../integrations/resource.ts";
import { secretReferences } from "./resource.ts";

const TOKEN = "token-0123456789abcdef";
const ADDRESS = "https://models.example.org";
const collections = [SecretReferences, Integrations, IntegrationWorkspaces, Guardrails, PluginCredentials, Providers, ApiKeys, Workspaces];
const create = {
  name: "OpenAI key",
  slug: "openai-key",
  manager_type: "acme_vault",
  auth_config: { mode: "token", address: ADDRESS, token: TOKEN },
  secret_path: "secret/data/openai",
  secret_key: "key",
};

testResource({
  resource: secretReferences,
  collections,
  create,
  update: { name: "Other", secret_path: "secret/data/other" },
  updated: { name: "Other", secret_path: "secret/data/other" },
  secrets: [TOKEN],
});

const PATH = "/secret-references/openai-key";
const world = async (body: object = {}) => {
  const all = await tenants(collections);
  const send = (method: string, path: string, given?: object, resource = secretReferences) =>
    all.ask(resource, method, path, CALLERS.admin, given && { ...given });
  return { ...all, send, answer: await send("POST", "/secret-references", { ...create, ...body }) };
};
const slugs = (answer: { readonly body: { readonly [member: string]: unknown } }): unknown =>
  (answer.body["data"] as { slug: string }[]).map(({ slug }) => slug); // the list's documented shape

describe("secret references", () => {
  test(verifies("A.references.shape", "have the documented shapes"), async () => {
    const { send, answer } = await world();
    expect(answer.body).toEqual({ id: expect.any(String), slug: "openai-key", object: "secret-reference" });
    const listed = {
      id: answer.body["id"],
      name: "OpenAI key",
      slug: "openai-key",
      manager_type: "acme_vault",
      status: "ACTIVE",
      created_at: "2026-01-01T00:00:00.000Z",
      last_updated_at: "2026-01-01T00:00:00.000Z",
      object: "secret-reference",
    };
    expect((await send("GET", "/secret-references")).body).toMatchObject({ object: "list", total: 1, data: [listed] });
    expect((await send("GET", PATH)).body).toMatchObject({
      ...listed,
      organisation_id: CALLERS.admin.organisationId,
      description: null,
      secret_path: "secret/data/openai",
      secret_key: "key",
      allow_all_workspaces: true,
      tags: null,
      created_by: CALLERS.admin.keyId,
      auth_config: { mode: "token", address: ADDRESS, masked_token: "to*******ef" },
    });
  });
  test(verifies("A.references.masked", "seal how to sign in, merge updates into it, and take back what a read showed"), async () => {
    const { send, handles } = await world();
    const stored = async () => (await handles.records.in(SecretReferences).first({ slug: "openai-key" }))?.auth_config ?? {};
    const before = await stored();
    expect(JSON.stringify(before)).not.toContain(TOKEN);
    const shown = (await send("GET", PATH)).body["auth_config"];
    expect((await send("PUT", PATH, { auth_config: shown as object })).status).toBe(200);
    expect(await stored()).toEqual(before);
    await send("PUT", PATH, { auth_config: { token: "another-0123456789" } });
    expect((await send("GET", PATH)).body["auth_config"]).toEqual({ mode: "token", address: ADDRESS, masked_token: "an*******89" });
  });
  test(verifies("A.references.moved", "send a stored secret to no other address"), async () => {
    const { send } = await world();
    const elsewhere = { address: `${ADDRESS}/elsewhere` };
    expect(await send("PUT", PATH, { auth_config: elsewhere })).toMatchObject({ status: 400, body: { error: { param: "token" } } });
    expect((await send("PUT", PATH, { auth_config: { ...elsewhere, token: "another-0123456789" } })).status).toBe(200);
  });
  test.each<[string, object, string]>([
    ["a manager that nobody runs", { manager_type: "absent" }, "manager_type"],
    ["a way to sign in that there is not", { auth_config: { mode: "other" } }, "auth_config.mode"],
    ["a misspelt member", { auth_config: { mode: "token", address: ADDRESS, tokn: TOKEN } }, "auth_config.tokn"],
    ["a misspelt member that names the way", { auth_config: { mod: "token", address: ADDRESS, token: TOKEN } }, "auth_config.mod"],
    ["a sign-in that lacks a member", { auth_config: { mode: "token", address: ADDRESS } }, "auth_config.token"],
    ["both all workspaces and some", { allow_all_workspaces: true, allowed_workspaces: ["second"] }, "allowed_workspaces"],
    ["a workspace of somebody else", { allowed_workspaces: [WORKSPACE.theirs] }, "allowed_workspaces"],
  ])("with %s are refused", async (_, body, param) => {
    expect((await world(body)).answer).toMatchObject({ status: 400, body: { error: { param } } });
  });
  test("at a private address are refused", async () => {
    const auth_config = { ...create.auth_config, address: "http://127.0.0.1:8200" };
    expect((await world({ auth_config })).answer.status).toBe(400);
  });
  test(verifies("A.references.visible", "say which workspaces may map them, and all may again when an update says so"), async () => {
    const { send } = await world({ allowed_workspaces: ["second"] });
    expect((await send("GET", PATH)).body).toMatchObject({ allow_all_workspaces: false, allowed_workspaces: [WORKSPACE.second] });
    await send("PUT", PATH, { allow_all_workspaces: true });
    expect((await send("GET", PATH)).body).toMatchObject({ allow_all_workspaces: true, allowed_workspaces: [] });
  });
  test(verifies("A.references.list", "are found by manager, word and tags"), async () => {
    const { send } = await world({ tags: { team: "search", tier: "gold" } });
    await send("POST", "/secret-references", { ...create, name: "Other", slug: "other" });
    const found = async (query: string) => slugs(await send("GET", `/secret-references?${query}`));
    expect(await found("search=OPENAI")).toEqual(["openai-key"]);
    expect(await found("search=absent")).toEqual([]);
    expect(await found("tags=team:search,tier:gold")).toEqual(["openai-key"]);
    expect(await found("tags=team:other")).toEqual([]);
    expect(await found("manager_type=acme_vault&page_size=1&current_page=1")).toEqual(["other"]);
    expect(await found("manager_type=absent")).toEqual([]);
  });
  test(verifies("A.references.mapped", "cannot be deleted while an integration maps them"), async () => {
    const { send } = await world();
    const integration = { name: "OpenAI", slug: "openai", ai_provider_id: "openai" };
    const mapping = { target_field: "openai_secret", secret_reference_id: "openai-key" };
    const made = await send("POST", "/integrations", { ...integration, secret_mappings: [mapping] }, integrations);
    expect(made.status).toBe(200);
    expect((await send("GET", "/integrations/openai", undefined, integrations)).body["secret_mappings"]).toEqual([
      { target_field: "configurations.openai_secret", secret_reference_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
    expect(await send("DELETE", PATH)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("openai maps it") } },
    });
    await send("PUT", "/integrations/openai", { secret_mappings: null }, integrations);
    expect((await send("DELETE", PATH)).status).toBe(200);
  });
  test(verifies("A.references.mapped", "cannot be deleted while an account with a vendor maps them"), async () => {
    const { send } = await world();
    const mapping = { target_field: "apiKey", secret_reference_id: "openai-key" };
    const made = await send("POST", "/plugins", { plugin_id: "acme", credentials: {}, secret_mappings: [mapping] }, plugins);
    expect(made.status).toBe(200);
    const message = expect.stringMatching(/while the account [0-9a-f-]{36} of the plugin acme maps it/);
    expect(await send("DELETE", PATH)).toMatchObject({ status: 400, body: { error: { message } } });
    const at = `/plugins/${made.body["id"]}`;
    expect(await send("PUT", at, { secret_mappings: null }, plugins)).toMatchObject({
      status: 400,
      body: { error: { param: "credentials.apiKey" } },
    });
    expect((await send("PUT", at, { credentials: { apiKey: "given-0123456789" }, secret_mappings: null }, plugins)).status).toBe(200);
    expect((await send("DELETE", PATH)).status).toBe(200);
  });
  test(verifies("A.mappings.moved", "say by no mapping where a stored secret goes"), async () => {
    const { send } = await world();
    const made = await send("POST", "/plugins", { plugin_id: "acme", credentials: { apiKey: "given-0123456789" } }, plugins);
    const mapping = { target_field: "credentials.apiEndpoint", secret_reference_id: "openai-key" };
    const moved = await send("PUT", `/plugins/${made.body["id"]}`, { secret_mappings: [mapping] }, plugins);
    expect(moved).toMatchObject({ status: 400, body: { error: { param: "apiKey" } } });
  });
  test.each<[string, object[], string]>([
    ["a field twice", [{ target_field: "key" }, { target_field: "key" }], "secret_mappings[1].target_field"],
    ["a field that the provider has not", [{ target_field: "configurations.absent" }], "secret_mappings[0].target_field"],
    ["a reference that there is not", [{ target_field: "key", secret_reference_id: "absent" }], "secret_mappings[0].secret_reference_id"],
  ])(verifies("A.mappings.rules", "are not mapped to %s"), async (_, mappings, param) => {
    const { send } = await world();
    const secret_mappings = mappings.map((mapping) => ({ secret_reference_id: "openai-key", ...mapping }));
    const answer = await send("POST", "/integrations", { name: "A", ai_provider_id: "openai", secret_mappings }, integrations);
    expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
  });
  test("are not mapped by a workspace that may not see them", async () => {
    const { ask } = await world({ allowed_workspaces: ["second"] });
    const body = { name: "A", ai_provider_id: "openai", secret_mappings: [{ target_field: "key", secret_reference_id: "openai-key" }] };
    expect((await ask(integrations, "POST", "/integrations", CALLERS.workspace, body)).status).toBe(400);
    expect((await ask(integrations, "POST", "/integrations", CALLERS.second, body)).status).toBe(200);
  });
});
