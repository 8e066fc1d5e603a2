import type { Adapter, AdapterInput, Json } from "#contract";
import { answering } from "./answering.ts";
import { idAt, type Kept, pick } from "./kept.ts";
import { invalid, missing } from "./missing.ts";
import { page, wordIn } from "./page.ts";
import { Refusal } from "./refusal.ts";
import { CREATED, SEEDED_STORE, storeOf } from "./vector-store.ts";

const STATES = ["completed", "in_progress", "failed", "cancelled"] as const;
const SEEDED_STATES = ["completed", "in_progress", "completed", "failed", "cancelled"] as const;

/** One in each state, and none of them ever in another. */
const SEEDED_FILES: readonly Json[] = SEEDED_STATES.map((status, index) => ({
  ...fileOf({ store: "vs_1", id: `file-${index + 1}`, at: CREATED + index, settings: {} }),
  status,
  usage_bytes: status === "completed" ? 1024 * (index + 1) : 0,
  last_error: errorOf(status),
}));

/** A file in the making. */
interface Added {
  readonly store: string;
  readonly id: string;
  readonly at: number;
  /** What the body says of it. */
  readonly settings: Json;
}
function fileOf({ store, id, at, settings }: Added): Json {
  const { chunking_strategy: strategy, attributes } = settings;
  const given = strategy as Json | undefined; // the body's schema has judged it
  return {
    id,
    object: "vector_store.file",
    usage_bytes: 0,
    created_at: at,
    vector_store_id: store,
    status: "in_progress",
    last_error: null,
    chunking_strategy:
      given?.["type"] === "static" ? given : { type: "static", static: { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 } },
    ...(attributes !== undefined && { attributes }),
  };
}
function errorOf(status: string): Json | null {
  return status === "failed" ? { code: "internal_error", message: "The sandbox was asked to fail this file." } : null;
}

/** A file has its own settings in each store. */
export const fileKey = (store: string, file: string): string => `${store}/${file}`;

export const added = (kept: Kept, file: Added): Json => kept.put(fileKey(file.store, file.id), fileOf(file));

export async function filesOf(kept: Kept, store: string): Promise<readonly Json[]> {
  const files = await kept.all("vector_store.file", (file) => file["vector_store_id"] === store);
  const seeded = store === SEEDED_STORE["id"] ? SEEDED_FILES : [];
  return [...seeded.filter(({ id }) => kept.get(fileKey(store, String(id))) === undefined), ...files];
}

/** A file is read when it is looked at for the first time; one with `failed` in its id cannot be. */
export function settled(kept: Kept, file: Json): Json {
  if (file["status"] !== "in_progress" || SEEDED_FILES.includes(file)) return file;
  const id = String(file["id"]);
  const status = id.includes("failed") ? "failed" : "completed";
  const read = { ...file, status, usage_bytes: status === "completed" ? 1024 : 0, last_error: errorOf(status) };
  return kept.put(fileKey(String(file["vector_store_id"]), id), read);
}

export const countsOf = (files: readonly Json[]): Json => ({
  ...Object.fromEntries(STATES.map((state) => [state, files.filter(({ status }) => status === state).length])),
  total: files.length,
});

/** Pages of files may be of those in one state. */
export function filePage(files: readonly Json[], search: string): Json {
  const filter = wordIn(new URLSearchParams(search), "filter", STATES);
  return page(
    files.filter(({ status }) => filter === null || status === filter),
    search,
  );
}

/** The files of vector stores. */
export function vectorStoreFiles(kept: Kept, seconds: () => number): Record<string, Adapter> {
  const fileAt = async (ask: AdapterInput): Promise<Json> => {
    const [store, id] = [String(storeOf(kept, ask)["id"]), idAt(ask.path, 3)];
    const file = (await filesOf(kept, store)).findLast((candidate) => candidate["id"] === id);
    if (file === undefined)
      throw new Refusal(404, { message: `No file found with id '${id}' in vector store '${store}'.`, param: "file_id" });
    return settled(kept, file);
  };
  return {
    listVectorStoreFiles: {
      answer: answering(async (_, ask) => filePage(await filesOf(kept, String(storeOf(kept, ask)["id"])), ask.search)),
    },
    createVectorStoreFile: {
      answer: answering((body, ask) => {
        const store = String(storeOf(kept, ask)["id"]);
        if (typeof body["file_id"] !== "string" || body["file_id"] === "") throw missing("file_id");
        return added(kept, { store, id: body["file_id"], at: seconds(), settings: body });
      }),
    },
    getVectorStoreFile: { answer: answering((_, ask) => fileAt(ask)) },
    updateVectorStoreFileAttributes: {
      answer: answering(async (body, ask) => {
        const file = await fileAt(ask);
        return kept.put(fileKey(String(file["vector_store_id"]), String(file["id"])), { ...file, ...pick(body, ["attributes"]) });
      }),
    },
    deleteVectorStoreFile: {
      answer: answering(async (_, ask) => {
        const file = await fileAt(ask);
        if (SEEDED_FILES.includes(file)) throw invalid("file_id", `${String(file["id"])} comes with the sandbox and stays.`);
        kept.drop(fileKey(String(file["vector_store_id"]), String(file["id"])));
        return { id: file["id"], object: "vector_store.file.deleted", deleted: true };
      }),
    },
    retrieveVectorStoreFileContent: {
      answer: answering(async (_, ask) => ({
        object: "vector_store.file_content.page",
        data: [{ type: "text", text: `The sandbox has read ${String((await fileAt(ask))["id"])}.` }],
        has_more: false,
        next_page: null,
      })),
    },
  };
}
