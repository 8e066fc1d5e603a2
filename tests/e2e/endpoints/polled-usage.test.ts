/** What is begun by one request and told of by later ones (runs, responses in the background): it is counted once. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer, type Replay, type ReplayServer, replayServer, sseAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "../process.ts";
import { at, type Json } from "./api.ts";

type Headers = Readonly<Record<string, string>>;
const SECRET_KEY = "polledUsageIsSharedByTheseProcesses012345";
let upstream: ReplayServer;
let gateway: GatewayProcess;
const start = (dataDir?: string): Promise<GatewayProcess> =>
  startGateway({
    env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host, GATEWAY_SECRET_KEY: SECRET_KEY },
    ...(dataDir !== undefined && { dataDir }),
  });
beforeAll(async () => {
  upstream = replayServer();
  gateway = await start();
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const replayed = (): Headers => ({
  ...{ "x-gateway-provider": "openai", "x-gateway-custom-host": `${upstream.url}/v1`, authorization: "Bearer sk-of-the-provider" },
});
interface Asking {
  readonly body?: Json;
  readonly headers?: Headers;
  readonly of?: GatewayProcess;
}
async function asked(method: string, path: string, answer: Replay, { body, headers, of = gateway }: Asking = {}): Promise<Answer> {
  upstream.answer(answer);
  const got = await ask(of.base + path, method, GATEWAY_KEY, body, { ...replayed(), ...headers });
  expect(got.status).toBe(200);
  return got;
}
/** A stream that does not come to its end: its client reads the text and leaves, unless it is cut before. */
async function cut(path: string, answer: Replay, body: Json): Promise<Pick<Answer, "headers">> {
  upstream.answer(answer);
  const headers = { "content-type": "application/json", ...replayed(), "x-gateway-api-key": GATEWAY_KEY };
  const response = await fetch(gateway.base + path, { method: "POST", headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      text += decoder.decode(read.value, { stream: true });
      if (text.includes("two apples") && answer.ends === "hang") break;
    }
    await reader?.cancel();
  } catch {
    expect(text).toContain("two apples"); // the connection was cut
  }
  return response;
}
/** What the log says it used: tokens in, tokens out, whose, and what they cost. */
async function counted(answer: Pick<Answer, "headers">, of = gateway) {
  const id = String(answer.headers.get("x-gateway-request-id"));
  const log = await until(`the log ${id} is written`, async () => {
    const found = await ask(`${of.base}/v1/logs/${id}`, "GET", GATEWAY_KEY);
    return found.status === 200 ? found.json : undefined;
  });
  const metric = (name: string): unknown => at(log, "metrics", name);
  return { input: metric("req_units") ?? 0, output: metric("res_units") ?? 0, model: metric("ai_model"), cents: metric("cost") ?? 0 };
}
/** No answer that speaks of apples reaches its client. */
const apples = { deny: true, "default.contains": { words: ["apples"], operator: "none" } };
const DENYING = JSON.stringify({ provider: "openai", output_guardrails: [apples] });
const SOFTLY = JSON.stringify({ provider: "openai", output_guardrails: [{ ...apples, soft_deny_200: true }] });
const NOTHING = { input: 0, output: 0, cents: 0 };
const USED = { input: 40, output: 2, model: "gpt-4o" };
async function expectUsed(answer: Pick<Answer, "headers">, used: object = USED, of = gateway): Promise<void> {
  const found = await counted(answer, of);
  expect(found).toMatchObject(used);
  if (used === USED) expect(Number(found.cents)).toBeGreaterThan(0);
}

describe("a run that is not streamed", () => {
  const RUNS = "/v1/threads/t_1/runs";
  const ASKED = { assistant_id: "asst_1" };
  const run = (id: string, status: string): Json => ({ id, object: "thread.run", thread_id: "t_1", status, model: "gpt-4o", usage: null });
  const ended = (id: string, more: Json = {}): Json => ({
    ...run(id, "completed"),
    usage: { prompt_tokens: 40, completion_tokens: 2, total_tokens: 42 },
    ...more,
  });
  const begin = (id: string, asking: Asking = {}): Promise<Answer> =>
    asked("POST", RUNS, jsonAnswer(run(id, "queued")), { body: ASKED, ...asking });
  const poll = (id: string, answer: Json, asking: Asking = {}): Promise<Answer> =>
    asked("GET", `${RUNS}/${id}`, jsonAnswer(answer), asking);

  test(verifies("D7.13.polled", "is counted and priced by the first poll that tells its usage, and by no other"), async () => {
    await expectUsed(await begin("run_1"), NOTHING);
    await expectUsed(await poll("run_1", run("run_1", "in_progress")), NOTHING);
    await expectUsed(await poll("run_1", ended("run_1")));
    await expectUsed(await poll("run_1", ended("run_1")), NOTHING);
    await expectUsed(await asked("GET", RUNS, jsonAnswer({ object: "list", data: [ended("run_1")] })), NOTHING);
  });
  test("is counted once where two poll in the same moment", async () => {
    await begin("run_2");
    const both = await Promise.all([poll("run_2", ended("run_2")), poll("run_2", ended("run_2"))]);
    const tokens = await Promise.all(both.map(async (answer) => (await counted(answer)).input));
    expect(tokens.sort()).toEqual([0, 40]);
  });
  test.each<[string, (id: string) => Promise<Answer>]>([
    [
      "the answer to its calls",
      (id) => asked("POST", `${RUNS}/${id}/submit_tool_outputs`, jsonAnswer(ended(id)), { body: { tool_outputs: [] } }),
    ],
    ["its cancelling", (id) => asked("POST", `${RUNS}/${id}/cancel`, jsonAnswer(ended(id, { status: "cancelled" })))],
    ["a change of it", (id) => asked("POST", `${RUNS}/${id}`, jsonAnswer(ended(id)), { body: { metadata: { a: "b" } } })],
  ])("is counted by %s", async (what, tells) => {
    const id = `run ${what}`.replaceAll(" ", "_");
    await begin(id);
    await expectUsed(await tells(id));
    await expectUsed(await poll(id, ended(id)), NOTHING);
  });
  test("a page of runs counts all that it tells of first", async () => {
    for (const id of ["run_3", "run_4", "run_5"]) await begin(id);
    await poll("run_3", ended("run_3"));
    const page = { object: "list", data: [ended("run_3"), ended("run_4"), ended("run_5"), ended("run_elsewhere")] };
    await expectUsed(await asked("GET", RUNS, jsonAnswer(page)), { input: 80, output: 4, model: "gpt-4o" });
    await expectUsed(await asked("GET", RUNS, jsonAnswer(page)), NOTHING);
  });
  test("that was not begun here costs nobody here anything", async () => {
    await expectUsed(await poll("run_of_others", ended("run_of_others")), NOTHING);
  });
  test("begun with its thread is counted too", async () => {
    await asked("POST", "/v1/threads/runs", jsonAnswer(run("run_6", "queued")), { body: ASKED });
    await expectUsed(await poll("run_6", ended("run_6")));
  });

  const event = (name: string, data: Json): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const events = (id: string): string =>
    event("thread.created", { id: "t_1", object: "thread" }) +
    event("thread.run.created", run(id, "queued")) +
    event("thread.run.completed", ended(id)) +
    "event: done\ndata: [DONE]\n\n";
  const config = JSON.stringify({
    provider: "openai",
    output_guardrails: [{ deny: true, "default.regexMatch": { rule: "zzz", not: true } }],
  });
  const message = event("thread.message.completed", {
    ...{ id: "msg_1", object: "thread.message", role: "assistant" },
    content: [{ type: "text", text: { value: "two apples", annotations: [] } }],
  });
  test("whose stream is denied its client is counted there, and not when it is polled", async () => {
    upstream.answer(sseAnswer(message + events("run_denied")));
    const headers = { ...replayed(), "x-gateway-config": DENYING };
    const denied = await ask(gateway.base + RUNS, "POST", GATEWAY_KEY, { ...ASKED, stream: true }, headers);
    expect(denied.status).toBe(446);
    await expectUsed(denied);
    await expectUsed(await poll("run_denied", ended("run_denied")), NOTHING);
  });
  test(verifies("G.left-cost", "that is begun again because its stream was denied is counted each time, and no more"), async () => {
    let times = 0;
    upstream.answer(() => sseAnswer(message + events(`run_again_${++times}`)));
    const retry = { attempts: 2, on_status_codes: [446] };
    const headers = { ...replayed(), "x-gateway-config": JSON.stringify({ provider: "openai", retry, output_guardrails: [apples] }) };
    const denied = await ask(gateway.base + RUNS, "POST", GATEWAY_KEY, { ...ASKED, stream: true }, headers);
    expect([denied.status, times]).toEqual([446, 3]);
    await expectUsed(denied, { input: 120, output: 6, model: "gpt-4o" });
    for (const id of ["run_again_1", "run_again_3"]) await expectUsed(await poll(id, ended(id)), NOTHING);
  }, 30_000);
  test.each<[string, string, Headers]>([
    ["a run", RUNS, {}],
    ["a run with its thread", "/v1/threads/runs", {}],
    ["a run that guardrails judge", RUNS, { "x-gateway-config": config }],
  ])("%s that was streamed and counted is not counted when it is polled", async (what, path, headers) => {
    const id = `streamed ${what}`.replaceAll(" ", "_");
    await expectUsed(await asked("POST", path, sseAnswer(events(id)), { body: { ...ASKED, stream: true }, headers }));
    await expectUsed(await poll(id, ended(id)), NOTHING);
  });
  test("whose stream ends before it does is counted when it is polled", async () => {
    const wire = event("thread.run.created", run("run_7", "queued"));
    await expectUsed(await asked("POST", RUNS, sseAnswer(wire), { body: { ...ASKED, stream: true } }), NOTHING);
    await expectUsed(await poll("run_7", ended("run_7")));
  });
  const delta = (text: string): string =>
    event("thread.message.delta", {
      id: "msg_1",
      object: "thread.message.delta",
      delta: { content: [{ index: 0, type: "text", text: { value: text } }] },
    });
  test.each<[string, "hang" | "close"]>([
    ["whose client leaves", "hang"],
    ["that is closed early", "close"],
  ])("streamed, %s, is counted as far as it was received, and the poll counts the rest", async (_, ends) => {
    const id = `run_cut_${ends}`;
    const model = { assistant_id: "asst_1", instructions: "Say two words." };
    const wire = event("thread.run.created", run(id, "queued")) + delta("two apples");
    await expectUsed(await cut(RUNS, sseAnswer(wire, { ends }), { ...model, stream: true }), {
      ...{ input: 4, output: 2, model: "gpt-4o" },
      cents: expect.closeTo(0.003, 6),
    });
    await expectUsed(await poll(id, ended(id, { usage: { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 } })), {
      input: 36,
      output: 10,
    });
    await expectUsed(await poll(id, ended(id)), NOTHING);
  });
  test("that goes on as events after its calls were answered is counted there", async () => {
    await begin("run_8");
    const wire = event("thread.run.completed", ended("run_8"));
    const path = `${RUNS}/run_8/submit_tool_outputs`;
    await expectUsed(await asked("POST", path, sseAnswer(wire), { body: { tool_outputs: [], stream: true } }));
    await expectUsed(await poll("run_8", ended("run_8")), NOTHING);
  });
  test("is counted once, by a process that was started behind its beginning, and beside the one that began it", async () => {
    const first = await start();
    await begin("run_9", { of: first });
    await begin("run_10", { of: first });
    const beside = await start(first.dataDir);
    await expectUsed(await poll("run_9", ended("run_9"), { of: beside }), USED, beside);
    await expectUsed(await poll("run_9", ended("run_9"), { of: first }), NOTHING, first);
    await Promise.all([first.stop(), beside.stop()]);
    const again = await start(first.dataDir);
    await expectUsed(await poll("run_9", ended("run_9"), { of: again }), NOTHING, again);
    await expectUsed(await poll("run_10", ended("run_10"), { of: again }), USED, again);
    await again.stop();
    first.remove();
  }, 60_000);
});

describe("a response in the background", () => {
  const response = (id: string, status: string, more: Json = {}): Json => ({
    ...{ id, object: "response", created_at: 1, status, background: true, model: "gpt-4o", output: [], usage: null },
    ...more,
  });
  const USAGE = { input_tokens: 40, output_tokens: 2, total_tokens: 42 };
  const ended = (id: string, more: Json = {}): Json => response(id, "completed", { usage: USAGE, ...more });
  const create = (answer: Replay, more: Json = {}): Promise<Answer> =>
    asked("POST", "/v1/responses", answer, { body: { model: "gpt-4o", input: "Say a lot of words, please.", background: true, ...more } });
  const read = (id: string, answer: Replay, query = ""): Promise<Answer> => asked("GET", `/v1/responses/${id}${query}`, answer);
  const event = (type: string, members: Json): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
  const events = (id: string): string =>
    event("response.created", { response: response(id, "queued") }) + event("response.completed", { response: ended(id) });

  test(verifies("D7.10.background", "is counted and priced when it is first read as ended, and then no more"), async () => {
    await expectUsed(await create(jsonAnswer(response("resp_1", "queued"))), NOTHING);
    await expectUsed(await read("resp_1", jsonAnswer(response("resp_1", "in_progress"))), NOTHING);
    await expectUsed(await read("resp_1", jsonAnswer(ended("resp_1"))));
    await expectUsed(await read("resp_1", jsonAnswer(ended("resp_1"))), NOTHING);
  });
  test("is counted when it is cancelled", async () => {
    await create(jsonAnswer(response("resp_2", "queued")));
    const cancelled = ended("resp_2", { status: "cancelled" });
    await expectUsed(await asked("POST", "/v1/responses/resp_2/cancel", jsonAnswer(cancelled)));
    await expectUsed(await read("resp_2", jsonAnswer(cancelled)), NOTHING);
  });
  test("is counted by the stream that it was begun with", async () => {
    await expectUsed(await create(sseAnswer(events("resp_3")), { stream: true }));
    await expectUsed(await read("resp_3", jsonAnswer(ended("resp_3"))), NOTHING);
    await expectUsed(await read("resp_3", sseAnswer(events("resp_3")), "?stream=true"), NOTHING);
  });
  test.each<[string, "close" | "hang"]>([
    ["that breaks off", "close"],
    ["whose client leaves", "hang"],
  ])("whose stream %s is counted as far as it was received, and reading it counts the rest", async (_, ends) => {
    const id = `resp_cut_${ends}`;
    const said = { item_id: "msg_1", output_index: 0, content_index: 0, delta: "two apples" };
    const wire = event("response.created", { response: response(id, "queued") }) + event("response.output_text.delta", said);
    const body = { model: "gpt-4o", input: "Say two words.", background: true, stream: true };
    await expectUsed(await cut("/v1/responses", sseAnswer(wire, { ends }), body), { input: 4, output: 2 });
    await expectUsed(await read(id, jsonAnswer(ended(id))), { input: 36, output: 0 });
    await expectUsed(await read(id, jsonAnswer(ended(id))), NOTHING);
  });
  test.each<[string, string, number]>([
    ["hard", DENYING, 446],
    ["soft", SOFTLY, 200],
  ])("whose stream meets a %s denial is counted there, and not when it is read", async (how, config, status) => {
    const id = `resp_denied_${how}`;
    const item = { id: "msg_1", type: "message", role: "assistant", status: "completed" };
    const part = { type: "output_text", text: "two apples", annotations: [] };
    const wire =
      event("response.created", { response: response(id, "queued") }) +
      event("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta: "two apples" }) +
      event("response.completed", { response: ended(id, { output: [{ ...item, content: [part] }] }) });
    upstream.answer(sseAnswer(wire));
    const body = { model: "gpt-4o", input: "Say two words.", background: true, stream: true };
    const denied = await ask(`${gateway.base}/v1/responses`, "POST", GATEWAY_KEY, body, { ...replayed(), "x-gateway-config": config });
    expect(denied.status).toBe(status);
    await expectUsed(denied);
    await expectUsed(await read(id, jsonAnswer(ended(id))), NOTHING);
  });
  test("is counted by a stream that goes on with it", async () => {
    await create(jsonAnswer(response("resp_4", "queued")));
    await expectUsed(await read("resp_4", sseAnswer(events("resp_4")), "?stream=true"), { input: 40, output: 2 });
    await expectUsed(await read("resp_4", jsonAnswer(ended("resp_4"))), NOTHING);
  });
  test("one that was not in the background is counted at once, and not when it is read", async () => {
    const answer = ended("resp_5", { background: false });
    await expectUsed(await create(jsonAnswer(answer), { background: false }));
    await expectUsed(await read("resp_5", jsonAnswer(answer)), NOTHING);
  });
});
