import type { Adapter, AdapterInput, Json } from "#contract";
import { answering } from "./answering.ts";
import { idOf } from "./id.ts";
import { missing } from "./missing.ts";
import { page } from "./page.ts";
import { Refusal } from "./refusal.ts";

const STATES = ["validating", "failed", "in_progress", "finalizing", "completed", "expired", "cancelling", "cancelled"] as const;
type State = (typeof STATES)[number];
/** 2026-01-01T00:00:00Z */
const CREATED = 1_767_225_600;
const LINES = 2;

/** Batches: any id `batch_…` exists and is completed, unless it ends with another state. */
export const batches = {
  createBatch: { answer: answering((body) => create(body)) },
  retrieveBatch: { answer: answering((_, ask) => existing(ask)) },
  listBatches: {
    answer: answering((_, ask) =>
      page(
        ["batch_1", "batch_2", "batch_3"].map((id) => batch(id, "completed")),
        ask.search,
      ),
    ),
  },
  cancelBatch: { answer: answering((_, ask) => ({ ...existing(ask), status: "cancelling", cancelling_at: CREATED + 5 })) },
  getBatchOutput: { answer: answering((_, ask) => output(existing(ask))) },
} satisfies Record<string, Adapter>;

function create(body: Json): Json {
  if (typeof body["input_file_id"] !== "string" || body["input_file_id"] === "") throw missing("input_file_id");
  const { endpoint, completion_window, metadata } = body;
  return {
    ...batch(`batch_${idOf(body)}`, "validating"),
    input_file_id: body["input_file_id"],
    endpoint: endpoint ?? "/v1/chat/completions",
    completion_window: completion_window ?? "24h",
    metadata: metadata ?? null,
  };
}

function existing(ask: AdapterInput): Json {
  const id = decodeURIComponent(ask.path.split("/")[2] ?? "");
  if (!id.startsWith("batch_") || id.includes("missing"))
    throw new Refusal(404, { message: `No batch found with id '${id}'.`, param: "batch_id" });
  return batch(id, STATES.findLast((state) => id.endsWith(`_${state}`)) ?? "completed");
}

function batch(id: string, status: State): Json {
  const done = status === "completed";
  return {
    id,
    object: "batch",
    endpoint: "/v1/chat/completions",
    errors:
      status === "failed"
        ? {
            object: "list",
            data: [{ code: "invalid_json_line", message: "This line is not parseable as valid JSON.", param: null, line: 1 }],
          }
        : null,
    input_file_id: `file-${id}-input`,
    completion_window: "24h",
    status,
    output_file_id: done ? `file-${id}-output` : null,
    error_file_id: null,
    created_at: CREATED,
    in_progress_at: CREATED + 1,
    expires_at: CREATED + 86_400,
    finalizing_at: done ? CREATED + 3 : null,
    completed_at: done ? CREATED + 4 : null,
    failed_at: status === "failed" ? CREATED + 1 : null,
    expired_at: status === "expired" ? CREATED + 86_400 : null,
    cancelling_at: status === "cancelling" || status === "cancelled" ? CREATED + 5 : null,
    cancelled_at: status === "cancelled" ? CREATED + 6 : null,
    request_counts: { total: LINES, completed: done ? LINES : 0, failed: 0 },
    metadata: null,
  };
}

function output(of: Json): Response {
  if (of["status"] !== "completed")
    throw new Refusal(404, { message: `The batch ${String(of["id"])} has no output yet.`, param: "batch_id" });
  const line = (index: number): string =>
    JSON.stringify({
      id: `batch_req_${index}`,
      custom_id: `request-${index}`,
      response: { status_code: 200, request_id: `req_${index}`, body: { object: "chat.completion", choices: [] } },
      error: null,
    });
  return new Response(Array.from({ length: LINES }, (_, index) => `${line(index + 1)}\n`).join(""), {
    headers: { "content-type": "application/octet-stream" },
  });
}
