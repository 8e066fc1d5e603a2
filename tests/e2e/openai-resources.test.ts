/**
 * Every resource of the official OpenAI client: its own tree of methods is walked, and each is an operation that reaches
 * its provider through the gateway, or one of those that the specification does not have.
 */
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { type Operation, OPERATION_IDS, OPERATIONS, type OperationId, wholePath } from "#contract";
import { jsonAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { forAll } from "./endpoints/api.ts";
import { clientOf } from "./endpoints/client.ts";

const api = forAll();

/* ── the client's tree ───────────────────────────────────────────────────────────────────────────────────────── */

type Method = (...asked: unknown[]) => unknown;
interface Found {
  /** `beta.threads.runs.create` */
  readonly name: string;
  /** Asks by it, with whatever it may want. */
  ask(client: OpenAI): Promise<unknown>;
}
type Resource = Readonly<Record<string, unknown>>;
const isResource = (value: unknown): value is Resource => typeof value === "object" && value !== null && "_client" in value;

/** Methods that ask by others of the same tree, or not at all. */
const HELPERS = /poll|stream|parse|runTools|waitForProcessing|^(unwrap|verifySignature|upload)$/i;
/** What any method may want of a body or a query; a form takes the files. */
const WANTED = {
  ...{ thread_id: "thread_1", run_id: "run_1", vector_store_id: "vs_1", eval_id: "eval_1", container_id: "cntr_1" },
  ...{ conversation_id: "conv_1", skill_id: "skill_1", version: "v1", fine_tuned_model_checkpoint: "ft_1", purpose: "batch" },
  ...{ model: "gpt-x", input: "Hi", prompt: "Hi", voice: "alloy", query: "Hi", role: "user", content: "Hi", assistant_id: "asst_1" },
  ...{ training_file: "file-1", input_file_id: "file-1", endpoint: "/v1/chat/completions", completion_window: "24h", file_id: "file-1" },
  messages: [{ role: "user", content: "Hi" }],
  tool_outputs: [{ tool_call_id: "call_1", output: "Hi" }],
  file_ids: ["file-1"],
  attributes: {},
};
const FILES = () => ({ file: new File(["x"], "x.txt"), image: new File(["x"], "x.png"), data: new File(["x"], "x.bin") });
const ID = "thing_1";
/** Its first parameter is an id, or what it asks. */
const startsWithId = (method: Method): boolean => !/^(async )?\w+\((body|query|params|options|\{|\))/.test(method.toString());

const memberAt = (root: object, path: readonly string[]): unknown => path.reduce<unknown>((at, step) => (at as Resource)[step], root); // the path was found there

function methodsOf(resource: Resource, path: readonly string[]): Found[] {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(resource));
  const own = names.filter((name) => name !== "constructor" && !HELPERS.test(name) && typeof resource[name] === "function");
  const inner = Object.entries(resource).filter(([name, value]) => name !== "_client" && isResource(value));
  return [
    ...own.map((name) => ({
      name: [...path, name].join("."),
      ask: async (client: OpenAI) => {
        const of = memberAt(client, path) as Readonly<Record<string, Method>>;
        const method = of[name] ?? expect.unreachable();
        const wanted = { ...WANTED, ...(/create|edit|Variation/i.test(name) && isForm(path) && FILES()) };
        return method.call(of, ...(startsWithId(method) ? [ID, wanted] : [wanted]));
      },
    })),
    ...inner.flatMap(([name, value]) => methodsOf(value as Resource, [...path, name])),
  ];
}
const isForm = ([first]: readonly string[]): boolean =>
  ["files", "images", "audio", "uploads", "containers", "skills", "videos"].includes(String(first));

const anyClient = (fetch: (url: string, init: RequestInit) => Promise<Response>): OpenAI =>
  new OpenAI({
    apiKey: "k",
    adminAPIKey: "k",
    baseURL: "http://client.invalid/v1",
    maxRetries: 0,
    fetch: fetch as typeof globalThis.fetch,
  });
const METHODS = Object.entries(anyClient(async () => new Response()))
  .filter(([name, value]) => name !== "admin" && isResource(value)) // the control plane of an organisation at OpenAI
  .flatMap(([name, value]) => methodsOf(value as Resource, [name]));

/** The request that it makes, as `POST /v1/chat/completions`. */
async function requestOf({ ask }: Found): Promise<string> {
  let asked = "";
  const client = anyClient(async (url, { method }) => {
    asked ||= `${method} ${new URL(url).pathname}`;
    return Response.json({ object: "list", data: [] });
  });
  await ask(client);
  return asked;
}

/* ── the operations ──────────────────────────────────────────────────────────────────────────────────────────── */

const patternOf = (id: OperationId): RegExp => {
  const operation: Operation = OPERATIONS[id];
  return new RegExp(`^${operation.method} ${wholePath(operation, operation.path).replace(/:\w+/g, "[^/]+")}$`);
};
const PATTERNS = OPERATION_IDS.map((id) => [id, patternOf(id)] as const);
/** A name that is spelled out comes before one that stands for any. */
const operationOf = (request: string): OperationId | undefined =>
  PATTERNS.filter(([, pattern]) => pattern.test(request)).sort(([one], [other]) => parameters(one) - parameters(other))[0]?.[0];
const parameters = (id: OperationId): number => OPERATIONS[id].path.split(":").length;

const REQUESTS = await Promise.all(METHODS.map(async (found) => ({ found, request: await requestOf(found) })));
const SERVED = REQUESTS.flatMap(({ found, request }) => {
  const operation = operationOf(request);
  return operation === undefined ? [] : [[found.name, operation, request, found] as const];
});

/** What the specification does not have: asked of a provider, it passes through. */
const BEYOND = [
  ...["beta.chatkit", "beta.realtime", "beta.responses.compact", "beta.responses.inputTokens", "chat.completions.delete"],
  ...["chat.completions.list", "chat.completions.messages", "chat.completions.retrieve", "chat.completions.update", "containers"],
  ...["conversations", "evals", "fineTuning.alpha", "fineTuning.checkpoints", "realtime", "responses.compact", "responses.inputTokens"],
  ...["skills", "uploads", "videos"],
];
/** Operations of other vendors' APIs, and of the gateway's own. */
const NOT_OPENAIS: readonly OperationId[] = [
  ...(["messages", "messagesCountTokens", "rerank", "decisions", "ocr", "getBatchOutput"] as const),
  ...OPERATION_IDS.filter((id) => "prefix" in OPERATIONS[id]),
  "realtime", // OpenAI's, and a WebSocket: tests/e2e/realtime has its client
];

test("each method is an operation, or belongs to what the specification does not have", () => {
  const others = REQUESTS.filter(({ request }) => operationOf(request) === undefined).map(({ found }) => found.name);
  const groupOf = (name: string): string => BEYOND.find((group) => name === group || name.startsWith(`${group}.`)) ?? name;
  expect([...new Set(others.map(groupOf))].sort()).toEqual(BEYOND);
});
test("each operation of OpenAI's API is one of its client's methods", () => {
  const reached = new Set(SERVED.map(([, operation]) => operation));
  expect(OPERATION_IDS.filter((id) => !reached.has(id)).sort()).toEqual([...NOT_OPENAIS].sort());
});

describe("the official client's", () => {
  const ANSWER = { id: "thing_1", object: "list", data: [], status: "completed", choices: [], output: [], has_more: false, text: "Hi" };
  test.each(SERVED)(verifies("D1.openai", "%s asks its provider by %s"), async (_name, _operation, request, { ask }) => {
    api.upstream.answer(jsonAnswer(ANSWER));
    const before = api.upstream.received.length;
    const answered = await ask(clientOf(api, api.replayed));
    expect(answered).toBeTruthy();
    const seen = api.upstream.received[before];
    expect(`${seen?.method} ${seen?.path.split("?")[0]}`).toBe(request);
  });
});
