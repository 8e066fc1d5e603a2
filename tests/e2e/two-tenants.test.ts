/**
 * Two tenants on one gateway, over every documented route: what is another's is answered like what never was, word for
 * word. endpoints/tenants.test.ts has what is particular to a kind of record.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer } from "../kit/replay.ts";
import { at, bodyOf, chatWith, forAll, itemsOf, type Json, logOf, NOBODY } from "./endpoints/api.ts";
import { plantTenant, type Tenant } from "./endpoints/tenant.ts";
import { type Answer, ask, GATEWAY_KEY } from "./process.ts";
import { refusalOf } from "./realtime/client.ts";

const api = forAll();
const CANARY = "sk-canary-of-the-first-tenant-0123456789";
let theirs: Tenant;
let beside: Tenant;
/** What the first tenant has, by the path that addresses one: its id, and its slug where it has one. */
const HAS = new Map<string, readonly string[]>();

const control = (method: string, path: string, key: string, body?: Json): Promise<Answer> =>
  ask(api.gateway.base + path, method, key, body);
const make = async (path: string, body: Json, below = ""): Promise<void> => {
  const made = bodyOf(await api.admin("POST", path + below, { workspace_id: "default", ...body }));
  const names = [made["id"] ?? at(made, "data", "id"), made["slug"] ?? at(made, "data", "slug")];
  HAS.set(
    withoutPlane(path),
    names.filter((name) => typeof name === "string"),
  );
};
/** Some stand below two planes. */
const withoutPlane = (path: string): string => path.replace(/^\/(admin\/)?v[12]/, "");
const feedback: Json = { feedback: { value: 1, weight: 1, metadata: "" } };

beforeAll(async () => {
  api.upstream.answer(jsonAnswer({ object: "list", data: [] }));
  theirs = await plantTenant({ dataDir: api.gateway.dataDir });
  const organisationId = String(itemsOf(await api.admin("GET", "/v2/api-keys"))[0]?.["organisation_id"]);
  beside = await plantTenant({ dataDir: api.gateway.dataDir, organisationId, slug: "second" });
  await make("/admin/v2/integrations", {
    ...{ name: "alpha-one", slug: "alpha-one", ai_provider_id: "openai", key: CANARY, create_default_provider: false },
    configurations: { custom_host: `${api.upstream.url}/v1` },
  });
  await make("/v2/providers", { name: "alpha-one", slug: "alpha-one", integration_id: HAS.get("/integrations")?.[0] });
  await make("/v2/virtual-keys", { name: "alpha-one", provider: "openai", key: CANARY });
  await make("/v2/configs", { name: "alpha-one", config: { provider: "@alpha-one" } });
  await make("/v2/guardrails", {
    ...{ name: "alpha-one", checks: [{ id: "default.wordCount", parameters: { maxWords: 9 } }] },
    actions: { deny: true, async: false, on_success: feedback, on_fail: feedback },
  });
  await make("/v2/plugins", { plugin_id: "partner_a", credentials: { apiKey: CANARY } });
  await make("/admin/v2/secret-references", {
    ...{ workspace_id: undefined, name: "alpha-one", slug: "alpha-one-key", manager_type: "hashicorp_vault", secret_path: "kv/alpha" },
    auth_config: { vault_auth_type: "token", vault_addr: api.upstream.url, vault_token: CANARY },
  });
  await make("/v2/api-keys", { name: "alpha-one", scopes: ["logs.view"] }, "/service");
  await make("/v2/policies/rate-limits", {
    ...{ name: "alpha-one", type: "requests", unit: "rpm", value: 1 },
    ...{ conditions: [{ key: "metadata.team", value: "nobody" }], group_by: [{ key: "api_key" }] },
  });
  await make("/v2/admin/workspaces", { name: "alpha-one", workspace_id: undefined });
  await make("/v2/admin/users/invites", { email: "alpha@one.example", role: "member", workspaces: [], workspace_id: undefined });
  HAS.set("/admin/mails", [String(itemsOf(await api.admin("GET", "/v2/admin/mails"))[0]?.["id"])]);
  HAS.set("/admin/users", [crypto.randomUUID()]);
  const logged = String((await chatWith(api, GATEWAY_KEY)).headers.get("x-gateway-trace-id"));
  await logOf(api, logged);
  HAS.set("/logs", [logged]);
}, 40_000);

const strangers = (): readonly string[] => [theirs.adminKey, theirs.gatewayKey, beside.gatewayKey];
interface Documented {
  readonly method: string;
  readonly path: string;
  readonly id: unknown;
}
const documented = async (): Promise<readonly Documented[]> =>
  Object.entries(bodyOf(await api.data("GET", "/openapi.json"))["paths"] as Record<string, Record<string, Json>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, route]) => ({ method: method.toUpperCase(), path, id: route["operationId"] })),
  ); // what OpenAPI calls paths
/** What an answer says but for the name that was asked for, and the times and ids of its own. */
const shape = ({ status, text }: Answer, name: string): unknown => ({ status, text: text.replaceAll(name, "…") });
const bodyFor = (method: string): Json | undefined => (method === "POST" || method === "PUT" ? {} : undefined);

test("every documented route that addresses a record answers a stranger as if there were none", async () => {
  const member = /^(\/(?:v2|admin\/v2|v1\/logs).*?)\/\{[^}]+\}(.*)$/;
  const isPublic = (path: string): boolean => path.startsWith("/v2/model-configs/pricing/"); // list prices are nobody's records
  const routes = (await documented()).filter(({ path }) => member.test(path) && !isPublic(path));
  expect(routes.length).toBeGreaterThan(18);
  for (const { method, path } of routes) {
    const [, resource = "", below = ""] = member.exec(path) ?? [];
    const names = HAS.get(withoutPlane(resource));
    expect({ path, known: names !== undefined }).toEqual({ path, known: true }); // a new kind of record is made above
    for (const key of strangers())
      for (const name of names ?? []) {
        const their = await control(method, `${resource}/${name}${below}`, key, bodyFor(method));
        const none = await control(method, `${resource}/${NOBODY}${below}`, key, bodyFor(method));
        expect({ method, path, key, ...(shape(their, name) as Json) }).toEqual({ method, path, key, ...(shape(none, NOBODY) as Json) });
        expect([400, 403, 404]).toContain(their.status);
      }
  }
}, 60_000);

test("every list shows a stranger nothing of it", async () => {
  const ids = [...HAS.values()].flat();
  for (const { method, path } of await documented()) {
    if (method !== "GET" || path.includes("{") || path.startsWith("/admin/v2/plugins")) continue;
    for (const key of strangers()) {
      const { text } = await control("GET", path, key);
      expect({ path, shows: ids.filter((id) => text.includes(`"${id}"`)), canary: text.includes(CANARY) }).toEqual({
        path,
        shows: [],
        canary: false,
      });
    }
  }
}, 30_000);

describe("every operation of the data plane", () => {
  /** Ways to name the first tenant's provider, and one that never was. */
  const WAYS: readonly ((name: string) => Readonly<Record<string, string>>)[] = [
    (name) => ({ "x-gateway-provider": `@${name}` }),
    (name) => ({ "x-gateway-virtual-key": name }),
    (name) => ({ "x-gateway-config": JSON.stringify({ provider: `@${name}` }) }),
    (name) => ({ "x-gateway-config": JSON.stringify({ override_params: { model: `@${name}/m` }, provider: `@${name}` }) }),
  ];
  const asked = async (key: string, method: string, path: string, headers: Readonly<Record<string, string>>): Promise<Answer> => {
    if (path === "/v1/realtime") {
      const { status, text } = await refusalOf(api.gateway, { "x-gateway-api-key": key, ...headers });
      return { status, headers: new Headers(), text, json: {} };
    }
    const form = path.endsWith("/edits");
    const body =
      method !== "POST"
        ? null
        : form
          ? filled()
          : JSON.stringify({ model: "m", messages: [{ role: "user", content: "x" }], input_file_id: "f" });
    const response = await fetch(api.gateway.base + path, {
      method,
      headers: { "x-gateway-api-key": key, ...(!form && body !== null && { "content-type": "application/json" }), ...headers },
      ...(body !== null && { body }),
    });
    return { status: response.status, headers: response.headers, text: await response.text(), json: {} };
  };
  const filled = (): FormData => {
    const data = new FormData();
    data.append("prompt", "x");
    data.append("image", new Blob(["x"]), "x.png");
    return data;
  };

  test("reaches the first tenant's provider with its own key, and with a stranger's as if it were none", async () => {
    const operations = (await documented())
      .filter(({ path }) => path.startsWith("/v1/") && !path.startsWith("/v1/logs") && path !== "/v1/health")
      .map(({ method, path }) => ({ method, path: path.replace(/\{[^}]+\}/g, "batch_1") }));
    expect(operations.length).toBeGreaterThan(7);
    const before = api.upstream.received.length;
    for (const { method, path } of operations)
      for (const way of WAYS)
        for (const key of [theirs.gatewayKey, beside.gatewayKey]) {
          const their = await asked(key, method, path, way("alpha-one"));
          const none = await asked(key, method, path, way("never"));
          expect({ method, path, ...(shape(their, "alpha-one") as Json) }).toEqual({ method, path, ...(shape(none, "never") as Json) });
          expect({ method, path, status: their.status }).toEqual({ method, path, status: 400 });
        }
    expect(api.upstream.received.length).toBe(before);
    for (const { method, path } of operations) await asked(GATEWAY_KEY, method, path, { "x-gateway-provider": "@alpha-one" });
    expect(api.upstream.received.length).toBeGreaterThan(before + 3); // it was there to be reached
  }, 30_000);
});
