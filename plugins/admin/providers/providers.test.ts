import { describe, expect, test } from "bun:test";
import { BLANK_INTEGRATION, Integrations, IntegrationWorkspaces, type Json, Providers } from "#contract";
import { testResource } from "../../../tests/kit/resource.ts";
import { CALLERS, ORGANISATION, type Tenants, tenants, WORKSPACE } from "../../../tests/kit/tenants.ts";
import { providers } from "./resource.ts";

const collections = [Integrations, IntegrationWorkspaces, Providers];
async function integration({ handles }: Tenants, workspace_id: string | null): Promise<string> {
  const id = crypto.randomUUID();
  await handles.records.in(Integrations).insert({
    id,
    created_at: 0,
    last_updated_at: 0,
    organisation_id: ORGANISATION.ours,
    workspace_id,
    owner_id: id,
    ai_provider_id: "openai",
    name: "i",
    slug: `i-${id}`,
    description: null,
    status: "active",
    key_sealed: "v1.sealed",
    masked_key: null,
    ...BLANK_INTEGRATION,
    configurations: {},
    tags: {},
  });
  return id;
}

testResource({
  resource: providers,
  collections,
  create: { name: "OpenAI", slug: "openai" },
  arrange: async (world, as): Promise<Json> => ({ integration_id: await integration(world, as.workspaceId) }),
  update: { note: "ours", rate_limits: [{ type: "requests", unit: "rpm", value: 5 }] },
  updated: { note: "ours", rate_limits: [{ type: "requests", unit: "rpm", value: 5 }] },
});

describe("providers", () => {
  const post = async (body: object, of: string | null = WORKSPACE.ours) => {
    const world = await tenants(collections);
    const answer = await world.ask(providers, "POST", "/providers", CALLERS.workspace, {
      name: "OpenAI",
      integration_id: await integration(world, of),
      ...body,
    });
    return { world, answer };
  };
  test("are made from an integration of their workspace or of the organisation, and of no other", async () => {
    expect((await post({})).answer.body).toEqual({ id: expect.any(String), slug: expect.stringMatching(/^openai-[0-9a-f]{6}$/) });
    expect((await post({}, null)).answer.status).toBe(200);
    expect((await post({}, WORKSPACE.second)).answer).toMatchObject({
      status: 400,
      body: { error: { code: "AB01", param: "integration_id" } },
    });
  });
  test.each<[object, string]>([
    [{ expires_at: "2025-12-31T00:00:00Z" }, "expires_at"],
    [{ expires_at: "tomorrow" }, "expires_at"],
    [{ usage_limits: { credit_limit: 10, alert_threshold: 10 } }, "usage_limits.alert_threshold"],
    [{ usage_limits: { periodic_reset: "weekly", periodic_reset_days: 3 } }, "usage_limits.periodic_reset_days"],
  ])("%p is refused", async (body, param) => {
    expect((await post(body)).answer).toMatchObject({ status: 400, body: { error: { code: "AB01", param } } });
  });
  test("show that they have expired, by the clock", async () => {
    const { world, answer } = await post({ expires_at: "2026-01-02T00:00:00Z" });
    const read = async () => (await world.ask(providers, "GET", `/providers/${String(answer.body["slug"])}`, CALLERS.workspace)).body;
    expect(await read()).toMatchObject({ status: "active", expires_at: "2026-01-02T00:00:00.000Z" });
    world.clock.now += 86_400_000;
    expect(await read()).toMatchObject({ status: "expired" });
  });
  test("one slug in two workspaces: an organisation key means the default workspace's, or the one it names", async () => {
    const { world } = await post({ slug: "shared" });
    const shared = await integration(world, null);
    await world.ask(providers, "POST", "/providers", CALLERS.second, { name: "Second", slug: "shared", integration_id: shared });
    expect((await world.ask(providers, "GET", "/providers/shared", CALLERS.admin)).body).toMatchObject({ workspace_id: WORKSPACE.ours });
    expect((await world.ask(providers, "GET", "/providers/shared?workspace_id=second", CALLERS.admin)).body).toMatchObject({
      workspace_id: WORKSPACE.second,
    });
  });
  test("a slug is taken once in a workspace", async () => {
    const { world, answer } = await post({ slug: "one" });
    expect(answer.status).toBe(200);
    const again = await world.ask(providers, "POST", "/providers", CALLERS.workspace, {
      name: "again",
      slug: "one",
      integration_id: await integration(world, null),
    });
    expect(again).toMatchObject({ status: 409, body: { error: { code: "AB07", param: "slug" } } });
  });
});
