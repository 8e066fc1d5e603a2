/** Integrations, and providers made of them. */
import { describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import type { Answer } from "../process.ts";
import { at, bodyOf, expectError, forAll, ISO, itemsOf, type Json, NOBODY, UUID } from "./api.ts";

const api = forAll();
const SECRET = "sk-live-0123456789-of-the-provider";
let made = 0;
const create = (body: Json = {}, plane = "/admin/v2"): Promise<Answer> =>
  api.admin("POST", `${plane}/integrations`, { name: `Models ${(made += 1)}`, ai_provider_id: "openai", key: SECRET, ...body });
const created = async (body: Json = {}): Promise<Json> => bodyOf(await create(body));
const listed = async (query = ""): Promise<readonly Json[]> =>
  itemsOf(await api.admin("GET", `/admin/v2/integrations?page_size=1000${query}`));

describe("E7: GET /admin/v2/integrations", () => {
  test(verifies("E7.list", "gives object list, total and data, and nothing else"), async () => {
    await created();
    const { data, ...rest } = bodyOf(await api.admin("GET", "/admin/v2/integrations?page_size=1000"));
    expect(rest).toEqual({ object: "list", total: at(data, "length") });
  });
  test(verifies("2.10.fields", "its items have the listed fields"), async () => {
    const { id, slug } = await created({ description: "for tests" });
    const item = (await listed()).find((one) => one["id"] === id);
    expect(item).toMatchObject({
      id: UUID,
      organisation_id: UUID,
      ai_provider_id: "openai",
      name: `Models ${made}`,
      status: "active",
      created_at: ISO,
      last_updated_at: ISO,
      slug,
      description: "for tests",
      object: "integration",
    });
    expect(Object.values(await created()).every((value) => typeof value === "string")).toBe(true);
    for (const one of await listed()) expect(typeof one["description"]).toBe("string");
  });
  test(verifies("E7.type", "type takes workspace, organisation and all"), async () => {
    const ours = await created();
    const theirs = await created({ workspace_id: "default" });
    const has = async (type: string, { id }: Json): Promise<boolean> => (await listed(`&type=${type}`)).some((one) => one["id"] === id);
    expect([await has("workspace", ours), await has("workspace", theirs)]).toEqual([false, true]);
    expect([await has("organisation", ours), await has("organisation", theirs)]).toEqual([true, false]);
    expect([await has("all", ours), await has("all", theirs)]).toEqual([true, true]);
    expect([(await listed()).some((one) => one["id"] === ours["id"]), (await listed()).some((one) => one["id"] === theirs["id"])]).toEqual([
      true,
      true,
    ]);
    for (const wrong of ["Workspace", "none", "", "all,workspace"])
      expectError(await api.admin("GET", `/admin/v2/integrations?type=${wrong}`), 400, "AB01");
  });
});

describe("an integration", () => {
  test(verifies("1.control-integrations", "can be created, read, updated and deleted"), async () => {
    const { slug } = await created();
    expect(bodyOf(await api.admin("PUT", `/admin/v2/integrations/${slug}`, { name: "Renamed" }))).toEqual({});
    expect(bodyOf(await api.admin("GET", `/admin/v2/integrations/${slug}`))).toMatchObject({ name: "Renamed", slug });
    bodyOf(await api.admin("DELETE", `/admin/v2/integrations/${slug}`));
    expectError(await api.admin("GET", `/admin/v2/integrations/${slug}`), 404, "AB08");
  });
  test(verifies("2.10.secret-masked", "its secrets are masked wherever it is shown"), async () => {
    const answer = await create({ workspace_id: "default" });
    const { slug } = bodyOf(answer);
    const read = await api.admin("GET", `/admin/v2/integrations/${slug}`);
    expect(bodyOf(read)["masked_key"]).toMatch(/^sk\*+\w\w$/);
    for (const shown of [
      answer,
      read,
      await api.admin("GET", "/admin/v2/integrations?page_size=1000"),
      await api.admin("PUT", `/admin/v2/integrations/${slug}`, { name: "x" }),
    ])
      expect(shown.text).not.toContain("0123456789");
  });
  test(verifies("2.10.name-length", "names and slugs have at most 255 characters"), async () => {
    const [longest, longer] = ["a".repeat(255), "a".repeat(256)];
    bodyOf(await create({ name: longest }));
    bodyOf(await create({ slug: longest }));
    expectError(await create({ name: longer }), 400, "AB01");
    expectError(await create({ slug: longer }), 400, "AB01");
  });
  test(verifies("2.10.tags", "it and its providers carry tags"), async () => {
    const tags = { team: "red", cost_centre: "7" };
    const { slug } = await created({ tags });
    expect(bodyOf(await api.admin("GET", `/admin/v2/integrations/${slug}`))["tags"]).toEqual(tags);
    const provider = bodyOf(
      await api.admin("POST", "/v2/providers", { name: "Tagged", integration_id: slug, workspace_id: "default", tags }),
    );
    expect(bodyOf(await api.admin("GET", `/v2/providers/${provider["slug"]}`))["tags"]).toEqual(tags);
  });
  test("a slug that is taken is a conflict", async () => {
    const { slug } = await created();
    expectError(await create({ slug }), 409, "AB07");
  });
  test.each<Json>([
    { ai_provider_id: "nobody" },
    { ai_provider_id: undefined },
    { name: "" },
    { configurations: { no_such_field: 1 } },
    { configurations: { custom_host: "http://10.0.0.1" } },
    { key: "" },
    { colour: "red" },
  ])("with %j is refused", async (body) => {
    expect((await create(body)).status).toBe(400);
  });
});

describe("a provider made of an integration", () => {
  const provider = async (body: Json = {}): Promise<Answer> => {
    const { id } = await created();
    return api.admin("POST", "/v2/providers", { name: "Mine", integration_id: id, workspace_id: "default", ...body });
  };
  test(verifies("1.control-providers", "can be created, listed, read, updated and deleted"), async () => {
    const { slug } = bodyOf(await provider());
    expect(bodyOf(await api.admin("GET", `/v2/providers/${slug}`))).toMatchObject({
      name: "Mine",
      slug,
      status: "active",
      object: "provider",
      created_at: ISO,
    });
    bodyOf(await api.admin("PUT", `/v2/providers/${slug}`, { name: "Ours", note: "n" }));
    expect(
      itemsOf(await api.admin("GET", "/v2/providers?workspace_id=default&page_size=1000")).find((one) => one["slug"] === slug),
    ).toMatchObject({ name: "Ours", note: "n" });
    bodyOf(await api.admin("DELETE", `/v2/providers/${slug}`));
    expectError(await api.admin("GET", `/v2/providers/${slug}`), 404, "AB08");
  });
  test(verifies("8.name-length", "has a name and a slug of at most 255 characters"), async () => {
    const [longest, longer] = ["b".repeat(255), "b".repeat(256)];
    bodyOf(await provider({ name: longest, slug: longest }));
    expectError(await provider({ name: longer }), 400, "AB01");
    expectError(await provider({ slug: longer }), 400, "AB01");
  });
  test("of an integration that does not exist is refused", async () =>
    expectError(await provider({ integration_id: NOBODY }), 400, "AB01"));
});
