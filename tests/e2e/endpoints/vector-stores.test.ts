/** Vector stores with files, file batches and search: data sheet 7.14. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, expectError, forAll, SANDBOX } from "./api.ts";
import { clientOf, denying, failureOf } from "./client.ts";
import { type Passing, testPassing } from "./passing.ts";

const api = forAll();
const STORES = "/v1/vector_stores";

describe("vector stores, offline", () => {
  const stores = () => clientOf(api).vectorStores;

  test(verifies("1.tag-vector-stores", "a store is made, found, renamed and deleted"), async () => {
    const store = await stores().create({ name: "Handbook", metadata: { team: "a" } });
    expect(store).toMatchObject({ object: "vector_store", name: "Handbook", status: "completed", metadata: { team: "a" } });
    expect((await stores().update(store.id, { name: "Guide" })).name).toBe("Guide");
    expect((await stores().retrieve(store.id)).name).toBe("Guide");
    expect((await stores().list()).data.map(({ id }) => id)).toContain(store.id);
    expect(await stores().delete(store.id)).toEqual({ id: store.id, object: "vector_store.deleted", deleted: true });
    expect(await failureOf(stores().retrieve(store.id))).toMatchObject({ status: 404 });
  });
  test(verifies("D7.14.flow", "files are added alone and in batches, waited for, read, searched and taken out"), async () => {
    const { id } = await stores().create({});
    const file = await stores().files.createAndPoll(id, { file_id: "file-a", attributes: { year: 2026 } });
    expect(file).toMatchObject({ id: "file-a", status: "completed", attributes: { year: 2026 } });
    const batch = await stores().fileBatches.createAndPoll(id, { file_ids: ["file-b", "file-failed"] });
    expect(batch).toMatchObject({ status: "completed", file_counts: { completed: 1, failed: 1, total: 2 } });
    expect((await stores().fileBatches.listFiles(batch.id, { vector_store_id: id, filter: "failed" })).data.map((of) => of.id)).toEqual([
      "file-failed",
    ]);
    expect((await stores().retrieve(id)).file_counts).toMatchObject({ completed: 2, failed: 1, total: 3 });
    expect((await stores().files.update("file-a", { vector_store_id: id, attributes: { year: 2027 } })).attributes).toEqual({ year: 2027 });
    const found = await stores().search(id, { query: "leave", max_num_results: 1 });
    expect(found.data).toMatchObject([{ file_id: "file-a", content: [{ type: "text", text: expect.stringContaining("leave") }] }]);
    const content = await stores().files.content("file-a", { vector_store_id: id });
    expect(content.data).toMatchObject([{ type: "text", text: expect.stringContaining("file-a") }]);
    await stores().files.delete("file-a", { vector_store_id: id });
    expect((await stores().files.list(id, { order: "asc" })).data.map((of) => of.id)).toEqual(["file-b", "file-failed"]);
  });
  test("a batch that is cancelled says so, and so do its files", async () => {
    const { id } = await stores().create({});
    const batch = await stores().fileBatches.create(id, { files: [{ file_id: "file-a" }, { file_id: "file-b", attributes: { x: true } }] });
    expect(await stores().fileBatches.cancel(batch.id, { vector_store_id: id })).toMatchObject({
      status: "cancelled",
      file_counts: { cancelled: 2, total: 2 },
    });
    expect((await stores().files.retrieve("file-b", { vector_store_id: id })).status).toBe("cancelled");
  });
  test.each(["limit=0", "limit=101", "order=sideways", "filter=lost"])(verifies("D7.14.query", "%s is refused"), async (query) => {
    expectError(await api.data("GET", `${STORES}/vs_1/files?${query}`, SANDBOX), 400);
  });
  test.each<[string, string, object]>([
    ["files", "file_id", {}],
    ["search", "query", {}],
    ["search", "max_num_results", { query: "x", max_num_results: 51 }],
    ["file_batches", "file_ids", { file_ids: [] }],
  ])(verifies("D7.14.limits", "to %s, a body with a wrong %s is refused"), async (below, member, body) => {
    const answer = await api.data("POST", `${STORES}/vs_1/${below}`, SANDBOX, { ...body });
    expect(bodyOf(answer, 400)).toMatchObject({ error: { message: expect.stringContaining(member) } });
  });
});

describe("vector stores, with a provider", () => {
  const of = { vector_store_id: "vs_9" };
  const rows: readonly Passing[] = [
    ["create", ({ vectorStores }) => vectorStores.create({ file_ids: ["file-1"] }), `POST ${STORES}`, { file_ids: ["file-1"] }],
    ["retrieve", ({ vectorStores }) => vectorStores.retrieve("vs_9"), `GET ${STORES}/vs_9`],
    ["update", ({ vectorStores }) => vectorStores.update("vs_9", { name: "n" }), `POST ${STORES}/vs_9`, { name: "n" }],
    ["list", ({ vectorStores }) => vectorStores.list({ order: "asc", before: "vs_2" }), `GET ${STORES}?order=asc&before=vs_2`],
    ["delete", ({ vectorStores }) => vectorStores.delete("vs_9"), `DELETE ${STORES}/vs_9`],
    [
      "search",
      ({ vectorStores }) => vectorStores.search("vs_9", { query: ["a", "b"] }),
      `POST ${STORES}/vs_9/search`,
      { query: ["a", "b"] },
    ],
    [
      "files.create",
      ({ vectorStores: { files } }) => files.create("vs_9", { file_id: "f" }),
      `POST ${STORES}/vs_9/files`,
      { file_id: "f" },
    ],
    ["files.retrieve", ({ vectorStores: { files } }) => files.retrieve("f", of), `GET ${STORES}/vs_9/files/f`],
    [
      "files.update",
      ({ vectorStores: { files } }) => files.update("f", { ...of, attributes: { a: 1 } }),
      `POST ${STORES}/vs_9/files/f`,
      { attributes: { a: 1 } },
    ],
    ["files.list", ({ vectorStores: { files } }) => files.list("vs_9", { filter: "failed" }), `GET ${STORES}/vs_9/files?filter=failed`],
    ["files.delete", ({ vectorStores: { files } }) => files.delete("f", of), `DELETE ${STORES}/vs_9/files/f`],
    ["files.content", ({ vectorStores: { files } }) => files.content("f", of), `GET ${STORES}/vs_9/files/f/content`],
    [
      "fileBatches.create",
      ({ vectorStores: { fileBatches } }) => fileBatches.create("vs_9", { file_ids: ["f"] }),
      `POST ${STORES}/vs_9/file_batches`,
      { file_ids: ["f"] },
    ],
    ["fileBatches.retrieve", ({ vectorStores: { fileBatches } }) => fileBatches.retrieve("b", of), `GET ${STORES}/vs_9/file_batches/b`],
    ["fileBatches.cancel", ({ vectorStores: { fileBatches } }) => fileBatches.cancel("b", of), `POST ${STORES}/vs_9/file_batches/b/cancel`],
    [
      "fileBatches.listFiles",
      ({ vectorStores: { fileBatches } }) => fileBatches.listFiles("b", { ...of, limit: 2 }),
      `GET ${STORES}/vs_9/file_batches/b/files?limit=2`,
    ],
  ];
  testPassing(api, rows, (name) => verifies("D7.14.passes", `${name} passes unchanged`), "assistants=v2");

  test(verifies("D7.14.guarded", "a search for what is forbidden reaches no provider"), async () => {
    const before = api.upstream.received.length;
    const client = clientOf(api, denying(api.replayed, "input", "salary"));
    expect(await failureOf(client.vectorStores.search("vs_9", { query: ["leave", "salary"] }))).toMatchObject({ status: 446 });
    expect(api.upstream.received.length).toBe(before);
  });
  test.each(["search", "content"] as const)(verifies("D7.14.guarded", "forbidden words that %s answers reach no client"), async (asked) => {
    const text = [{ type: "text", text: "the salary is 5" }];
    const data = asked === "search" ? [{ file_id: "f", filename: "f", score: 1, attributes: {}, content: text }] : text;
    api.upstream.answer(jsonAnswer({ object: "page", search_query: ["x"], data, has_more: false, next_page: null }));
    const { vectorStores } = clientOf(api, denying(api.replayed, "output", "salary"));
    const answer = asked === "search" ? vectorStores.search("vs_9", { query: "x" }) : vectorStores.files.content("f", of);
    expect(await failureOf(Promise.resolve(answer))).toMatchObject({ status: 446 });
  });
});
