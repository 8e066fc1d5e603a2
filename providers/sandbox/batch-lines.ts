import { type Adapter, type AdapterInput, InnerJson, isJson, type Json, nextTurn, type OperationId, type OutgoingRequest } from "#contract";
import { idOf } from "./id.ts";

/** What a line of a batch may ask. */
const ASKED = {
  "/v1/chat/completions": "chatComplete",
  "/v1/completions": "complete",
  "/v1/embeddings": "embed",
  "/v1/moderations": "moderate",
} as const satisfies Readonly<Record<string, OperationId>>;
type Answering = { readonly [Op in (typeof ASKED)[keyof typeof ASKED]]: Pick<Adapter, "answer"> };

/** Lines of a batch; a longer one is a failed batch. */
export const MOST_LINES = 200;

export interface BatchRun {
  readonly output: string;
  readonly total: number;
  readonly failed: number;
}

/** Asks every line of a batch's file; `undefined` when it is no list of requests, or too long a one. */
export async function runLines(text: string, operations: Answering, ask: AdapterInput, signal: AbortSignal): Promise<BatchRun | undefined> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0 || lines.length > MOST_LINES) return undefined;
  const inner = new InnerJson(); // one limit for all lines: no limit of a body sees into a file
  const requests = lines.map((line) => parsed(line, inner));
  if (!requests.every(isJson)) return undefined;
  const answers: string[] = [];
  let failed = 0;
  for (const request of requests) {
    await nextTurn();
    const { status, body } = await answered(request, operations, ask, signal);
    if (status >= 400) failed += 1;
    const response = { status_code: status, request_id: `req_${idOf(request)}`, body };
    answers.push(JSON.stringify({ id: `batch_req_${idOf(request)}`, custom_id: request["custom_id"] ?? null, response, error: null }));
  }
  return { output: answers.map((answer) => `${answer}\n`).join(""), total: lines.length, failed };
}

function parsed(line: string, inner: InnerJson): unknown {
  try {
    return inner.parse(line);
  } catch {
    return undefined; // no JSON, or more than may be parsed in one turn
  }
}

async function answered(request: Json, operations: Answering, ask: AdapterInput, signal: AbortSignal) {
  const operation = Object.entries(ASKED).find(([url]) => url === request["url"])?.[1];
  const answer = operation && operations[operation].answer;
  if (!answer) return { status: 404, body: { error: { message: `Unknown url ${String(request["url"])}.` } } };
  const body: Json = { ...(isJson(request["body"]) && request["body"]), stream: false };
  const path = String(request["url"]).slice("/v1".length);
  const input: AdapterInput = { ...ask, operation, path, search: "", stream: false };
  const response = await answer(body, input, signal, NOTHING_SENT);
  return { status: response.status, body: (await response.json()) as unknown };
}
const NOTHING_SENT: OutgoingRequest = { method: "POST", url: "https://sandbox.invalid/v1", headers: new Headers(), body: null };
