import { describe, expect, test } from "bun:test";
import { type Admin, type Caller, type Resource, type Route, Users, Workspaces } from "#contract";
import { resourceRoutes } from "../../core/admin/resource.ts";
import { testRoutes } from "./routes.ts";
import { atWork, type PluginCase } from "./set-up.ts";
import { rulesOf } from "./config.ts";
import { CALLERS, CATALOG, type Tenants, tenants } from "./tenants.ts";

const UNKNOWN = "0d9f4c1e-5b52-4a55-8f5e-3a9f3a1b2c3d";

/**
 * Conformance of a control-plane plugin that holds without knowing its bodies: closed, documented routes, and the same
 * absence for whatever is not there. `testResource` has the rest, and needs a body.
 */
export async function testAdmin(given: PluginCase<"admin">): Promise<void> {
  const { manifest, plugin } = given;
  const { provides, close } = await atWork({ ...given, host: { catalog: CATALOG, ...given.host } }); // what it mounts is known without its being at work
  await close();
  const { resources = [], routes = [] }: Admin = provides;
  const world = await tenants(plugin.collections ?? []);
  const all = (): readonly Route[] => [...resources.flatMap((resource) => resourceRoutes(resource, world.handles)), ...routes];

  describe(`admin ${manifest.id}`, () => {
    test("provides what its manifest lists, by path", () => {
      const roots = { data: "/v1", control: "/v2", admin: "/admin/v2" };
      const paths = all().map(({ plane, path }) => roots[plane] + path);
      expect(paths).not.toBeEmpty();
      for (const listed of manifest.provides ?? [])
        expect([listed, paths.some((path) => path === listed || path.startsWith(`${listed}/`))]).toEqual([listed, true]);
      for (const path of paths)
        expect([path, (manifest.provides ?? [path]).some((listed) => path === listed || path.startsWith(`${listed}/`))]).toEqual([
          path,
          true,
        ]);
    });
    testRoutes(() => ({ operations: new Map(), routes: all(), config: rulesOf() }), manifest.scopes);
    for (const resource of resources)
      describe(`resource ${resource.plane} ${resource.path}`, () =>
        testClosed(resource, world, plugin.collections?.map(({ name }) => name) ?? []));
  });
}

function testClosed(resource: Resource, world: Tenants, tables: readonly string[]): void {
  const routes = resourceRoutes(resource, world.handles);
  const addressed = (route: Route): string => route.path.replace(/:[\w-]+/g, UNKNOWN);

  test("keeps its records in a collection that its plugin names", () => expect(tables).toContain(resource.collection.name));
  test("answers nobody without a key, and no key without the scope", async () => {
    const bare: Caller = { ...CALLERS.admin, scopes: new Set() };
    for (const route of routes) {
      expect([route.method, (await world.ask(resource, route.method, addressed(route), undefined)).status]).toEqual([route.method, 401]);
      expect([route.method, (await world.ask(resource, route.method, addressed(route), bare)).status]).toEqual([route.method, 403]);
    }
  });
  test("answers for a record that never was as its table says", async () => {
    for (const route of routes.filter(
      ({ method, path }) => (method === "GET" || method === "DELETE") && path === `${resource.path}/:${resource.param}`,
    )) {
      expect([route.method, (await world.ask(resource, route.method, addressed(route), CALLERS.admin)).status]).toEqual([
        route.method,
        resource.absent,
      ]);
    }
  });
  test("lists nothing where there is nothing", async () => {
    if (!resource.list || [Workspaces.name, Users.name].includes(resource.collection.name)) return; // the tenants of the tests have some
    expect((await world.ask(resource, "GET", resource.path, CALLERS.admin)).body).toMatchObject({ data: [] });
  });
}
