import type { Adapter, Json } from "#contract";
import { answering } from "./answering.ts";
import { type Kept, newId, pick } from "./kept.ts";
import { page } from "./page.ts";
import { Refusal } from "./refusal.ts";
import { added, countsOf, fileKey, filesOf, settled } from "./vector-store-files.ts";
import { SEEDED_STORE, storeOf } from "./vector-store.ts";

/** Vector stores: their files are read at once, and nothing of them is understood. */
export function vectorStores(kept: Kept, seconds: () => number): Record<string, Adapter> {
  const shown = async (store: Json): Promise<Json> => {
    const files = (await filesOf(kept, String(store["id"]))).map((file) => settled(kept, file));
    return { ...store, file_counts: countsOf(files), usage_bytes: files.reduce((sum, { usage_bytes: bytes }) => sum + Number(bytes), 0) };
  };
  return {
    listVectorStores: {
      answer: answering(async (_, { search }) => page(await allStores(kept), search)),
    },
    createVectorStore: {
      answer: answering((body) => {
        const store = kept.put(...created(body, seconds()));
        const ids = Array.isArray(body["file_ids"]) ? body["file_ids"].map(String) : [];
        const files = ids.map((id) => added(kept, { store: String(store["id"]), id, at: seconds(), settings: body }));
        return { ...store, file_counts: countsOf(files) };
      }),
    },
    getVectorStore: { answer: answering((_, ask) => shown(storeOf(kept, ask))) },
    modifyVectorStore: {
      answer: answering((body, ask) => {
        const store = storeOf(kept, ask);
        return shown(kept.put(String(store["id"]), { ...store, ...pick(body, ["name", "expires_after", "metadata"]) }));
      }),
    },
    deleteVectorStore: {
      answer: answering(async (_, ask) => {
        const id = String(storeOf(kept, ask)["id"]);
        if (id === SEEDED_STORE["id"]) throw new Refusal(400, { message: `${id} comes with the sandbox and stays.` });
        for (const { id: file } of await filesOf(kept, id)) kept.drop(fileKey(id, String(file)));
        kept.drop(id);
        return { id, object: "vector_store.deleted", deleted: true };
      }),
    },
    searchVectorStore: { answer: answering(async (body, ask) => found(body, await filesOf(kept, String(storeOf(kept, ask)["id"])))) },
  };
}

/** A store that was modified is kept, and stands for the one it was. */
const allStores = async (kept: Kept): Promise<readonly Json[]> => [
  ...(kept.get(String(SEEDED_STORE["id"])) ? [] : [SEEDED_STORE]),
  ...(await kept.all("vector_store")),
];

function created({ name, expires_after, metadata }: Json, at: number): [string, Json] {
  const id = newId("vs_");
  return [
    id,
    {
      ...SEEDED_STORE,
      id,
      created_at: at,
      last_active_at: at,
      name: name ?? null,
      metadata: metadata ?? {},
      expires_after: expires_after ?? null,
    },
  ];
}

const RESULTS = 10;
/** Every file that has been read holds what is searched for. */
function found(body: Json, files: readonly Json[]): Json {
  const query = body["query"];
  const most = typeof body["max_num_results"] === "number" ? body["max_num_results"] : RESULTS;
  const words = [query].flat().map(String);
  const read = files.filter(({ status }) => status === "completed" || status === "in_progress").slice(0, most);
  return {
    object: "vector_store.search_results.page",
    search_query: words,
    data: read.map(({ id, attributes }, index) => ({
      file_id: id,
      filename: `${String(id)}.txt`,
      score: 1 / (index + 1),
      attributes: attributes ?? {},
      content: [{ type: "text", text: `${String(id)} says of ${words.join(", ")}: the sandbox has read it.` }],
    })),
    has_more: false,
    next_page: null,
  };
}
