/** Clients with one base for everything reach the control and admin planes below /v1 too. */
import { expect, test } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { bodyOf, forAll, SANDBOX } from "./endpoints/api.ts";
import { ADMIN_KEY, ask, GATEWAY_KEY } from "./process.ts";

const api = forAll();
/** Methods and paths of a plane, as the document says them, with something in the place of each parameter. */
async function routesBelow(prefix: string): Promise<readonly (readonly [method: string, path: string])[]> {
  const { paths } = bodyOf(await api.data("GET", "/openapi.json")) as { readonly paths: Readonly<Record<string, object>> };
  return Object.entries(paths)
    .filter(([path]) => path.startsWith(prefix))
    .flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => [verb.toUpperCase(), path.slice(prefix.length).replace(/\{\w+\}/g, "nobody")] as const),
    );
}

test(verifies("S.one-base", "what stands below /v2 or /admin/v2 answers below /v1, with the same rules of who may"), async () => {
  const data = new Set((await routesBelow("/v1/")).map(String));
  for (const prefix of ["/v2/", "/admin/v2/"])
    for (const [method, path] of await routesBelow(prefix)) {
      if (data.has(String([method, path]))) continue;
      const body = method === "GET" || method === "DELETE" ? undefined : {};
      const [there, here] = await Promise.all(
        [prefix, "/v1/"].map((base) => ask(api.gateway.base + base + path, method, GATEWAY_KEY, body)),
      );
      expect({ method, path, status: here?.status }).toEqual({ method, path, status: there?.status });
    }
  const lists = await Promise.all(["/v2", "/v1"].map((base) => ask(`${api.gateway.base}${base}/guardrails`, "GET", ADMIN_KEY)));
  expect(lists[1]?.text).toBe(lists[0]?.text);
});

test("the data plane's own paths, and what passes to a provider, stay what they are", async () => {
  expect(bodyOf(await api.data("GET", "/v1/models", SANDBOX))["object"]).toBe("list");
  const passed = await api.data("POST", "/v1/proxy/guardrails", SANDBOX, { any: 1 });
  expect(passed.text).not.toContain("guardrails.create");
});
