import type { Adapter, AdapterInput, Json } from "#contract";
import { answering } from "./answering.ts";
import { type BatchRun, runLines } from "./batch-lines.ts";
import { download } from "./files.ts";
import { idOf } from "./id.ts";
import type { KeptFiles } from "./kept-files.ts";
import { missing } from "./missing.ts";
import { page } from "./page.ts";
import { Refusal } from "./refusal.ts";

const STATES = ["validating", "failed", "in_progress", "finalizing", "completed", "expired", "cancelling", "cancelled"] as const;
type State = (typeof STATES)[number];
/** 2026-01-01T00:00:00Z */
const CREATED = 1_767_225_600;
const LINES = 2;

/**
 * Batches: any id `batch_…` exists and is completed, unless it ends with another state. One of an uploaded file is done by
 * the time it is asked for again, and its output can be read.
 */
export function batches(files: KeptFiles, operations: Answering, now: () => number) {
  const made = new Map<string, Json>();
  async function create(body: Json, ask: AdapterInput, signal: AbortSignal): Promise<Json> {
    const begun = { ...begin(body), created_at: Math.floor(now() / 1000) };
    const input = files.find(String(body["input_file_id"]));
    if (input === undefined) return { ...begun, created_at: CREATED };
    const run = await runLines(new TextDecoder().decode(input.bytes), operations, ask, signal);
    const done = { ...begun, ...(run ? completed(run, files, begun.id, begun.created_at) : FAILED) };
    if (made.size >= MOST_BATCHES) made.delete([...made.keys()][0] ?? "");
    made.set(begun.id, done);
    return begun;
  }
  const existing = (ask: AdapterInput): Json => made.get(idIn(ask)) ?? existingBatch(idIn(ask));
  return {
    createBatch: { answer: answering((body, ask, signal) => create(body, ask, signal)) },
    retrieveBatch: { answer: answering((_, ask) => existing(ask)) },
    listBatches: {
      answer: answering((_, ask) =>
        page([...["batch_1", "batch_2", "batch_3"].map((id) => batch(id, "completed")), ...made.values()], ask.search),
      ),
    },
    cancelBatch: { answer: answering((_, ask) => ({ ...existing(ask), status: "cancelling", cancelling_at: CREATED + 5 })) },
    getBatchOutput: {
      answer: answering((_, ask) => {
        const found = existing(ask);
        const file = files.find(String(found["output_file_id"]));
        return file ? download(file) : output(found);
      }),
    },
  } satisfies Record<string, Adapter>;
}
type Answering = Parameters<typeof runLines>[1];
const MOST_BATCHES = 64;

function begin(body: Json) {
  const { input_file_id: input, endpoint, completion_window, metadata } = body;
  if (typeof input !== "string" || input === "") throw missing("input_file_id");
  const id = `batch_${idOf(body)}`;
  return {
    ...batch(id, "validating"),
    id,
    input_file_id: input,
    endpoint: endpoint ?? "/v1/chat/completions",
    completion_window: completion_window ?? "24h",
    metadata: metadata ?? null,
  };
}

function completed({ output, total, failed }: BatchRun, files: KeptFiles, id: string, createdAt: number): Json {
  const bytes = new TextEncoder().encode(output);
  const file = files.add({ name: `${id}_output.jsonl`, purpose: "batch_output", createdAt, bytes });
  return {
    status: "completed",
    output_file_id: file.id,
    in_progress_at: createdAt,
    finalizing_at: createdAt,
    completed_at: createdAt,
    expires_at: createdAt + 86_400,
    request_counts: { total, completed: total - failed, failed },
  };
}
const UNREADABLE_LINE = {
  code: "invalid_json_line",
  message: "A line is no JSON request, or there are too many.",
  param: null,
  line: null,
};
const FAILED: Json = { status: "failed", errors: { object: "list", data: [UNREADABLE_LINE] } };

const idIn = ({ path }: AdapterInput): string => decodeURIComponent(path.split("/")[2] ?? "");

function existingBatch(id: string): Json {
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
