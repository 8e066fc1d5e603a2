/** Rate-limit policies: their resource, and what they do to requests. */
import { describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import type { Answer } from "../process.ts";
import { at, bodyOf, chatWith, expectError, forAll, itemsOf, type Json, newKey, NOBODY, UUID } from "./api.ts";

const api = forAll();
const PATH = "/v2/policies/rate-limits";
const POLICY: Json = {
  name: "Few",
  type: "requests",
  unit: "rph",
  value: 100,
  conditions: [{ key: "metadata.team", value: "nobody" }],
  group_by: [{ key: "api_key" }],
  workspace_id: "default",
};
const create = (body: Json = {}): Promise<Answer> => api.admin("POST", PATH, { ...POLICY, ...body });
const idOf = async (body: Json = {}): Promise<string> => String(bodyOf(await create(body))["id"]);
const read = async (id: string): Promise<Json> => bodyOf(await api.admin("GET", `${PATH}/${id}`));
const update = (id: string, body: Json): Promise<Answer> => api.admin("PUT", `${PATH}/${id}`, body);

/** A key of its own whose requests only this policy limits. */
async function limited(value: number, more: Json = {}): Promise<{ readonly id: string; ask(metadata?: Json): Promise<number> }> {
  const team = crypto.randomUUID();
  const id = await idOf({ value, conditions: [{ key: "metadata.team", value: team }], ...more });
  const key = await newKey(api, {});
  return {
    id,
    ask: async (metadata = { team }) =>
      (await chatWith(api, key, {}, { "x-gateway-provider": "sandbox", "x-gateway-metadata": JSON.stringify(metadata) })).status,
  };
}

describe("E12: PUT /v2/policies/rate-limits/{rateLimitsPolicyId}", () => {
  test(verifies("E12.update", "takes name, value and conditions of key, value and excludes"), async () => {
    const id = await idOf();
    const conditions = [
      { key: "model", value: "*", excludes: "gpt-4o" },
      { key: "api_key", value: ["a", "b"] },
    ];
    bodyOf(await update(id, { name: "Fewer", value: 2.5, conditions }));
    expect(await read(id)).toMatchObject({ name: "Fewer", value: 2.5, conditions });
  });
  test(verifies("E12.empty", "answers with an empty object"), async () =>
    expect(bodyOf(await update(await idOf(), { name: "x" }))).toEqual({}),
  );
  test("leaves what it does not name as it was", async () => {
    const id = await idOf();
    const { last_updated_at: _, ...before } = await read(id);
    bodyOf(await update(id, { value: 7 }));
    expect(await read(id)).toMatchObject({ ...before, value: 7 });
  });
  test.each<Json>([
    { value: "many" },
    { value: -1 },
    { name: 5 },
    { conditions: [] },
    { conditions: [{ key: "model" }] },
    { conditions: [{ key: "no-such-key", value: "x" }] },
    { conditions: [{ key: "model", value: "x", except: "y" }] },
    { type: "tokens" },
    { target: "mcp_tools" },
    { colour: "red" },
  ])("refuses %j", async (body) => expectError(await update(await idOf(), body), 400, "AB01"));
  test.each([NOBODY, "nobody", "..%2f", "%00"])("answers 404 and the error body for %s", async (id) =>
    expectError(await update(id, { value: 1 }), 404, "AB08"),
  );
  test(verifies("E12.enforced", "the new value holds for the next request"), async () => {
    const { id, ask } = await limited(0);
    expect(await ask()).toBe(429);
    bodyOf(await update(id, { value: 1_000 }));
    expect(await ask()).toBe(200);
    bodyOf(await update(id, { value: 0 }));
    expect(await ask()).toBe(429);
  });
});

describe("a rate-limit policy", () => {
  test(verifies("1.control-rate-limits", "can be created, listed, read, updated and deleted"), async () => {
    const made = bodyOf(await create());
    expect(made).toEqual({ id: UUID, object: "rate_limits_policy" });
    const id = String(made["id"]);
    const { workspace_id: _, ...rest } = POLICY;
    expect(await read(id)).toMatchObject({ ...rest, id, status: "active" });
    expect(itemsOf(await api.admin("GET", `${PATH}?page_size=1000`)).some((item) => item["id"] === id)).toBe(true);
    bodyOf(await api.admin("DELETE", `${PATH}/${id}`));
    expectError(await api.admin("GET", `${PATH}/${id}`), 404, "AB08");
  });
  test(verifies("2.14.target", "has a target, llm by default, that get and list return"), async () => {
    const [llm, tools] = [await idOf(), await idOf({ target: "mcp_tools" })];
    expect([(await read(llm))["target"], (await read(tools))["target"]]).toEqual(["llm", "mcp_tools"]);
    const inList = new Map(itemsOf(await api.admin("GET", `${PATH}?page_size=1000`)).map((item) => [item["id"], item["target"]]));
    expect([inList.get(llm), inList.get(tools)]).toEqual(["llm", "mcp_tools"]);
    expectError(await create({ target: "agents" }), 400, "AB01");
  });
  test(verifies("2.14.target-filter", "is listed by target when one is asked for"), async () => {
    await idOf();
    await idOf({ target: "mcp_tools" });
    for (const target of ["llm", "mcp_tools"]) {
      const found = itemsOf(await api.admin("GET", `${PATH}?page_size=1000&target=${target}`));
      expect({ target, only: found.length > 0 && found.every((item) => item["target"] === target) }).toEqual({ target, only: true });
    }
    expectError(await api.admin("GET", `${PATH}?target=all`), 400, "AB01");
  });
  test(verifies("1.policy-rate", "limits the requests its conditions fit, group by group, and no others"), async () => {
    const { ask, id } = await limited(2);
    const statuses = [await ask(), await ask(), await ask(), await ask(), await ask()];
    expect(statuses.slice(0, 2)).toEqual([200, 200]);
    expect(statuses.slice(2).filter((status) => status === 429).length).toBeGreaterThanOrEqual(1); // 3, unless a new hour begins in between
    expect(await ask({ team: "another" })).toBe(200);
    const team = at(await read(id), "conditions", 0, "value");
    const other = await newKey(api, {});
    expect(
      (await chatWith(api, other, {}, { "x-gateway-provider": "sandbox", "x-gateway-metadata": JSON.stringify({ team }) })).status,
    ).toBe(200);
  });
  test("that was deleted limits nothing", async () => {
    const { id, ask } = await limited(0);
    expect(await ask()).toBe(429);
    bodyOf(await api.admin("DELETE", `${PATH}/${id}`));
    expect(await ask()).toBe(200);
  });
  test("limits nothing when its target is mcp_tools", async () =>
    expect(await (await limited(0, { target: "mcp_tools" })).ask()).toBe(200));
});
