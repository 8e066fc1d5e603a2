/** Anthropic's official client lists and reads models: the workspace's catalogue, Anthropic's own, and another provider's. */
import type Anthropic from "@anthropic-ai/sdk";
import { NotFoundError } from "@anthropic-ai/sdk";
import { beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, forAll, itemsOf } from "../endpoints/api.ts";
import { clientOf } from "./stand-ins.ts";

const api = forAll();
beforeAll(async () => {
  const made = { name: "listed", slug: "listed", ai_provider_id: "anthropic", workspace_id: "default", key: "sk-ant-saved-0123456789" };
  await api.admin("POST", "/admin/v2/integrations", { ...made, configurations: { custom_host: `${api.upstream.url}/v1` } });
});
const client = (provider?: string): Anthropic =>
  clientOf(
    api.gateway.base,
    provider === undefined ? {} : { "x-gateway-provider": provider, "x-gateway-custom-host": `${api.upstream.url}/v1` },
  );
const idsOf = async (asked: AsyncIterable<Anthropic.ModelInfo>): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const { id } of asked) ids.push(id);
  return ids;
};
const CLAUDE = { type: "model", id: "claude-x", display_name: "Claude X", created_at: "2025-02-19T00:00:00Z" };

describe("the catalogue", () => {
  const catalogued = async (): Promise<readonly string[]> => itemsOf(await api.data("GET", "/v1/models", {})).map(({ id }) => String(id));
  test(verifies("D7.11.models", "is listed in Anthropic's form, page by page, forwards and backwards"), async () => {
    const ids = await catalogued();
    expect(ids.length).toBeGreaterThan(3);
    for (const limit of [1, 3, 1000]) expect(await idsOf(client().models.list({ limit }))).toEqual([...ids]);
    const page = await client().models.list({ limit: 2 });
    expect([page.data.length, page.has_more, page.first_id, page.last_id]).toEqual([2, true, ids[0] ?? "", ids[1] ?? ""]);
    const created_at: unknown = expect.stringMatching(/^\d{4}-.*Z$/);
    expect<unknown>(page.data[0]).toEqual({ type: "model", id: ids[0], display_name: ids[0], created_at });
    const last = await client().models.list({ limit: 2, before_id: ids[3] ?? "" });
    expect([last.data.map(({ id }) => id), last.has_more]).toEqual([ids.slice(1, 3), true]);
    expect((await client().models.list({ limit: 5, after_id: "nothing-of-this-name" })).data).toEqual([]);
    const first = await client().models.list({ limit: 5, before_id: ids[2] ?? "" });
    expect([first.data.map(({ id }) => id), first.has_more]).toEqual([ids.slice(0, 2), false]);
  });
  test("gives one of its models by name, and 404 for what it does not have", async () => {
    const [id = ""] = await catalogued();
    expect(await client().models.retrieve(id)).toMatchObject({ type: "model", id });
    expect(
      await client()
        .models.retrieve("nothing-of-this-name")
        .catch((thrown: unknown) => thrown),
    ).toBeInstanceOf(NotFoundError);
  });
  test.each(["limit=0", "limit=many", "limit=1001"])("refuses %s by name", async (query) => {
    const answer = await api.data("GET", `/v1/models?${query}`, { "anthropic-version": "2023-06-01" });
    expect(bodyOf(answer, 400)["error"]).toMatchObject({ param: "limit" });
  });
});

describe("a provider's own list", () => {
  test(verifies("D7.11.models", "of Anthropic is what Anthropic says, its pages too"), async () => {
    api.upstream.answer(({ path }) =>
      jsonAnswer(
        path.includes("after_id=claude-x")
          ? { data: [{ ...CLAUDE, id: "claude-y" }], has_more: false, first_id: "claude-y", last_id: "claude-y" }
          : { data: [CLAUDE], has_more: true, first_id: "claude-x", last_id: "claude-x" },
      ),
    );
    expect(await idsOf(client("anthropic").models.list({ limit: 1 }))).toEqual(["claude-x", "claude-y"]);
    expect((await client("anthropic").models.list()).data).toEqual([CLAUDE as Anthropic.ModelInfo]);
    api.upstream.answer(jsonAnswer(CLAUDE));
    expect(await client("anthropic").models.retrieve("claude-x")).toEqual(CLAUDE as Anthropic.ModelInfo);
  });
  test("of another vendor is told in the same form", async () => {
    const model = (id: string) => ({ id, object: "model", created: 1_739_923_200, owned_by: "me" });
    const told = (id: string) => ({ type: "model", id, display_name: id, created_at: "2025-02-19T00:00:00Z" });
    api.upstream.answer(jsonAnswer({ object: "list", data: [model("a"), model("b"), model("c")] }));
    expect(await client("openai").models.list()).toMatchObject({
      data: ["a", "b", "c"].map(told),
      has_more: false,
      first_id: "a",
      last_id: "c",
    });
    expect(await idsOf(client("openai").models.list({ limit: 1 }))).toEqual(["a", "b", "c"]);
    api.upstream.answer(jsonAnswer(model("a")));
    expect(await client("openai").models.retrieve("a")).toEqual(told("a") as Anthropic.ModelInfo);
  });
});
