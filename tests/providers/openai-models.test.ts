import { describe, expect, test } from "bun:test";
import {
  BLANK_INTEGRATION,
  type Call,
  type Caller,
  type Catalog,
  GatewayError,
  type Host,
  Integrations,
  type Json,
  type Need,
  type Plan,
  Providers,
  type RecordsHandle,
} from "#contract";
import plugin from "../../plugins/api/models/index.ts";
import { emptyData } from "../../storage/memory/data.ts";
import { connectMemory } from "../../storage/memory/index.ts";

/* The workspace's model catalogue, over real records (memory backend). */

const ORG = "00000000-0000-4000-8000-000000000001";
const WORKSPACE = "00000000-0000-4000-8000-000000000002";
const uuid = (n: number): string => `00000000-0000-4000-8000-0000000001${String(n).padStart(2, "0")}`;
const stamps = (n: number) => ({ id: uuid(n), created_at: n * 1000, last_updated_at: n * 1000, organisation_id: ORG, name: "x", tags: {} });

const catalog = {
  providers: () => [
    { id: "openai", title: "OpenAI", operations: [], target: undefined, models: ["gpt-b", "gpt-a"] },
    { id: "sandbox", title: "Sandbox", operations: [], target: undefined, models: ["echo"] },
    { id: "acme", title: "Acme", operations: [], target: undefined },
  ],
} as unknown as Catalog; // the catalogue needs the providers only

async function catalogueOf(saved: readonly { slug: string; service: string; workspace?: string; status?: "active" | "expired" }[]) {
  const { records } = connectMemory(emptyData(), { log: () => undefined, now: () => 0 }).provides;
  if (!records) throw new Error("the memory backend has records");
  await records.migrate([Integrations, Providers]);
  for (const [n, { slug, service, workspace = WORKSPACE, status = "active" }] of saved.entries()) {
    const shared = stamps(n + 1);
    await records.in(Integrations).insert({
      ...shared,
      workspace_id: null,
      owner_id: ORG,
      ai_provider_id: service,
      slug: `${slug}-integration`,
      description: null,
      status: "active",
      key_sealed: null,
      masked_key: null,
      ...BLANK_INTEGRATION,
      configurations: {},
    });
    await records.in(Providers).insert({
      ...shared,
      id: uuid(n + 50),
      workspace_id: workspace,
      integration_id: shared.id,
      slug,
      note: null,
      status,
      usage_limits: null,
      rate_limits: [],
      expires_at: null,
    });
  }
  const host = {
    log: () => undefined,
    now: () => 0,
    catalog,
    records: { in: records.in.bind(records), lookup: () => () => undefined } as unknown as RecordsHandle,
  } as unknown as Host<Need>; // no provider that a request names here is limited
  const [route] = (await plugin.setup(host, {})).provides.operations ?? [];
  if (!route?.local) throw new Error("the models route answers by itself");
  return route.local;
}

const SAVED = [
  { slug: "prod", service: "openai" },
  { slug: "play", service: "sandbox" },
  { slug: "other", service: "openai", workspace: uuid(99) },
  { slug: "old", service: "openai", status: "expired" as const },
  { slug: "none", service: "acme" },
];
const call = (search = "", control: Json = {}): Call =>
  ({ search, headers: new Headers(), control: { rest: {}, ...control } }) as unknown as Call; // what the route reads of it
const caller = (workspaceId: string | null = WORKSPACE): Caller => ({ workspaceId }) as unknown as Caller; // ditto
const plan = (...providers: (string | null)[]): Plan =>
  ({
    root: { kind: "branch", members: {}, targets: providers.map((provider) => ({ kind: "leaf", provider, members: {} })) },
  }) as unknown as Plan; // ditto
const ids = (body: Json | undefined): unknown[] => ((body?.["data"] ?? []) as Json[]).map((model) => model["id"]);

describe("the model catalogue", () => {
  test("lists the models of the workspace's active providers", async () => {
    const local = await catalogueOf(SAVED);
    expect(await local(call(), caller(), plan(null))).toEqual({
      object: "list",
      data: [
        { id: "@play/echo", object: "model", created: 2, owned_by: "sandbox" },
        { id: "@prod/gpt-a", object: "model", created: 1, owned_by: "openai" },
        { id: "@prod/gpt-b", object: "model", created: 1, owned_by: "openai" },
      ],
      total_count: 3,
    });
  });
  test("is empty without providers, and for a key of no workspace", async () => {
    expect(await (await catalogueOf([]))(call(), caller(), plan(null))).toEqual({ object: "list", data: [], total_count: 0 });
    expect(ids(await (await catalogueOf(SAVED))(call(), caller(null), plan(null)))).toEqual([]);
  });
  test("is filtered, sorted and paged; the count is of all that match", async () => {
    const local = await catalogueOf(SAVED);
    const asked = async (search: string) => local(call(search), caller(), plan(null));
    expect(ids(await asked("?ai_service=openai&order=desc"))).toEqual(["@prod/gpt-b", "@prod/gpt-a"]);
    expect(ids(await asked("?provider=@play"))).toEqual(["@play/echo"]);
    expect(ids(await asked("?sort=provider&order=desc"))).toEqual(["@prod/gpt-b", "@prod/gpt-a", "@play/echo"]);
    expect(await asked("?limit=1&offset=1")).toMatchObject({ data: [{ id: "@prod/gpt-a" }], total_count: 3 });
  });
  test("a query that is not valid names the parameter", async () => {
    const local = await catalogueOf(SAVED);
    for (const [search, param] of [
      ["?limit=0", "limit"],
      ["?sort=size", "sort"],
      ["?offset=x", "offset"],
    ] as const) {
      const thrown = await local(call(search), caller(), plan(null))?.catch((error: unknown) => error);
      expect(GatewayError.is(thrown) && [thrown.code, thrown.param]).toEqual(["REQUEST_INVALID", param]);
    }
  });
  test("gives way to the provider that the request names", async () => {
    const local = await catalogueOf(SAVED);
    for (const control of [{ provider: "openai" }, { virtualKey: "prod" }, { customHost: "https://a.example" }])
      expect(await local(call("", control), caller(), plan(null))).toBeUndefined();
    expect(await local(call(), caller(), plan(null, "@prod"))).toBeUndefined();
  });
  test("answers all the same when it is asked for", async () => {
    const local = await catalogueOf(SAVED);
    for (const control of [{ integratedModels: true }, { modelsEndpoint: "1" }])
      expect(ids(await local(call("", { provider: "openai", ...control }), caller(), plan(null)))).toHaveLength(3);
  });
  test("is of the saved providers that a config names, where it names any", async () => {
    const local = await catalogueOf(SAVED);
    const asked = async (...providers: (string | null)[]) =>
      ids(await local(call("", { integratedModels: true }), caller(), plan(...providers)));
    expect(await asked("openai", "@play")).toEqual(["@play/echo"]);
    expect(await asked("@play", "@prod")).toHaveLength(3);
    expect(await asked("openai")).toHaveLength(3);
    expect(await asked("@nobody")).toEqual([]);
  });
});
