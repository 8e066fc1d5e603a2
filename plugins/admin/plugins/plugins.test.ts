import { describe, expect, test } from "bun:test";
import { ApiKeys, type Json, newGatewayKey, PluginCredentials, type RecordOf } from "#contract";
import { testResource } from "../../../tests/kit/resource.ts";
import { CALLERS, tenants, WORKSPACE } from "../../../tests/kit/tenants.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { plugins } from "./resource.ts";

const KEY = "acme-key-0123456789abcdef";
const OTHER = "client-secret-0123456789";
const collections = [PluginCredentials, ApiKeys];
const create = { plugin_id: "acme", credentials: { apiKey: KEY, clientSecret: OTHER, region: "eu" } };

testResource({
  resource: plugins,
  collections,
  create,
  update: { credentials: { region: "us" } },
  updated: { credentials: { apiKey: "ac*******ef", region: "us" } },
  secrets: [KEY, OTHER],
});

const world = async (body: object = {}) => {
  const all = await tenants(collections);
  const answer = await all.ask(plugins, "POST", "/plugins", CALLERS.admin, { ...create, ...body });
  const path = `/plugins/${String(answer.body["id"])}`;
  return {
    ...all,
    answer,
    put: (credentials: Json) => all.ask(plugins, "PUT", path, CALLERS.admin, { credentials }),
    read: async () => (await all.ask(plugins, "GET", path, CALLERS.admin)).body["credentials"],
    stored: async () => (await all.handles.records.in(PluginCredentials).list({ limit: 1, offset: 0 })).data[0],
  };
};

describe("plugin credentials", () => {
  test("are sealed where they are stored, masked where they are read, and left out of lists", async () => {
    const { answer, stored, ask, handles } = await world();
    expect(answer.body).toMatchObject({
      object: "plugin",
      plugin_id: "acme",
      workspace_id: null,
      credentials: { apiKey: "ac*******ef", clientSecret: "cl*******89", region: "eu" },
    });
    const record = await stored();
    const { sealed } = (record?.credentials["apiKey"] ?? { sealed: "" }) as { readonly sealed: string }; // by the rule that stores it
    expect(JSON.stringify(record)).not.toMatch(new RegExp(`${KEY}|${OTHER}`));
    expect(handles.vault.open(sealed)).toBe(KEY);
    expect((await ask(plugins, "GET", "/plugins", CALLERS.admin)).body).toMatchObject({
      object: "list",
      total: 1,
      data: [expect.not.objectContaining({ credentials: expect.anything() })],
    });
  });
  test("are one of each plugin in the organisation and in each workspace", async () => {
    const { ask } = await world();
    const post = (more: object) => ask(plugins, "POST", "/plugins", CALLERS.admin, { ...create, ...more });
    expect((await post({ workspace_id: "default" })).body).toMatchObject({ workspace_id: WORKSPACE.ours });
    expect((await post({ workspace_id: "second" })).body).toMatchObject({ workspace_id: WORKSPACE.second });
    expect(await post({ workspace_id: "second" })).toMatchObject({ status: 409, body: { error: { code: "AB07", param: "plugin_id" } } });
  });
  test("can be listed of one workspace and of one plugin", async () => {
    const { ask } = await world();
    await ask(plugins, "POST", "/plugins", CALLERS.admin, { ...create, workspace_id: "second" });
    const total = async (query: string) => (await ask(plugins, "GET", `/plugins${query}`, CALLERS.admin)).body["total"];
    expect([await total(""), await total("?workspace_id=second"), await total("?plugin_id=acme"), await total("?plugin_id=other")]).toEqual(
      [2, 1, 2, 0],
    );
  });
  test("that are secret keep their value when they are left out or sent back masked; null takes one away", async () => {
    const { put, read, stored } = await world();
    const before = (await stored())?.credentials["apiKey"];
    await put({ apiKey: "ac*******ef", region: "us" });
    expect((await stored())?.credentials["apiKey"]).toEqual(before);
    expect(await read()).toEqual({ apiKey: "ac*******ef", clientSecret: "cl*******89", region: "us" });
    await put({ clientSecret: null });
    expect(await read()).toEqual({ apiKey: "ac*******ef" });
  });
  test("that are kept do not go to another address", async () => {
    const { put } = await world();
    const apiEndpoint = "https://models.example.org/v1";
    expect(await put({ apiEndpoint })).toMatchObject({ status: 400, body: { error: { param: "apiKey" } } });
    expect(await put({ apiEndpoint, apiKey: KEY })).toMatchObject({ status: 400, body: { error: { param: "clientSecret" } } });
    expect(await put({ apiEndpoint, apiKey: KEY, clientSecret: OTHER })).toMatchObject({ status: 200 });
  });
  test.each<[string, object, string]>([
    ["a plugin that takes none", { plugin_id: "absent" }, "plugin_id"],
    ["a member that the plugin has not", { credentials: { apiKey: KEY, token: "x" } }, "credentials.token"],
    ["a member of another type", { credentials: { apiKey: KEY, region: 1 } }, "credentials.region"],
    ["a required member left out", { credentials: { region: "eu" } }, "credentials.apiKey"],
    ["an address that is none", { credentials: { apiKey: KEY, apiEndpoint: "nowhere" } }, "credentials.apiEndpoint"],
  ])("with %s are refused", async (_, body, param) => {
    expect((await world(body)).answer).toMatchObject({ status: 400, body: { error: { code: "AB01", param } } });
  });
  test(
    verifies(
      "G.credentials.own-key",
      "that are a key of the gateway, made or chosen, bare or behind a scheme, are refused with the member's name",
    ),
    async () => {
      const { ask, handles } = await tenants(collections);
      const made = newGatewayKey(handles.vault);
      const chosen = "a-key-that-the-operator-chose";
      await handles.records
        .in(ApiKeys)
        .insert({ id: crypto.randomUUID(), digest: handles.vault.digest(chosen) } as RecordOf<typeof ApiKeys>);
      const post = (apiKey: string) => ask(plugins, "POST", "/plugins", CALLERS.admin, { ...create, credentials: { apiKey } });
      for (const key of [made, `Bearer ${made}`, chosen, `Bearer ${chosen}`]) {
        const { status, body } = await post(key);
        expect({ status, body }).toMatchObject({ status: 400, body: { error: { code: "AB01", param: "credentials.apiKey" } } });
        expect(JSON.stringify(body)).toContain("key of the gateway");
        expect(JSON.stringify(body)).not.toContain(key);
      }
      expect((await post(KEY)).status).toBe(200);
    },
  );
  test("with a private address are refused", async () => {
    expect((await world({ credentials: { apiKey: KEY, apiEndpoint: "http://127.0.0.1:1/v1" } })).answer.status).toBe(400);
  });
});
