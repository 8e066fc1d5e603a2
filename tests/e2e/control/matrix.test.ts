/** Every route of the running server, asked by every role and by keys with its scope, without it, and with all. */
import { beforeAll, describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, type Json } from "../endpoints/api.ts";
import { ADMIN_KEY } from "../process.ts";
import { errorOf, onBoth, refused } from "./api.ts";
import { type Listed, nameOf, routesOf, type Verdict, verdict } from "./matrix/routes.ts";
import { isOperators, type Level, mayHold, opens, type Role, ROLES, roleLeaves } from "./matrix/rules.ts";

const LEVELS = ["organisation", "workspace"] as const;

onBoth("who may ask which route", (plane) => {
  let routes: readonly Listed[];
  /** Of an organisation that is not the operator's. */
  let admin = "";
  let people: Readonly<Record<Role, string>>;
  const workspace = "default";

  const key = async (level: Level, scopes: readonly string[], more: Json = {}) => {
    const place = level === "organisation" ? {} : { workspace_id: workspace };
    return plane.as(admin, "POST", "/v2/api-keys/service", { name: "of the matrix", scopes, ...place, ...more });
  };
  const secret = async (level: Level, scopes: readonly string[]): Promise<string> => String(bodyOf(await key(level, scopes))["key"]);

  beforeAll(async () => {
    routes = await routesOf(plane.gateway.base);
    const made = await plane.command("organisations", "create", "Of the matrix", "--owner", "matrix-owner@example.org");
    admin = /Admin key +(\w{48})/.exec(made)?.[1] ?? "";
    const owners = bodyOf(await plane.as(admin, "GET", "/v2/admin/users?role=owner"));
    const owner = { name: "the owner's", workspace_id: workspace, user_id: at(owners, "data", 0, "id"), scopes: ["*"] };
    const person = async (name: string, role: string, organisation: string): Promise<string> => {
      const { keys } = await plane.person(`matrix-${name}@example.org`, [{ id: workspace, role }], { role: organisation }, admin);
      return Object.values(keys)[0] ?? "";
    };
    people = {
      owner: String(bodyOf(await plane.as(admin, "POST", "/v2/api-keys/user", owner))["key"]),
      admin: await person("admin", "member", "admin"),
      "workspace admin": await person("ws-admin", "admin", "member"),
      "workspace manager": await person("ws-manager", "manager", "member"),
      "workspace member": await person("ws-member", "member", "member"),
    };
  }, 60_000);

  /** What all of these routes say to a key, beside what they should. */
  const expectVerdicts = async (who: string, secret: string, of: readonly Listed[], isLetIn: (route: Listed) => boolean): Promise<void> => {
    const rows = await Promise.all(of.map(async (route) => [nameOf(route), await verdict(plane.gateway.base, route, secret)] as const));
    const wanted = of.map((route): readonly [string, Verdict] => [nameOf(route), isLetIn(route) ? "let in" : "forbidden"]);
    const differing = rows.filter(([, found], i) => found !== wanted[i]?.[1]);
    expect({ who, differing }).toEqual({ who, differing: [] });
  };
  const scopes = (): readonly string[] => [...new Set(routes.flatMap((route) => route.scopes))];

  test("the table knows every scope that a route asks for, and there is a route of each plane", () => {
    expect(scopes().filter((scope) => !(["organisation", "workspace", "user"] as const).some((level) => mayHold(level, scope)))).toEqual(
      [],
    );
    for (const prefix of ["/v1/", "/v2/", "/admin/v2/"])
      expect(routes.filter(({ path }) => path.startsWith(prefix)).length).toBeGreaterThan(10);
  });
  test(verifies("M.unknown", "nobody is let in without a key that is known"), async () => {
    for (const nobody of ["", "nobodys-key"]) {
      const found = await Promise.all(
        routes.map(async (route) => [nameOf(route), await verdict(plane.gateway.base, route, nobody)] as const),
      );
      expect(found.filter(([, how]) => how !== "unknown")).toEqual([]);
    }
  });
  describe("a user key with all that it may hold", () => {
    for (const role of ROLES)
      test(verifies("M.role", `of an ${role}`), async () => {
        const isLetIn = (route: Listed) => route.scopes.some((scope) => mayHold("user", scope) && roleLeaves(role, scope));
        await expectVerdicts(role, people[role], routes, isLetIn);
      });
  });
  describe.each(LEVELS)("a service key of an %s", (level) => {
    const held = (scope: string): boolean => mayHold(level, scope) && !isOperators(scope);
    /** What asking for a key with this one scope answers. */
    const given = (scope: string): Json => {
      if (held(scope)) return { status: 200 };
      return isOperators(scope) && level === "organisation" ? refused(403, "AB03", "scopes") : refused(400, "AB01", "scopes");
    };
    test(verifies("M.hold", "can be given the scopes of its level, and no others"), async () => {
      for (const scope of scopes()) expect({ scope, ...errorOf(await key(level, [scope])) }).toMatchObject({ scope, ...given(scope) });
    }, 30_000);
    test(verifies("M.scope", "with exactly one scope is let into the routes of that, and no others"), async () => {
      for (const scope of scopes().filter(held))
        await expectVerdicts(`${level} with ${scope}`, await secret(level, [scope]), routes, (route) => opens([scope], route.scopes));
    }, 60_000);
    test(verifies("M.without", "with all but the scopes of a route is not let into that"), async () => {
      for (const wanted of new Map(routes.map((route) => [String(route.scopes), route.scopes])).values()) {
        const rest = scopes().filter((scope) => held(scope) && !opens([scope], wanted));
        const of = routes.filter((route) => String(route.scopes) === String(wanted));
        await expectVerdicts(`${level} without ${wanted}`, await secret(level, rest), of, () => false);
      }
    }, 60_000);
    test(verifies("M.all", "with * is let into all that its level may hold"), async () => {
      await expectVerdicts(`${level} with *`, await secret(level, ["*"]), routes, (route) => route.scopes.some(held));
    });
  });
  test("the operator's own routes are open to the first organisation's admin key, and to no other's", async () => {
    const theirs = routes.filter((route) => route.scopes.every(isOperators));
    expect(theirs.length).toBeGreaterThan(0);
    await expectVerdicts("the operator", ADMIN_KEY, theirs, () => true);
    await expectVerdicts("another admin", admin, theirs, () => false);
    expect(errorOf(await key("organisation", ["generations.list"]))).toEqual(refused(403, "AB03", "scopes"));
  });
});
