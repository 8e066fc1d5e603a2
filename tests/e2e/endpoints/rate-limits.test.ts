/** Rate-limit policies: their resource, and what they do to requests. */
import { describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { jsonAnswer } from "../../kit/replay.ts";
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

describe("a rate limit by model counts forms too:", () => {
  const B = "b-1";
  const TYPE = `multipart/form-data; boundary=${B}`;
  const HEAD = "Content-Disposition: form-data; ";
  const file = (bytes: string): string => `--${B}\r\n${HEAD}name="file"; filename="a.wav"\r\n\r\n${bytes}\r\n`;
  const model = (name: string): string => `--${B}\r\n${HEAD}name="model"\r\n\r\n${name}\r\n`;
  const END = `--${B}--\r\n`;
  const FORMS: Readonly<Record<string, (name: string) => string>> = {
    "its model before its file": (name) => model(name) + file("xx") + END,
    "its model behind its file": (name) => file("x".repeat(300_000)) + model(name) + END,
  };
  const PATHS = ["/v1/audio/transcriptions", "/v1/images/edits", "/v1/proxy/audio/translations", "/v1/proxy/videos"];
  interface Sent {
    readonly status: number;
    readonly text: string;
    /** What came to the provider; absent where nothing did. */
    readonly reached: string | undefined;
  }
  async function send(form: string, path: string, key: string, headers: Readonly<Record<string, string>> = {}): Promise<Sent> {
    const before = api.upstream.received.length;
    api.upstream.answer(jsonAnswer({ text: "hello", data: [] }));
    const response = await fetch(api.gateway.base + path, {
      method: "POST",
      headers: { "x-gateway-api-key": key, ...api.replayed, ...headers, "content-type": TYPE },
      body: form,
    });
    const text = await response.text();
    return { status: response.status, text, reached: api.upstream.received[before]?.text() };
  }
  const limitOf = async (more: Json = {}): Promise<{ readonly name: string; readonly key: string }> => {
    const name = `model-${crypto.randomUUID()}`;
    await idOf({ value: 1, unit: "rpd", conditions: [{ key: "model", value: name }], group_by: [{ key: "model" }], ...more });
    return { name, key: await newKey(api, {}) };
  };

  const CASES = PATHS.flatMap((path) => Object.keys(FORMS).map((what): [string, string] => [path, what]));
  test.each(CASES)("%s with %s", async (path, what) => {
    const { name, key } = await limitOf();
    const form = FORMS[what]?.(name) ?? "";
    const first = await send(form, path, key);
    expect({ status: first.status, isWhole: first.reached === form }).toEqual({ status: 200, isWhole: true });
    const again = await send(form, path, key);
    expect({ status: again.status, reached: again.reached }).toEqual({ status: 429, reached: undefined });
    expect((await send(FORMS[what]?.("another") ?? "", path, key)).status).toBe(200);
  });
  test("one that may be sent again is whole each time", async () => {
    const { name, key } = await limitOf();
    const config = JSON.stringify({ retry: { attempts: 1, on_status_codes: [500] } });
    const form = FORMS["its model behind its file"]?.(name) ?? "";
    const { status, reached } = await send(form, PATHS[0] ?? "", key, { "x-gateway-config": config });
    expect({ status, isWhole: reached === form }).toEqual({ status: 200, isWhole: true });
  });
  test("one that says no model within 32 MB is refused, with what would be right", async () => {
    const { name, key } = await limitOf();
    const { status, text, reached } = await send(file("x".repeat(33 * 1024 * 1024)) + model(name) + END, PATHS[0] ?? "", key);
    expect({ status, text, reached }).toEqual({
      status: 400,
      text: expect.stringContaining("put the field `model` before its files"),
      reached: undefined,
    });
  });
});
