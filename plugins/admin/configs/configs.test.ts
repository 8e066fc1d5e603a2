import { describe, expect, test } from "bun:test";
import { ApiKeys, Configs, Guardrails, isJson, type Json } from "#contract";
import { testResource } from "../../../tests/kit/resource.ts";
import { CALLERS, ORGANISATION, type Tenants, tenants, WORKSPACE } from "../../../tests/kit/tenants.ts";
import { configs } from "./resource.ts";
import { ConfigVersions } from "./versions.ts";

const SECRET = "sk-in-place-0123456789abcdef";
const collections = [ApiKeys, Configs, ConfigVersions, Guardrails];
const config = {
  strategy: { mode: "fallback" },
  targets: [{ provider: "@a" }, { provider: "openai", api_key: SECRET, openai_secret: "another-secret-value" }],
};

testResource({
  resource: configs,
  collections,
  create: { name: "Main route", config },
  update: { config: { provider: "openai", api_key: SECRET } },
  updated: { data: { config: { provider: "openai", api_key: "sk*******ef" } } },
  secrets: [SECRET, "another-secret-value"],
});

const dataOf = (body: Json): Json => (isJson(body["data"]) ? body["data"] : {});
const made = async (world: Tenants, body: Json): Promise<string> =>
  `/configs/${String(dataOf((await world.ask(configs, "POST", "/configs", CALLERS.workspace, body)).body)["slug"])}`;
const post = async (written: unknown, world?: Tenants) =>
  (world ?? (await tenants(collections))).ask(configs, "POST", "/configs", CALLERS.workspace, { name: "c", config: written });
const many = (count: number) => Array.from({ length: count }, () => ({ provider: "@a" }));

describe("configs", () => {
  test("are wrapped in success and data, and read as they were written", async () => {
    const world = await tenants(collections);
    const written = {
      retry: { attempts: 3, on_status_codes: [429] },
      cache: { mode: "simple", max_age: 60 },
      strategy: { mode: "loadbalance" },
      targets: [{ provider: "@a", virtual_key: "b", weight: 0.5 }],
    };
    const answer = await world.ask(configs, "POST", "/configs", CALLERS.workspace, { name: "Main route", config: written });
    expect(answer.body).toEqual({
      success: true,
      data: { id: expect.any(String), version_id: expect.any(String), slug: expect.stringMatching(/^pc-main-route-[0-9a-f]{6}$/) },
    });
    const read = await world.ask(configs, "GET", `/configs/${String(dataOf(answer.body)["slug"])}`, CALLERS.workspace);
    expect(read.body).toMatchObject({
      success: true,
      data: { name: "Main route", workspace_id: WORKSPACE.ours, is_default: 0, status: "active" },
    });
    expect(dataOf(read.body)["config"]).toEqual(written);
    expect((await world.ask(configs, "GET", "/configs", CALLERS.workspace)).body).toEqual({
      success: true,
      data: [expect.not.objectContaining({ config: expect.anything() })],
    });
  });

  test.each<[string, unknown]>([
    ["an unknown member", { provider: "@a", surprise: 1 }],
    ["an unknown member of a nested target", { targets: [{ targets: [{ provider: "@a", surprise: 1 }] }] }],
    ["an unknown member of a part", { provider: "@a", retry: { attempts: 1, surprise: 1 } }],
    ["a field of another provider", { provider: "openai", azure_region: "x" }],
    ["a field with the wrong type", { provider: "openai", openai_organization: 3 }],
    ["nothing at all", {}],
    ["a target that says nothing", { targets: [{ weight: 1 }] }],
    ["a strategy without targets", { strategy: { mode: "single" } }],
    ["an unknown strategy mode", { strategy: { mode: "guess" }, targets: many(1) }],
    ["a private custom host", { provider: "openai", api_key: "k", custom_host: "http://169.254.169.254/v1" }],
    ["a private custom host in a nested target", { targets: [{ provider: "openai", custom_host: "http://10.0.0.1" }] }],
    ["101 targets", { targets: many(101) }],
    ["51 nested targets", { targets: [{ targets: many(51) }] }],
    ["a cloud metadata header to forward", { provider: "@a", forward_headers: ["Metadata-Flavor"] }],
    ["an unknown guardrail", { provider: "@a", input_guardrails: ["pg-absent"] }],
    ["an inline guardrail with an unknown check", { provider: "@a", output_guardrails: [{ "default.absent": {}, deny: true }] }],
    ["an inline guardrail with wrong parameters", { provider: "@a", input_guardrails: [{ regexMatch: { rule: 1 } }] }],
    ["an inline guardrail without a check", { provider: "@a", input_guardrails: [{ deny: true }] }],
    ["a negative weight", { targets: [{ provider: "@a", weight: -1 }] }],
    ["an object with the reserved form of a secret", { provider: "@a", override_params: { x: { sealed: "v1.x" } } }],
    ["text instead of an object", "single"],
  ])("%s is refused with AB01", async (_, written) => {
    expect(await post(written)).toMatchObject({
      status: 400,
      body: { error: { code: "AB01", type: "invalid_request_error", message: expect.stringMatching(/\.$/) } },
    });
  });

  test.each<[string, unknown]>([
    ["a provider alone", { provider: "@a" }],
    ["100 targets", { targets: many(100) }],
    ["provider fields", { provider: "openai", openai_organization: "org" }],
    [
      "inline guardrails of both forms",
      {
        provider: "@a",
        input_guardrails: [{ regexMatch: { rule: "x" }, deny: true }],
        before_request_hooks: [{ type: "guardrail", id: "h", checks: [{ id: "default.regexMatch", parameters: { rule: "x" } }] }],
      },
    ],
    ["only a cache", { cache: { mode: "simple" } }],
  ])("%s is taken", async (_, written) => {
    expect(await post(written)).toMatchObject({ status: 200 });
  });

  test("guardrails of its own workspace and of the organisation may be named, those of another may not", async () => {
    const world = await tenants(collections);
    const actions = {
      deny: true,
      async: false,
      on_success: { feedback: { value: 5, weight: 1, metadata: "" } },
      on_fail: { feedback: { value: -5, weight: 1, metadata: "" } },
    };
    for (const [slug, workspace_id, status] of [
      ["pg-own", WORKSPACE.ours, "active"],
      ["pg-org", null, "active"],
      ["pg-other", WORKSPACE.second, "active"],
      ["pg-old", WORKSPACE.ours, "archived"],
    ] as const) {
      const ids = {
        id: crypto.randomUUID(),
        owner_id: crypto.randomUUID(),
        version_id: crypto.randomUUID(),
        organisation_id: ORGANISATION.ours,
      };
      await world.handles.records.in(Guardrails).insert({
        ...ids,
        created_at: 0,
        last_updated_at: 0,
        workspace_id,
        updated_by: null,
        name: slug,
        slug,
        target: "llm",
        status,
        checks: [],
        secret_mappings: null,
        actions,
      });
    }
    expect((await post({ provider: "@a", input_guardrails: ["pg-own"], output_guardrails: ["pg-org"] }, world)).status).toBe(200);
    for (const slug of ["pg-other", "pg-old"])
      expect(await post({ targets: [{ provider: "@a", input_guardrails: [slug] }] }, world)).toMatchObject({
        status: 400,
        body: { error: { param: "config.targets[0].input_guardrails[0]" } },
      });
  });

  test("credentials are sealed where they are stored, and survive being sent back as they were shown", async () => {
    const world = await tenants(collections);
    const path = await made(world, { name: "c", config });
    const stored = async () => (await world.handles.records.in(Configs).list({ limit: 1, offset: 0 })).data[0]?.config;
    expect(JSON.stringify(await stored())).not.toContain(SECRET);
    const shown = dataOf((await world.ask(configs, "GET", path, CALLERS.workspace)).body)["config"];
    const before = await stored();
    await world.ask(configs, "PUT", path, CALLERS.workspace, { config: shown });
    expect(await stored()).toEqual(before);
  });

  test("whoever may edit a config cannot have its credentials sent elsewhere", async () => {
    const world = await tenants(collections);
    const path = await made(world, { name: "c", config });
    const put = (written: Json) => world.ask(configs, "PUT", path, CALLERS.workspace, { config: written });
    const [masked, other] = ["sk*******ef", "an*******ue"];
    const there = { provider: "openai", api_key: masked, openai_secret: other };
    for (const moved of [
      { ...there, custom_host: "https://models.example.org/v1" },
      { custom_host: "https://models.example.org/v1", strategy: { mode: "fallback" }, targets: [{ provider: "@a" }, there] },
      { provider: "anthropic", api_key: masked },
      { targets: [there, { provider: "openai", openai_secret: other, custom_host: "https://models.example.org" }] },
      { api_key: masked },
      { ...there, virtual_key: "b" },
      { provider: "openai", api_key: other },
      { provider: "openai", openai_secret: masked, api_key: "a-new-key-0123456789" },
      { provider: "openai", override_params: { user: { api_key: masked } } },
    ]) {
      expect(await put(moved)).toMatchObject({
        status: 400,
        body: { error: { code: "AB01", message: expect.stringContaining("give it again") } },
      });
    }
    expect((await put({ targets: [there, { provider: "@b" }] })).status).toBe(200);
    expect(
      (
        await put({
          ...there,
          api_key: "a-new-key-0123456789",
          openai_secret: "a-new-secret-0123456789",
          custom_host: "https://models.example.org/v1",
        })
      ).status,
    ).toBe(200);
  });

  test("every update makes a version, newest first, with the config as JSON text", async () => {
    const world = await tenants(collections);
    const path = await made(world, { name: "c", config: { provider: "@a" } });
    world.clock.now += 1000;
    const updated = await world.ask(configs, "PUT", path, CALLERS.workspace, { config: { provider: "@b" } });
    const versions = await world.ask(configs, "GET", `${path}/versions`, CALLERS.workspace);
    expect(versions.body).toMatchObject({
      object: "list",
      total: 2,
      data: [{ config: '{"provider":"@b"}', version_id: dataOf(updated.body)["version_id"] }, { config: '{"provider":"@a"}' }],
    });
    expect((await world.ask(configs, "GET", `${path}/versions`, CALLERS.theirs)).status).toBe(404);
    await world.ask(configs, "DELETE", path, CALLERS.workspace);
    expect((await world.handles.records.in(ConfigVersions).list({ limit: 1, offset: 0 })).total).toBe(0);
  });

  test("a workspace has one default config: the newest that asked", async () => {
    const world = await tenants(collections);
    const first = await made(world, { name: "a", config: { provider: "@a" }, isDefault: 1 });
    const second = await made(world, { name: "b", config: { provider: "@a" }, isDefault: 1 });
    expect(dataOf((await world.ask(configs, "GET", first, CALLERS.workspace)).body)["is_default"]).toBe(0);
    expect(dataOf((await world.ask(configs, "GET", second, CALLERS.workspace)).body)["is_default"]).toBe(1);
  });
});
