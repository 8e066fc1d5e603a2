/** Two organisations with two workspaces each, and the same things in all of them: nobody sees another's. */
import { beforeAll, describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, itemsOf, type Json, NOBODY } from "../endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask } from "../process.ts";
import { errorOf, onBoth, refused } from "./api.ts";
import { type Listed, nameOf, routesOf } from "./matrix/routes.ts";
import { organisationOf, SAME, type Tenant } from "./tenants.ts";

onBoth("tenants", (plane) => {
  let ours: readonly Tenant[];
  let theirs: readonly Tenant[];
  let made = "";
  let routes: readonly Listed[];
  beforeAll(async () => {
    routes = await routesOf(plane.gateway.base);
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
    const again = await plane.refusedCommand("organisations", "create", "Twice");
    expect(again).toContain("There is an organisation called Twice already");
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
    const plain = ({ status, text }: Answer, ...names: readonly string[]): unknown => ({
      ...{ status, text: names.reduce((shown, name) => shown.replaceAll(name, "…"), text) },
    });
    /** Routes of the two planes, and what the data plane has of records. */
    const ofRecords = (): readonly Listed[] =>
      routes.filter(({ path }) => /^\/(v2|admin\/v2|v1\/logs)\b/.test(path) && !NO_RECORDS.some((other) => path.startsWith(other)));

    test(verifies("T.lists", "not in a list, whatever it is filtered by"), async () => {
      const lists = ofRecords().filter(({ method, path }) => method === "GET" && !/\{|\.json$|^\/(status|metrics)/.test(path));
      expect(lists.length).toBeGreaterThan(12);
      const all = { start_time: "2020-01-01T00:00:00Z", end_time: "2099-01-01T00:00:00Z" };
      const expectUnlisted = async (stranger: Tenant, { path, queries }: Listed, other: Tenant): Promise<void> => {
        const own = new Set([...stranger.has.values()].flat());
        const ids = [...other.has.values()].flat().filter((id) => !own.has(id));
        const filters: Json = { ids: ids.filter((id) => /^[0-9a-f-]{36}$/.test(id)).join(), ...FILTERS };
        const needed = Object.entries(all).flatMap(([name, value]) => (queries.includes(name) ? [`${name}=${value}`] : []));
        const asked = queries.flatMap((name) => (name in filters ? [`${name}=${String(filters[name])}`] : []));
        for (const filter of ["", ...asked]) {
          const { text } = await plane.as(stranger.key, "GET", `${path}?${[...needed, filter].join("&")}`);
          expect({ path, filter, shows: ids.filter((id) => text.includes(id)) }).toEqual({ path, filter, shows: [] });
        }
      };
      await Promise.all(pairs().flatMap(([stranger, other]) => lists.map((list) => expectUnlisted(stranger, list, other))));
    }, 60_000);
    test(verifies("T.apart", "nor by name: what is another's answers like what never was"), async () => {
      const addressing = ofRecords().filter(({ path }) => path.includes("{") && !path.endsWith("/{sub-type}"));
      const known = ours[0]?.has ?? new Map<string, readonly string[]>();
      expect(addressing.filter(({ path }) => !known.has(collectionOf(path))).map(nameOf)).toEqual([]);
      let asked = 0;
      const expectAbsent = async ({ key }: Tenant, route: Listed, { has }: Tenant, name: string): Promise<void> => {
        const of = (parameter: string): string => (collectionOf(route.path, parameter) === collectionOf(route.path) ? name : "");
        const filled = (fill: (parameter: string) => string) => route.path.replace(/\{[\w-]+\}/g, fill);
        const outer = has.get("/v2/admin/workspaces")?.[0] ?? NOBODY;
        const body = route.hasBody ? (BODIES[nameOf(route)] ?? {}) : undefined;
        const query = route.queries.includes("slugs") ? "?slugs=none" : "";
        const their = await plane.as(key, route.method, filled((one) => of(one) || outer) + query, body);
        const none = await plane.as(key, route.method, filled(() => NOBODY) + query, body);
        expect({ route: nameOf(route), answer: plain(their, name, outer) }).toEqual({ route: nameOf(route), answer: plain(none, NOBODY) });
        expect({ route: nameOf(route), isAbsent: [403, 404].includes(their.status), text: their.text }).toMatchObject({ isAbsent: true });
        asked += 1;
      };
      await Promise.all(
        pairs().flatMap(([stranger, other]) =>
          addressing.flatMap((route) =>
            (other.has.get(collectionOf(route.path)) ?? []).map((name) => expectAbsent(stranger, route, other, name)),
          ),
        ),
      );
      expect(asked).toBeGreaterThan(500);
    }, 60_000);
    test("and a short name that both have is each one's own", async () => {
      for (const path of SAME) {
        const [our, their] = [await plane.as(ours[0]?.key ?? "", "GET", path), await plane.as(theirs[0]?.key ?? "", "GET", path)];
        expect([bodyOf(our)["id"] === bodyOf(their)["id"], bodyOf(our)["slug"], bodyOf(their)["slug"]]).toEqual([false, "same", "same"]);
      }
      const ids = await Promise.all(
        [...ours.slice(1), ...theirs.slice(1)].map(async ({ key }) => {
          const [own, ...more] = itemsOf(await plane.as(key, "GET", "/v2/providers"));
          expect(more).toEqual([]);
          return (
            bodyOf(await plane.as(key, "GET", "/v2/providers/same"))["integration_id"] === own?.["integration_id"] &&
            own?.["integration_id"]
          );
        }),
      );
      expect(new Set(ids).size).toBe(4);
      expect(ids).not.toContain(false);
    });
    test("nor where another's workspace is named", async () => {
      for (const [stranger, other] of pairs()) {
        const [workspace = ""] = other.has.get("/v2/admin/workspaces") ?? [];
        const lists = ofRecords().filter(
          ({ method, path, queries }) => method === "GET" && !path.includes("{") && queries.includes("workspace_id"),
        );
        expect(lists.length).toBeGreaterThan(5);
        for (const { path } of lists) {
          const their = await plane.as(stranger.key, "GET", `${path}?workspace_id=${workspace}`);
          const none = await plane.as(stranger.key, "GET", `${path}?workspace_id=${NOBODY}`);
          expect({ path, answer: plain(their, workspace) }).toEqual({ path, answer: plain(none, NOBODY) });
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

/** What is a provider's, and nobody's. */
const NO_RECORDS: readonly string[] = ["/v2/models/", "/v2/model-configs/"];
/** What all tenants have, to be looked for. */
const FILTERS: Json = {
  ...{ search: "same", name: "same", exact_name: "same", email: "same@example.org", tags: "team:same", status: "active" },
  ...{ type: "all", role: "member" },
};
/** Routes that look at the body before they look for the record. */
const BODIES: Readonly<Record<string, Json>> = {
  "POST /v2/admin/workspaces/{workspaceId}/users": { users: [{ id: NOBODY }] },
  "PUT /admin/v2/integrations/{slug}/models": { models: [] },
  "PUT /admin/v2/integrations/{slug}/integration-models": { models: [] },
  "PUT /admin/v2/integrations/{slug}/workspaces": { workspaces: [] },
};
/** Where what a path addresses is listed; outer parameters stand as they are. */
const collectionOf = (path: string, parameter = lastOf(path)): string => path.slice(0, path.indexOf(`/${parameter}`));
const lastOf = (path: string): string => [...path.matchAll(/\{[\w-]+\}/g)].at(-1)?.[0] ?? "{}";
