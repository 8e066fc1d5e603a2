import { expect, test } from "bun:test";
import { isJson, type Json, type Plane, type Route, SCOPES, scopesIn, type ScopeTable } from "#contract";
import { type Documented, openapi } from "../../core/http/openapi.ts";

const PREFIX: Readonly<Record<Plane, string>> = { data: "/v1", control: "/v2", admin: "/admin/v2" };
const PATH = /^(\/(:[A-Za-z][\w-]*|[a-z0-9][\w.-]*))*$/;

/** Conformance of routes: each is closed by a scope that keys can hold (or says that it is public), and is documented. */
export function testRoutes(mounted: () => Documented, own: ScopeTable = []): void {
  const known = new Set([...SCOPES, ...own.flatMap(scopesIn)]);
  test("every route has a legal path, of its own", () => {
    const { routes } = mounted();
    for (const { path } of routes) expect(path).toMatch(PATH);
    const addresses = routes.map(({ method, plane, path }) => `${method} ${plane} ${path.replace(/:[^/]+/g, ":")}`);
    expect(new Set(addresses).size).toBe(addresses.length);
  });
  test("every route needs a scope that there is, or says that it is public", () => {
    for (const { scope, path } of mounted().routes) {
      if (typeof scope === "object" && "public" in scope) continue;
      const scopes = [scope].flat();
      expect([path, scopes.length > 0 && scopes.every((one) => known.has(String(one)))]).toEqual([path, true]);
    }
  });
  test("the OpenAPI document has every route, each with a summary and the schema of its answer", () => {
    const document = openapi(mounted(), { title: "kit", version: "0" });
    for (const route of mounted().routes)
      expect([route.path, documented(document, route)]).toEqual([
        route.path,
        expect.objectContaining({ summary: expect.stringMatching(/\w/), tags: [expect.any(String)], responses: expect.any(Object) }),
      ]);
    expect(JSON.stringify(document)).not.toContain("undefined");
  });
}

/** What the document says of a route; of one with a parameter of few words, at the first of them. */
export function documented(document: Json, { plane, path, method, words }: Route): unknown {
  const paths = isJson(document["paths"]) ? document["paths"] : {};
  const item = paths[PREFIX[plane] + path.replace(/:([\w-]+)/g, (_, name: string) => words?.[name]?.[0] ?? `{${name}}`)];
  return isJson(item) ? item[method.toLowerCase()] : undefined;
}
