/** A tenant sees nothing of another: another organisation, and another workspace of one's own. */
import { beforeAll, describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { ADMIN_KEY, type Answer, ask, chat, GATEWAY_KEY } from "../process.ts";
import { at, bodyOf, chatWith, forAll, itemsOf, type Json, logOf, newKey, NOBODY, SANDBOX } from "./api.ts";
import { plantTenant, type Tenant } from "./tenant.ts";

const api = forAll();
let theirs: Tenant;
let beside: Tenant;

beforeAll(async () => {
  theirs = await plantTenant({ dataDir: api.gateway.dataDir });
  const organisationId = String(itemsOf(await api.admin("GET", "/v2/api-keys"))[0]?.["organisation_id"]);
  beside = await plantTenant({ dataDir: api.gateway.dataDir, organisationId, slug: "second" });
});
/** Who must not see the first workspace's records: the other organisation's keys, and the second workspace's. */
const strangers = (): readonly string[] => [theirs.adminKey, theirs.gatewayKey, beside.gatewayKey];

const feedback = (value: number): Json => ({ feedback: { value, weight: 1, metadata: "" } });
const GUARD: Json = {
  checks: [{ id: "default.wordCount", parameters: { maxWords: 0 } }],
  actions: { deny: true, async: false, on_success: feedback(5), on_fail: feedback(-5) },
};
interface Kind {
  readonly path: string;
  /** Below it, where one is made. */
  readonly make?: string;
  readonly body: Json;
  /** What it must refer to, made first by the same tenant. */
  readonly needs?: (key: string) => Promise<Json>;
  readonly change: Json;
  readonly absent: 403 | 404;
}
const KINDS: readonly Kind[] = [
  { path: "/v2/guardrails", body: { name: "g", ...GUARD }, change: { name: "taken" }, absent: 403 },
  { path: "/v2/configs", body: { name: "c", config: { provider: "sandbox" } }, change: { name: "taken" }, absent: 404 },
  { path: "/v2/api-keys", make: "/service", body: { name: "k", scopes: ["logs.view"] }, change: { name: "taken" }, absent: 404 },
  {
    path: "/v2/policies/rate-limits",
    body: {
      name: "p",
      type: "requests",
      unit: "rpm",
      value: 5,
      conditions: [{ key: "metadata.team", value: "nobody" }],
      group_by: [{ key: "api_key" }],
    },
    change: { value: 0 },
    absent: 404,
  },
  {
    path: "/admin/v2/integrations",
    body: { name: "i", ai_provider_id: "sandbox", create_default_provider: false },
    change: { name: "taken" },
    absent: 404,
  },
  {
    path: "/v2/providers",
    body: { name: "p" },
    needs: async (key) => ({
      integration_id: idOf(bodyOf(await control("POST", "/admin/v2/integrations", key, { name: "i", ai_provider_id: "sandbox" }))),
    }),
    change: { name: "taken" },
    absent: 404,
  },
];
const idOf = (made: Json): string => String(made["id"] ?? at(made, "data", "id"));
const slugOf = (made: Json): string | undefined => (made["slug"] ?? at(made, "data", "slug")) as string | undefined; // a text where there is one
const control = (method: string, path: string, key: string, body?: Json): Promise<Answer> =>
  ask(api.gateway.base + path, method, key, body);

/** What two answers have in common when nothing tells them apart but the name that was asked for. */
const shape = ({ status, text }: Answer, name: string): unknown => ({ status, text: text.replaceAll(name, "…") });

describe.each(KINDS)("$path", ({ path, make = "", body, needs, change, absent }) => {
  const createBy = async (key: string): Promise<Json> =>
    bodyOf(await control("POST", path + make, key, { ...body, ...(await needs?.(key)), workspace_id: "default" }));
  const create = (): Promise<Json> => createBy(ADMIN_KEY);

  test(
    verifies("5.tenants-apart", "reading, updating or deleting another tenant's is answered like an unknown one, and changes nothing"),
    async () => {
      const made = await create();
      const before = bodyOf(await control("GET", `${path}/${idOf(made)}`, ADMIN_KEY));
      for (const key of strangers())
        for (const name of [idOf(made), slugOf(made)])
          if (name !== undefined)
            for (const [method, sent] of [["GET"], ["PUT", change], ["DELETE"]] as const) {
              const answer = await control(method, `${path}/${name}`, key, sent);
              const unknown = await control(method, `${path}/${NOBODY}`, key, sent);
              expect({ key, method, ...(shape(answer, name) as object) }).toEqual({ key, method, ...(shape(unknown, NOBODY) as object) });
              expect(answer.status).toBe(absent);
            }
      expect(bodyOf(await control("GET", `${path}/${idOf(made)}`, ADMIN_KEY))).toEqual(before);
    },
  );
  test("lists show a tenant its own and nothing else", async () => {
    const made = idOf(await create());
    const own = idOf(await createBy(theirs.adminKey));
    const idsFor = async (key: string): Promise<readonly unknown[]> =>
      itemsOf(await control("GET", `${path}?page_size=1000`, key)).map(({ id }) => id);
    for (const key of strangers()) expect(await idsFor(key)).not.toContain(made);
    expect(await idsFor(theirs.gatewayKey)).toContain(own);
    expect(await idsFor(await newKey(api, { scopes: ["*"] }))).not.toContain(own);
    expect(await idsFor(ADMIN_KEY)).not.toContain(own);
  });
  test("a tenant's name in the request opens nothing", async () => {
    const { organisationId, workspaceId } = theirs;
    for (const query of [`workspace_id=${workspaceId}`, `organisation_id=${organisationId}`])
      expect([400, 403]).toContain((await control("GET", `${path}?${query}`, ADMIN_KEY)).status);
    for (const place of [{ workspace_id: workspaceId }, { organisation_id: organisationId }])
      expect([400, 403]).toContain((await control("POST", path + make, ADMIN_KEY, { ...body, ...place })).status);
    expect([400, 403]).toContain((await control("GET", `${path}?workspace_id=default`, beside.gatewayKey)).status);
  });
});

describe("on the data plane", () => {
  const used = (key: string, headers: Readonly<Record<string, string>>): Promise<Answer> => chatWith(api, key, {}, headers);
  const same = async (name: string, headers: (name: string) => Readonly<Record<string, string>>): Promise<void> => {
    for (const key of [theirs.gatewayKey, beside.gatewayKey]) {
      const unknown = `${name.slice(0, -6)}nobody`;
      expect({ key, ...(shape(await used(key, headers(name)), name) as object) }).toEqual({
        key,
        ...(shape(await used(key, headers(unknown)), unknown) as object),
      });
      expect((await used(key, headers(name))).status).toBe(400);
    }
  };
  test("another tenant's config is as unknown as one that never was", async () => {
    const slug = String(
      slugOf(bodyOf(await api.admin("POST", "/v2/configs", { name: "c", workspace_id: "default", config: { provider: "sandbox" } }))),
    );
    expect((await used(GATEWAY_KEY, { "x-gateway-config": slug })).status).toBe(200);
    await same(slug, (name) => ({ "x-gateway-config": name }));
  });
  test("another tenant's provider is, by header, virtual key, config and model", async () => {
    const slug = `prov-${crypto.randomUUID().slice(0, 8)}`;
    bodyOf(await api.admin("POST", "/admin/v2/integrations", { name: slug, slug, ai_provider_id: "sandbox", workspace_id: "default" }));
    expect((await used(GATEWAY_KEY, { "x-gateway-provider": `@${slug}` })).status).toBe(200);
    await same(slug, (name) => ({ "x-gateway-provider": `@${name}` }));
    await same(slug, (name) => ({ "x-gateway-virtual-key": name }));
    await same(slug, (name) => ({ "x-gateway-config": JSON.stringify({ provider: `@${name}` }) }));
    for (const key of [theirs.gatewayKey, beside.gatewayKey])
      expect((await chat({ base: api.gateway.base, gatewayKey: key }, { model: `@${slug}/echo` })).status).toBe(400);
  });
  test("another tenant's guardrail is, by slug and by id", async () => {
    const made = bodyOf(await api.admin("POST", "/v2/guardrails", { name: "g", workspace_id: "default", ...GUARD }));
    const guarded = (name: string) => ({ "x-gateway-config": JSON.stringify({ provider: "sandbox", input_guardrails: [name] }) });
    for (const name of [idOf(made), String(slugOf(made))]) expect((await used(GATEWAY_KEY, guarded(name))).status).toBe(446);
    await same(String(slugOf(made)), guarded);
    for (const key of [theirs.gatewayKey, beside.gatewayKey])
      expect(shape(await used(key, guarded(idOf(made))), idOf(made))).toEqual(shape(await used(key, guarded(NOBODY)), NOBODY));
  });
  test("a config cannot name another tenant's guardrail, nor a provider be made of its integration, nor a key be given its config", async () => {
    const guardrail = bodyOf(await api.admin("POST", "/v2/guardrails", { name: "g", workspace_id: "default", ...GUARD }));
    const integration = bodyOf(
      await api.admin("POST", "/admin/v2/integrations", { name: "i", ai_provider_id: "sandbox", workspace_id: "default" }),
    );
    const config = bodyOf(await api.admin("POST", "/v2/configs", { name: "c", workspace_id: "default", config: { provider: "sandbox" } }));
    for (const key of strangers())
      for (const by of [idOf, slugOf]) {
        expect(
          (await control("POST", "/v2/configs", key, { name: "c", config: { provider: "sandbox", input_guardrails: [by(guardrail)] } }))
            .status,
        ).toBe(400);
        expect((await control("POST", "/v2/providers", key, { name: "p", integration_id: by(integration) })).status).toBe(400);
        expect(
          (
            await control("POST", "/v2/api-keys/service", key, {
              name: "k",
              workspace_id: key === beside.gatewayKey ? "second" : "default",
              scopes: ["logs.view"],
              defaults: { config_id: by(config) },
            })
          ).status,
        ).toBe(400);
      }
  });
  test("another tenant's log is as absent as one that never was", async () => {
    const answer = await chat(api.gateway, {});
    const id = String(answer.headers.get("x-gateway-trace-id"));
    await logOf(api, id);
    await logOf(api, id, "?type=hooks");
    for (const key of strangers())
      for (const query of ["", "?type=hooks"]) {
        const path = (name: string): string => `/v1/logs/${name}${query}`;
        expect(shape(await control("GET", path(id), key), id)).toEqual(shape(await control("GET", path(NOBODY), key), NOBODY));
        expect((await control("GET", path(id), key)).status).toBe(404);
      }
  });
  test("the models catalogue is one's own", async () => {
    const slug = `mod-${crypto.randomUUID().slice(0, 8)}`;
    bodyOf(await api.admin("POST", "/admin/v2/integrations", { name: slug, slug, ai_provider_id: "sandbox", workspace_id: "default" }));
    const ids = async (key: string): Promise<readonly string[]> =>
      itemsOf(await control("GET", "/v1/models", key)).map(({ id }) => String(id));
    expect((await ids(GATEWAY_KEY)).some((id) => id.startsWith(`@${slug}/`))).toBe(true);
    for (const key of [theirs.gatewayKey, beside.gatewayKey]) expect((await ids(key)).filter((id) => id.includes(slug))).toEqual([]);
  });
  test("limits count each tenant apart", async () => {
    const limited = {
      type: "requests",
      unit: "rph",
      value: 0,
      conditions: [{ key: "metadata.team", value: "red" }],
      group_by: [{ key: "workspace_id" }],
      name: "none",
    };
    bodyOf(await control("POST", "/v2/policies/rate-limits", theirs.gatewayKey, limited));
    const status = async (key: string): Promise<number> => (await used(key, { ...SANDBOX, "x-gateway-metadata": '{"team":"red"}' })).status;
    expect([await status(theirs.gatewayKey), await status(GATEWAY_KEY), await status(beside.gatewayKey)]).toEqual([429, 200, 200]);
  });
});
