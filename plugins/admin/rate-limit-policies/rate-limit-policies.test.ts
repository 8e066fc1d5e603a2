import { describe, expect, test } from "bun:test";
import { RateLimitPolicies } from "#contract";
import { testResource } from "../../../tests/kit/resource.ts";
import { CALLERS, tenants } from "../../../tests/kit/tenants.ts";
import { rateLimitPolicies } from "./resource.ts";

const create = {
  name: "Fair use",
  conditions: [{ key: "workspace_id", value: "*" }],
  group_by: [{ key: "api_key" }],
  type: "requests",
  unit: "rpm",
  value: 10,
};
const PATH = "/policies/rate-limits";
testResource({ resource: rateLimitPolicies, collections: [], create, update: { value: 20 }, updated: { value: 20 } });

describe("rate-limit policies", () => {
  const post = async (body: object = {}) => {
    const world = await tenants([RateLimitPolicies]);
    const answer = await world.ask(rateLimitPolicies, "POST", PATH, CALLERS.workspace, { ...create, ...body });
    const ask = (method: string, path: string, sent?: object) =>
      world.ask(rateLimitPolicies, method, `${PATH}${path}`, CALLERS.workspace, sent && { ...sent });
    return { answer, ask, id: String(answer.body["id"]) };
  };
  test("an update takes name, value, unit and conditions, and answers with an empty object", async () => {
    const { ask, id } = await post();
    const update = { name: "Other", value: 5, unit: "rph", conditions: [{ key: "metadata.team", value: ["a", "b"], excludes: "c" }] };
    expect(await ask("PUT", `/${id}`, update)).toMatchObject({ status: 200, text: "{}" });
    expect((await ask("GET", `/${id}`)).body).toMatchObject({ ...update, type: "requests", status: "active", target: "llm" });
    for (const member of ["type", "target", "group_by", "status"])
      expect(await ask("PUT", `/${id}`, { [member]: "tokens" })).toMatchObject({ status: 400, body: { error: { param: member } } });
  });
  test.each<[object, string]>([
    [{ conditions: [{ key: "mcp_tool", value: "x" }] }, "conditions[0].key"],
    [
      {
        conditions: [
          { key: "api_key", value: "x" },
          { key: "toString", value: "x" },
        ],
      },
      "conditions[1].key",
    ],
    [{ group_by: [{ key: "endpoint_type" }] }, "group_by[0].key"],
    [{ target: "mcp_tools", group_by: [{ key: "model" }] }, "group_by[0].key"],
    [{ conditions: [] }, "conditions"],
    [{ unit: "rps" }, "unit"],
    [{ value: -1 }, "value"],
    [{ type: "cost" }, "type"],
  ])("%p is refused", async (body, param) => {
    expect((await post(body)).answer).toMatchObject({ status: 400, body: { error: { code: "AB01", param } } });
  });
  test("a target for MCP tools has keys of its own", async () => {
    expect(
      (await post({ target: "mcp_tools", conditions: [{ key: "mcp_server", value: "*" }], group_by: [{ key: "mcp_tool" }] })).answer.status,
    ).toBe(200);
  });
  test("deleting archives: gone from reads and writes, found with status=archived", async () => {
    const { ask, id } = await post();
    expect(await ask("DELETE", `/${id}`)).toMatchObject({ status: 200, text: "{}" });
    for (const [method, body] of [["GET"], ["PUT", { value: 1 }], ["DELETE"]] as const)
      expect((await ask(method, `/${id}`, body)).status).toBe(404);
    expect((await ask("GET", "")).body).toMatchObject({ total: 0 });
    expect((await ask("GET", "?status=archived")).body).toMatchObject({ total: 1 });
    expect((await ask("GET", `/${id}?status=archived`)).body).toMatchObject({ id, status: "archived" });
  });
  test.each(["type=tokens", "unit=rpd", "target=mcp_tools", "page_size=0", "current_page=1"])("the list filters by %s", async (query) => {
    const { ask } = await post();
    expect((await ask("GET", `?${query}`)).body).toMatchObject({ total: query.includes("page") ? 1 : 0, data: [] });
  });
});
