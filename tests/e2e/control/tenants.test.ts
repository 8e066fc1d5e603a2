/** Two organisations with two workspaces each, and the same things in all of them: nobody sees another's. */
import { beforeAll, describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, itemsOf, type Json, NOBODY } from "../endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask, until } from "../process.ts";
import { type ControlPlane, errorOf, onBoth, refused } from "./api.ts";

/** A workspace, or an organisation with what is its own; the ids of what it has, by the path that addresses one. */
interface Tenant {
  readonly key: string;
  readonly has: Map<string, string[]>;
}
const feedback: Json = { feedback: { value: 1, weight: 1, metadata: "" } };
/** The same in each workspace. */
const THINGS: readonly (readonly [path: string, body: Json, below?: string])[] = [
  ["/v2/configs", { name: "same", config: { provider: "sandbox" } }],
  [
    "/v2/guardrails",
    {
      ...{ name: "same", checks: [{ id: "default.wordCount", parameters: { maxWords: 9 } }] },
      actions: { deny: true, async: false, on_success: feedback, on_fail: feedback },
    },
  ],
  ["/v2/api-keys", { name: "same", scopes: ["logs.view"] }, "/service"],
  [
    "/v2/policies/rate-limits",
    {
      ...{ name: "same", type: "requests", unit: "rpm", value: 99 },
      ...{ conditions: [{ key: "metadata.team", value: "none" }], group_by: [{ key: "api_key" }] },
    },
  ],
  ["/admin/v2/integrations", { name: "same", ai_provider_id: "sandbox", create_default_provider: false }],
];
const SCOPES = [
  ...["completions.write", "logs.view", "workspace_service_api_keys", "workspaces", "workspace_users", "configs", "guardrails"],
  ...["providers", "policies", "workspace_integrations"],
].flatMap((scope) =>
  scope.includes(".") ? [scope] : ["create", "read", "update", "delete", "list"].map((action) => `${scope}.${action}`),
);
const KEY_SCOPES = SCOPES.filter((scope) => !["workspaces.create", "workspaces.delete"].includes(scope));

async function workspaceOf(plane: ControlPlane, adminKey: string, address: string): Promise<Tenant> {
  const has = new Map<string, string[]>();
  const made = await plane.as(adminKey, "POST", "/v2/api-keys/service", { name: "its own", workspace_id: address, scopes: KEY_SCOPES });
  const key = String(bodyOf(made)["key"]);
  has.set("/v2/admin/workspaces", [String(bodyOf(await plane.as(key, "GET", `/v2/admin/workspaces/${address}`))["id"])]);
  for (const [path, body, below = ""] of THINGS) {
    const thing = bodyOf(await plane.as(key, "POST", path + below, body));
    has.set(path, [String(at(thing, "data", "id") ?? thing["id"] ?? at(thing, "data", "slug") ?? thing["slug"])]);
  }
  const chat = { model: "echo", messages: [{ role: "user", content: "same words" }] };
  const answer = await ask(`${plane.gateway.base}/v1/chat/completions`, "POST", key, chat, { "x-gateway-provider": "sandbox" });
  const log = String(answer.headers.get("x-gateway-trace-id"));
  await until("its log is written", async () => (await plane.as(key, "GET", `/v1/logs/${log}`)).status === 200);
  return { key, has: has.set("/v1/logs", [log]) };
}

async function organisationOf(plane: ControlPlane, adminKey: string): Promise<readonly Tenant[]> {
  const second = bodyOf(await plane.as(adminKey, "POST", "/v2/admin/workspaces", { name: "Second" }));
  const workspaces = [await workspaceOf(plane, adminKey, "default"), await workspaceOf(plane, adminKey, String(second["slug"]))];
  const invite = { email: "same@example.org", role: "member", workspaces: [{ id: "default", role: "member" }] };
  const invited = bodyOf(await plane.as(adminKey, "POST", "/v2/admin/users/invites", invite));
  const accepted = await fetch(String(invited["invite_link"]), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ first_name: "Same", last_name: "Name" }),
  });
  const { id } = (await accepted.json()) as { id: string };
  const own = bodyOf(await plane.as(adminKey, "GET", "/v2/admin/organisation"))["id"];
  const has = new Map([
    ...workspaces
      .flatMap(({ has }) => [...has])
      .reduce((all, [path, ids]) => all.set(path, [...(all.get(path) ?? []), ...ids]), new Map<string, string[]>()),
    ["/v2/admin/users", [id]],
    ["/v2/admin/users/invites", [String(invited["id"])]],
    ["/v2/admin/organisation", [String(own)]],
  ] as const);
  return [{ key: adminKey, has }, ...workspaces];
}

onBoth("tenants", (plane) => {
  let ours: readonly Tenant[];
  let theirs: readonly Tenant[];
  let made = "";
  beforeAll(async () => {
    made = await plane.command("organisations", "create", "Theirs", "--owner", "Owner@theirs.example");
    ours = await organisationOf(plane, ADMIN_KEY);
    theirs = await organisationOf(plane, /Admin key +(\w{48})/.exec(made)?.[1] ?? "");
  }, 60_000);

  test(verifies("T.organisation", "the command line makes an organisation with an owner, whose keys work at once"), async () => {
    const admin = theirs[0]?.key ?? "";
    expect(bodyOf(await plane.as(admin, "GET", "/v2/admin/organisation"))).toMatchObject({ name: "Theirs" });
    expect(itemsOf(await plane.as(admin, "GET", "/v2/admin/users?role=owner"))).toMatchObject([
      { email: "owner@theirs.example", role: "owner" },
    ]);
    const owner = itemsOf(await plane.as(admin, "GET", "/v2/admin/users?role=owner"))[0]?.["id"];
    for (const [method, body] of [
      ["PUT", { role: "member" }],
      ["DELETE", undefined],
    ] as const)
      expect((await plane.as(admin, method, `/v2/admin/users/${owner}`, body)).status).toBe(400);
    const gateway = /Gateway key +(\w{48})/.exec(made)?.[1] ?? "";
    const chat = { model: "echo", messages: [{ role: "user", content: "hi" }] };
    expect(
      (await ask(`${plane.gateway.base}/v1/chat/completions`, "POST", gateway, chat, { "x-gateway-provider": "sandbox" })).status,
    ).toBe(200);
  });

  test("an organisation whose name is taken is made when that is asked for, and not by mistake", async () => {
    await plane.command("organisations", "create", "Twice");
    expect(plane.command("organisations", "create", "Twice")).rejects.toThrow("There is an organisation called Twice already");
    expect(await plane.command("organisations", "create", "Twice", "--force")).toContain("The organisation Twice was made");
  }, 60_000);
  test("a default guardrail that is not there is the organisation's, not a workspace's", async () => {
    const refusal = await plane.admin("PUT", "/v2/admin/organisation/defaults", { input_guardrails: ["nope"] });
    expect(errorOf(refusal)).toEqual(refused(400, "AB01", "input_guardrails[0]"));
    expect(refusal.text).toContain("no active guardrail nope of the organisation");
  });
  test(verifies("T.operator", "what is the whole deployment's is the first organisation's alone"), async () => {
    const admin = theirs[0]?.key ?? "";
    const routes = [
      ["GET", "/admin/v2/plugins"],
      ["POST", "/admin/v2/generations"],
    ] as const;
    for (const [method, path] of routes) {
      const refusal = await plane.as(admin, method, path);
      expect([path, refusal.status, refusal.text]).toEqual([path, 403, expect.stringContaining("reaches the whole deployment")]);
      expect((await plane.admin(method, path)).status).toBe(200);
    }
    for (const path of ["/status", "/metrics"]) {
      const from = (key: string) => ask(plane.gateway.base + path, "GET", key, undefined, { "x-forwarded-for": "203.0.113.9" });
      const refusal = await from(admin);
      expect([path, refusal.status, refusal.text]).toEqual([path, 403, expect.stringContaining("reaches the whole deployment")]);
      expect((await from(ADMIN_KEY)).status).toBe(200);
    }
    const given = { name: "k", scopes: ["generations.update"] };
    expect(errorOf(await plane.as(admin, "POST", "/v2/api-keys/service", given))).toEqual(refused(403, "AB03", "scopes"));
    const made = bodyOf(await plane.as(admin, "POST", "/v2/api-keys/service", { name: "all", scopes: ["*"] }));
    expect((await plane.as(String(made["key"]), "POST", "/admin/v2/generations")).status).toBe(403);
  });

  describe("see nothing of each other", () => {
    /** Everybody who must not see it, with what one of them must not see. */
    const pairs = (): readonly (readonly [stranger: Tenant, other: Tenant])[] => {
      const [ourAdmin, ...our] = ours;
      const [theirAdmin, ...their] = theirs;
      const across = [...ours].flatMap((one) => theirs.map((two) => [one, two] as const));
      const beside = [our, their].flatMap(([one, two]) => (one && two ? [[one, two] as const] : []));
      expect([ourAdmin, theirAdmin, beside.length]).toEqual([expect.anything(), expect.anything(), 2]);
      return [...across, ...beside].flatMap(([one, two]) => [[one, two] as const, [two, one] as const]);
    };
    const plain = ({ status, text }: Answer, name: string): unknown => ({ status, text: text.replaceAll(name, "…") });

    const expectUnlisted = async (stranger: Tenant, path: string, ids: readonly string[]): Promise<void> => {
      const own = new Set([...stranger.has.values()].flat());
      const { text } = await plane.as(stranger.key, "GET", path);
      expect({ path, shows: ids.filter((id) => !own.has(id) && text.includes(id)) }).toEqual({ path, shows: [] });
    };
    const expectAbsent = async ({ key }: Tenant, method: string, path: string, id: string): Promise<void> => {
      const body = method === "PUT" ? {} : undefined;
      const their = await plane.as(key, method, `${path}/${id}`, body);
      const none = await plane.as(key, method, `${path}/${NOBODY}`, body);
      expect({ path, method, answer: plain(their, id) }).toEqual({ path, method, answer: plain(none, NOBODY) });
      expect([403, 404, 405]).toContain(their.status);
    };
    test("not in a list", async () => {
      for (const [stranger, other] of pairs())
        for (const [path, ids] of other.has) if (path !== "/v1/logs") await expectUnlisted(stranger, path, ids);
    });
    test(verifies("T.apart", "nor by name: what is another's answers like what never was"), async () => {
      const addressed = pairs().flatMap(([stranger, { has }]) =>
        [...has].flatMap(([path, ids]) => (path === "/v2/admin/organisation" ? [] : ids.map((id) => ({ stranger, path, id })))),
      );
      expect(addressed.length).toBeGreaterThan(50);
      for (const { stranger, path, id } of addressed)
        for (const method of path === "/v1/logs" ? ["GET"] : ["GET", "PUT", "DELETE"]) await expectAbsent(stranger, method, path, id);
    }, 60_000);
    test("nor where another's workspace is named", async () => {
      for (const [stranger, other] of pairs()) {
        const [workspace = ""] = other.has.get("/v2/admin/workspaces") ?? [];
        for (const path of ["/v2/configs", "/v2/guardrails", "/v2/policies/rate-limits"]) {
          const their = await plane.as(stranger.key, "GET", `${path}?workspace_id=${workspace}`);
          const none = await plane.as(stranger.key, "GET", `${path}?workspace_id=${NOBODY}`);
          expect({ path, answer: plain(their, workspace) }).toEqual({ path, answer: plain(none, NOBODY) });
        }
        for (const [method, body] of [["GET"], ["POST", { users: [{ id: NOBODY }] }]] as const) {
          const members = (id: string) => plane.as(stranger.key, method, `/v2/admin/workspaces/${id}/users`, body);
          expect(plain(await members(workspace), workspace)).toEqual(plain(await members(NOBODY), NOBODY));
        }
      }
    });
    test("and a person of one is nobody in the other", async () => {
      const [person = ""] = ours[0]?.has.get("/v2/admin/users") ?? [];
      const admin = theirs[0]?.key ?? "";
      const add = await plane.as(admin, "POST", "/v2/admin/workspaces/default/users", { users: [{ id: person }] });
      const never = await plane.as(admin, "POST", "/v2/admin/workspaces/default/users", { users: [{ id: NOBODY }] });
      expect(plain(add, person)).toEqual(plain(never, NOBODY));
    });
  });
});
