/** Runs of assistants, streamed: what passes, what is counted, what is judged. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { forAll, type Json } from "./api.ts";
import { clientOf, denying, failureOf, loggedOf } from "./client.ts";

const api = forAll();
const RUNS = "/v1/threads/t_1/runs";
const ASKED = { assistant_id: "asst_1", stream: true };

const event = (name: string, data: Json): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
/** A member of that name inside another is somebody else's. */
const RUN: Json = { id: "r", object: "thread.run", status: "queued", model: "gpt-4o", instructions: 'Say "usage":{} often.', usage: null };
const FORMAT = { type: "json_schema", json_schema: { schema: { usage: { prompt_tokens: 1, completion_tokens: 1 } } } };
const MESSAGE: Json = { id: "m", object: "thread.message", role: "assistant", status: "in_progress", content: [] };
const completedMessage = (value: string): Json => ({
  ...MESSAGE,
  status: "completed",
  content: [{ type: "text", text: { value, annotations: [] } }],
});
const delta = (value: string): string =>
  event("thread.message.delta", {
    id: "m",
    object: "thread.message.delta",
    delta: { content: [{ index: 0, type: "text", text: { value } }] },
  });
const streamOf = (words: readonly string[], run: Json = {}): string =>
  event("thread.run.created", RUN) +
  event("thread.message.created", MESSAGE) +
  words.map(delta).join("") +
  event("thread.message.completed", completedMessage(words.join(""))) +
  event("thread.run.step.completed", {
    id: "s",
    object: "thread.run.step",
    usage: { prompt_tokens: 7, completion_tokens: 7, total_tokens: 14 },
  }) +
  event("thread.run.completed", {
    ...RUN,
    status: "completed",
    usage: { prompt_tokens: 40, completion_tokens: 2, total_tokens: 42 },
    response_format: FORMAT,
    ...run,
  }) +
  "event: done\ndata: [DONE]\n\n";

describe("a streamed run", () => {
  test.each<[string, Json, string | null]>([
    ["its last event says", {}, "gpt-4o"],
    ["its last event says, however long", { instructions: `"quoted" \\ ${"x".repeat(200_000)}` }, null], // the model stands before them
  ])(verifies("D7.13.usage", "passes as it comes, and has used what %s"), async (_, run, ai_model) => {
    const wire = streamOf(["Good ", "day"], run);
    api.upstream.answer(sseAnswer(wire));
    const answer = await api.data("POST", RUNS, api.replayed, ASKED);
    expect(answer.text).toBe(wire);
    expect((await loggedOf(api, answer)).metrics).toMatchObject({ req_units: 40, res_units: 2, ai_model });
  });
  test("a run that has only begun has used nothing", async () => {
    api.upstream.answer(jsonAnswer(RUN));
    const answer = await api.data("POST", RUNS, api.replayed, { assistant_id: "asst_1", instructions: "Say a lot of words, please." });
    expect((await loggedOf(api, answer)).metrics).toMatchObject({ req_units: 0, res_units: 0 });
  });
});

describe("guardrails of a run", () => {
  test.each<[string, string, Json]>([
    ["instructions", RUNS, { assistant_id: "a", instructions: "the salary" }],
    ["additional instructions", RUNS, { assistant_id: "a", additional_instructions: "the salary" }],
    ["additional messages", RUNS, { assistant_id: "a", additional_messages: [{ role: "user", content: "the salary" }] }],
    ["a new thread", "/v1/threads/runs", { assistant_id: "a", thread: { messages: [{ role: "user", content: "the salary" }] } }],
    ["tool outputs", `${RUNS}/r/submit_tool_outputs`, { tool_outputs: [{ tool_call_id: "c", output: "the salary" }] }],
    ["a thread", "/v1/threads", { messages: [{ role: "user", content: [{ type: "text", text: "the salary" }] }] }],
    ["a message", "/v1/threads/t_1/messages", { role: "user", content: [{ type: "text", text: "the salary" }] }],
    ["an assistant", "/v1/assistants", { model: "m", instructions: "the salary" }],
  ])(verifies("D7.13.guarded", "judge %s before anything is sent"), async (_, path, body) => {
    const before = api.upstream.received.length;
    const answer = await api.data("POST", path, denying(api.replayed, "input", "salary"), body);
    expect([answer.status, api.upstream.received.length]).toEqual([446, before]);
  });

  test.each<[string, string, string, Json]>([
    ["a message", "GET", "/v1/threads/t_1/messages/m", completedMessage("the salary is 5")],
    ["messages", "GET", "/v1/threads/t_1/messages", { object: "list", data: [completedMessage("a"), completedMessage("the salary is 5")] }],
  ])(verifies("D7.13.guarded", "judge %s that is read"), async (_, method, path, body) => {
    api.upstream.answer(jsonAnswer(body));
    expect((await api.data(method, path, api.replayed)).status).toBe(200);
    expect((await api.data(method, path, denying(api.replayed, "output", "salary"))).status).toBe(446);
  });

  test(verifies("D7.13.guarded", "judge the whole of a streamed answer before any of it is given"), async () => {
    api.upstream.answer(sseAnswer(streamOf(["the sal", "ary is 5"])));
    const denied = clientOf(api, denying(api.replayed, "output", "salary"));
    expect(await failureOf(denied.beta.threads.runs.create("t_1", { assistant_id: "a", stream: true }))).toMatchObject({ status: 446 });
    api.upstream.answer(sseAnswer(event("thread.run.created", RUN) + delta("the sal") + delta("ary is"))); // cut before its end
    expect((await api.data("POST", RUNS, denying(api.replayed, "output", "salary"), ASKED)).status).toBe(446);
  });
  test("let an answer that they do not mind pass byte for byte, and count it", async () => {
    const wire = streamOf(["Good ", "day"]);
    api.upstream.answer(sseAnswer(wire));
    const answer = await api.data("POST", RUNS, denying(api.replayed, "output", "salary"), ASKED);
    expect([answer.status, answer.text]).toEqual([200, wire]);
    expect((await loggedOf(api, answer)).metrics).toMatchObject({ req_units: 40, res_units: 2, ai_model: "gpt-4o" });
  });
});
