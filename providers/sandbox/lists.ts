import type { Adapter, Json } from "#contract";
import { answering } from "./answering.ts";
import { page, wordIn } from "./page.ts";
import { Refusal } from "./refusal.ts";
import { models } from "./scenario.ts";

/** 2026-01-01T00:00:00Z */
const CREATED = 1_767_225_600;
const FILE_STATES = ["completed", "in_progress", "completed", "failed", "cancelled"] as const;

const files = (storeId: string): Json[] =>
  FILE_STATES.map((status, index) => ({
    id: `file-${index + 1}`,
    object: "vector_store.file",
    usage_bytes: status === "completed" ? 1024 * (index + 1) : 0,
    created_at: CREATED + index,
    vector_store_id: storeId,
    status,
    last_error: status === "failed" ? { code: "internal_error", message: "The sandbox was asked to fail this file." } : null,
    chunking_strategy: { type: "static", static: { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 } },
  }));

const assistants: readonly Json[] = ["Librarian", "Analyst", "Translator"].map((name, index) => ({
  id: `asst_${index + 1}`,
  object: "assistant",
  created_at: CREATED + index,
  name,
  description: `A sandbox ${name.toLowerCase()}.`,
  model: "sandbox-echo",
  instructions: null,
  tools: [{ type: "file_search" }],
  tool_resources: { file_search: { vector_store_ids: ["vs_1"] } },
  metadata: {},
  temperature: 1,
  top_p: 1,
  response_format: "auto",
}));

/** Fixed lists. */
export const lists = {
  listVectorStoreFiles: { answer: answering((_, { path, search }) => storeFiles(idIn(path), search)) },
  listAssistants: { answer: answering((_, { search }) => page(assistants, search)) },
  listModels: {
    answer: answering(() => ({
      object: "list",
      data: models.map((id) => ({ id, object: "model", created: CREATED, owned_by: "sandbox" })),
    })),
  },
} satisfies Record<string, Adapter>;

/** The id in `/things/:id/…`. */
const idIn = (path: string): string => decodeURIComponent(path.split("/")[2] ?? "");

function storeFiles(storeId: string, search: string): Json {
  if (storeId.includes("missing"))
    throw new Refusal(404, { message: `Vector store with id '${storeId}' not found.`, param: "vector_store_id" });
  const filter = wordIn(new URLSearchParams(search), "filter", FILE_STATES);
  return page(
    files(storeId).filter((file) => filter === null || file["status"] === filter),
    search,
  );
}
