/** Assistants, threads, messages, runs and steps: data sheet 7.13. */
import { describe, expect, test } from "bun:test";
import { OPERATION_IDS, OPERATIONS } from "#contract";
import { verifies } from "../../requirements/verifies.ts";
import { ask, GATEWAY_KEY } from "../process.ts";
import { bodyOf, expectError, forAll, type Json, SANDBOX } from "./api.ts";
import { clientOf, failureOf } from "./client.ts";
import { type Passing, testPassing } from "./passing.ts";

const api = forAll();
const THREADS = "/v1/threads";
const weather = {
  type: "function" as const,
  function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
};

describe("assistants, offline", () => {
  const beta = () => clientOf(api).beta;
  const tutor = (more: object = {}) => beta().assistants.create({ model: "sandbox-echo", name: "Tutor", ...more });

  test(verifies("1.tag-assistants", "an assistant is made, changed, listed and deleted"), async () => {
    const made = await tutor({ instructions: "Be short.", tools: [weather] });
    expect(made).toMatchObject({ object: "assistant", name: "Tutor", instructions: "Be short.", tools: [weather] });
    expect(await beta().assistants.update(made.id, { name: "Teacher" })).toMatchObject({ name: "Teacher", instructions: "Be short." });
    expect((await beta().assistants.retrieve(made.id)).name).toBe("Teacher");
    expect((await beta().assistants.list({ limit: 100 })).data.map(({ id }) => id)).toContain(made.id);
    expect(await beta().assistants.delete(made.id)).toEqual({ id: made.id, object: "assistant.deleted", deleted: true });
    expect(await failureOf(beta().assistants.retrieve(made.id))).toMatchObject({ status: 404 });
  });

  test(verifies("D7.13.flow", "a thread is asked and answers, and its messages and steps can be read"), async () => {
    const [{ id: assistant_id }, thread] = [await tutor(), await beta().threads.create({ metadata: { a: "b" } })];
    const { messages, runs } = beta().threads;
    const asked = await messages.create(thread.id, { role: "user", content: "Good morning" });
    expect(asked).toMatchObject({ role: "user", thread_id: thread.id, content: [{ type: "text", text: { value: "Good morning" } }] });
    const run = await runs.createAndPoll(thread.id, { assistant_id }, { pollIntervalMs: 1 });
    expect(run).toMatchObject({ status: "completed", thread_id: thread.id, usage: { total_tokens: expect.any(Number) } });
    const [answer, question] = (await messages.list(thread.id)).data;
    expect(question?.id).toBe(asked.id);
    expect(answer).toMatchObject({ role: "assistant", run_id: run.id, content: [{ type: "text", text: { value: "Good morning" } }] });
    expect((await messages.list(thread.id, { run_id: run.id })).data.map(({ id }) => id)).toEqual([String(answer?.id)]);
    const of = { thread_id: thread.id, run_id: run.id };
    const [step] = (await runs.steps.list(run.id, { thread_id: thread.id })).data;
    expect(await runs.steps.retrieve(String(step?.id), of)).toMatchObject({
      step_details: { message_creation: { message_id: answer?.id } },
    });
    expect((await runs.list(thread.id)).data.map(({ id }) => id)).toEqual([run.id]);
    expect((await runs.update(run.id, { thread_id: thread.id, metadata: { x: "y" } })).metadata).toEqual({ x: "y" });
    const noted = await messages.update(asked.id, { thread_id: thread.id, metadata: { n: "1" } });
    expect((await messages.retrieve(asked.id, { thread_id: thread.id })).metadata).toEqual(noted.metadata);
    expect(await messages.delete(asked.id, { thread_id: thread.id })).toMatchObject({ deleted: true });
    expect((await beta().threads.update(thread.id, { metadata: { c: "d" } })).metadata).toEqual({ c: "d" });
    expect(await beta().threads.delete(thread.id)).toMatchObject({ deleted: true });
    expect(await failureOf(beta().threads.retrieve(thread.id))).toMatchObject({ status: 404 });
  });

  test("a run waits for its tools, and goes on with what they return", async () => {
    const { id: assistant_id } = await tutor({ model: "sandbox-tool", tools: [weather] });
    const poll = { pollIntervalMs: 1 };
    const waiting = await beta().threads.createAndRunPoll(
      { assistant_id, thread: { messages: [{ role: "user", content: "Is it warm?" }] } },
      poll,
    );
    const [call] = waiting.required_action?.submit_tool_outputs.tool_calls ?? [];
    expect([waiting.status, call?.function]).toEqual(["requires_action", { name: "weather", arguments: '{"city":"text"}' }]);
    const { runs } = beta().threads;
    const outputs = { thread_id: waiting.thread_id, tool_outputs: [{ tool_call_id: String(call?.id), output: "12 degrees" }] };
    expect(await failureOf(runs.submitToolOutputs(waiting.id, { ...outputs, tool_outputs: [] }))).toMatchObject({ status: 400 });
    expect(await runs.submitToolOutputsAndPoll(waiting.id, outputs, poll)).toMatchObject({ status: "completed", required_action: null });
    const [answer] = (await beta().threads.messages.list(waiting.thread_id)).data;
    expect(answer?.content).toMatchObject([{ text: { value: "The tool returned: 12 degrees" } }]);
  });

  test("a run that has not ended is cancelled, and one that has is not", async () => {
    const [{ id: assistant_id }, { id: thread_id }] = [await tutor(), await beta().threads.create()];
    const { runs } = beta().threads;
    const run = await runs.create(thread_id, { assistant_id, additional_messages: [{ role: "user", content: "Wait" }] });
    expect(await runs.cancel(run.id, { thread_id })).toMatchObject({ status: "cancelling" });
    expect(await runs.retrieve(run.id, { thread_id })).toMatchObject({ status: "cancelled" });
    expect(await failureOf(runs.cancel(run.id, { thread_id }))).toMatchObject({ status: 400 });
  });

  test(verifies("D7.13.stream", "runs are streamed, to their end and to where they wait"), async () => {
    const { id: assistant_id } = await tutor({ model: "sandbox-tool", tools: [weather] });
    const events: string[] = [];
    const thread = { messages: [{ role: "user" as const, content: "Is it warm?" }] };
    const waiting = beta()
      .threads.createAndRunStream({ assistant_id, thread })
      .on("event", ({ event }) => void events.push(event));
    const run = await waiting.finalRun();
    expect([events[0], run.status]).toEqual(["thread.created", "requires_action"]);
    const [call] = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    const tool_outputs = [{ tool_call_id: String(call?.id), output: "cold and wet" }];
    const { runs } = beta().threads;
    const rest = runs.submitToolOutputsStream(run.id, { thread_id: run.thread_id, tool_outputs });
    const said: string[] = [];
    rest.on("textDelta", ({ value }) => void said.push(value ?? ""));
    expect(await rest.finalMessages()).toMatchObject([{ content: [{ text: { value: "The tool returned: cold and wet" } }] }]);
    expect(said.length).toBeGreaterThan(3);
    const again = runs.stream(run.thread_id, { assistant_id, model: "sandbox-text", instructions: "Speak." });
    expect((await again.finalRun()).status).toBe("completed");
  });

  test(verifies("D7.13.thread-body", "a thread is created without a body, and with an empty one"), async () => {
    const headers = { "x-gateway-api-key": GATEWAY_KEY, ...SANDBOX };
    const asked: readonly RequestInit[] = [
      { headers },
      { headers: { ...headers, "content-type": "application/json" }, body: "" },
      { headers: { ...headers, "content-type": "application/json" }, body: "{}" },
    ];
    for (const init of asked) {
      const answer = await fetch(`${api.gateway.base}${THREADS}`, { method: "POST", ...init });
      expect([answer.status, ((await answer.json()) as Json)["object"]]).toEqual([200, "thread"]);
    }
    const { paths } = bodyOf(await api.data("GET", "/openapi.json"));
    expect(paths).toMatchObject({
      "/v1/threads": { post: { requestBody: { required: false } } },
      "/v1/assistants": { post: { requestBody: { required: true } } },
    });
    expectError(await ask(`${api.gateway.base}/v1/assistants`, "POST", GATEWAY_KEY, undefined, SANDBOX), 400, "content_type");
  });

  test.each([
    "/v1/assistants?limit=0",
    "/v1/assistants?limit=101",
    "/v1/assistants?order=sideways",
    "/v1/threads/t/messages?order=up",
    "/v1/threads/t/runs?limit=x",
    "/v1/threads/t/runs/r/steps?limit=0",
  ])(verifies("D7.13.query", "%s is refused"), async (path) => expectError(await api.data("GET", path, SANDBOX), 400));

  test.each<[string, string, Json]>([
    ["/v1/assistants", "model", {}],
    ["/v1/assistants", "temperature", { model: "m", temperature: 3 }],
    ["/v1/assistants", "name", { model: "m", name: "x".repeat(257) }],
    ["/v1/assistants", "tools", { model: "m", tools: Array.from({ length: 129 }, () => weather) }],
    ["/v1/threads/t/messages", "role", { content: "x" }],
    ["/v1/threads/t/messages", "role", { role: "system", content: "x" }],
    ["/v1/threads/t/messages", "content", { role: "user", content: [] }],
    ["/v1/threads/t/runs", "assistant_id", {}],
    ["/v1/threads/t/runs", "max_prompt_tokens", { assistant_id: "a", max_prompt_tokens: 1 }],
    ["/v1/threads/runs", "assistant_id", { thread: {} }],
    ["/v1/threads/t/runs/r/submit_tool_outputs", "tool_outputs", {}],
  ])(verifies("D7.13.body", "%s refuses a body with a wrong %s"), async (path, member, body) => {
    const answer = await api.data("POST", path, SANDBOX, body);
    expect(bodyOf(answer, 400)).toMatchObject({ error: { message: expect.stringContaining(member) } });
  });
});

describe("assistants, with a provider", () => {
  const of = { thread_id: "t_1" };
  const T = `${THREADS}/t_1`;
  const run = { assistant_id: "asst_9" };
  const outputs = { tool_outputs: [{ tool_call_id: "c", output: "o" }] };
  const rows: readonly Passing[] = [
    ["assistants.create", ({ beta }) => beta.assistants.create({ model: "gpt-x" }), "POST /v1/assistants", { model: "gpt-x" }],
    ["assistants.retrieve", ({ beta }) => beta.assistants.retrieve("asst_9"), "GET /v1/assistants/asst_9"],
    ["assistants.update", ({ beta }) => beta.assistants.update("asst_9", { name: "n" }), "POST /v1/assistants/asst_9", { name: "n" }],
    ["assistants.list", ({ beta }) => beta.assistants.list({ order: "asc" }), "GET /v1/assistants?order=asc"],
    ["assistants.delete", ({ beta }) => beta.assistants.delete("asst_9"), "DELETE /v1/assistants/asst_9"],
    ["threads.create", ({ beta }) => beta.threads.create({ metadata: { a: "b" } }), `POST ${THREADS}`, { metadata: { a: "b" } }],
    ["threads.retrieve", ({ beta }) => beta.threads.retrieve("t_1"), `GET ${T}`],
    ["threads.update", ({ beta }) => beta.threads.update("t_1", { metadata: {} }), `POST ${T}`, { metadata: {} }],
    ["threads.delete", ({ beta }) => beta.threads.delete("t_1"), `DELETE ${T}`],
    [
      "messages.create",
      ({ beta }) => beta.threads.messages.create("t_1", { role: "user", content: "x" }),
      `POST ${T}/messages`,
      { role: "user", content: "x" },
    ],
    ["messages.retrieve", ({ beta }) => beta.threads.messages.retrieve("m", of), `GET ${T}/messages/m`],
    ["messages.update", ({ beta }) => beta.threads.messages.update("m", { ...of, metadata: {} }), `POST ${T}/messages/m`, { metadata: {} }],
    ["messages.list", ({ beta }) => beta.threads.messages.list("t_1", { run_id: "r" }), `GET ${T}/messages?run_id=r`],
    ["messages.delete", ({ beta }) => beta.threads.messages.delete("m", of), `DELETE ${T}/messages/m`],
    ["threads.createAndRun", ({ beta }) => beta.threads.createAndRun(run), `POST ${THREADS}/runs`, run],
    ["runs.create", ({ beta }) => beta.threads.runs.create("t_1", run), `POST ${T}/runs`, run],
    ["runs.retrieve", ({ beta }) => beta.threads.runs.retrieve("r", of), `GET ${T}/runs/r`],
    ["runs.update", ({ beta }) => beta.threads.runs.update("r", { ...of, metadata: {} }), `POST ${T}/runs/r`, { metadata: {} }],
    ["runs.list", ({ beta }) => beta.threads.runs.list("t_1", { limit: 2 }), `GET ${T}/runs?limit=2`],
    ["runs.cancel", ({ beta }) => beta.threads.runs.cancel("r", of), `POST ${T}/runs/r/cancel`],
    [
      "runs.submitToolOutputs",
      ({ beta }) => beta.threads.runs.submitToolOutputs("r", { ...of, ...outputs }),
      `POST ${T}/runs/r/submit_tool_outputs`,
      outputs,
    ],
    ["steps.list", ({ beta }) => beta.threads.runs.steps.list("r", { ...of, limit: 1 }), `GET ${T}/runs/r/steps?limit=1`],
    ["steps.retrieve", ({ beta }) => beta.threads.runs.steps.retrieve("s", { ...of, run_id: "r" }), `GET ${T}/runs/r/steps/s`],
  ];
  testPassing(api, rows, (name) => verifies("D7.13.passes", `${name} passes unchanged`), "assistants=v2");

  test.each(["openai", "azure-openai"])(
    verifies("D7.13.beta", "the client's beta header is the one that is sent to %s"),
    async (provider) => {
      const asked = async (headers: Readonly<Record<string, string>>): Promise<string | null | undefined> => {
        bodyOf(await api.data("GET", "/v1/assistants", { ...api.replayed, "x-gateway-provider": provider, ...headers }));
        return api.upstream.received.at(-1)?.headers.get("openai-beta");
      };
      expect(await asked({})).toBe("assistants=v2");
      expect(await asked({ "openai-beta": "assistants=v1" })).toBe("assistants=v1");
      expect(await asked({ "openai-beta": "assistants=v1", "x-gateway-openai-beta": "assistants=v3" })).toBe("assistants=v3");
    },
  );
});

describe("request types of further operations", () => {
  const IDS = OPERATION_IDS.filter((id) => ["Fine-Tuning", "Assistants", "Vector Stores"].includes(OPERATIONS[id].tag));
  test.each(["allowedTypes", "blockedTypes"])(verifies("D7.request-types", "are their ids, in the list %s"), async (list) => {
    const checks = [{ id: "default.allowedRequestTypes", parameters: { [list]: IDS } }];
    const feedback = { feedback: { value: 1, weight: 1, metadata: "" } };
    const actions = { deny: true, async: false, on_success: feedback, on_fail: feedback };
    const answer = await api.admin("POST", "/v2/guardrails", { name: list, workspace_id: "default", checks, actions });
    expect(bodyOf(answer)).toMatchObject({ id: expect.any(String) });
  });
  test(verifies("D7.request-types", "let one operation of a group pass, and no other"), async () => {
    const guardrail = { deny: true, "default.allowedRequestTypes": { allowedTypes: ["createThread"] } };
    const headers = { "x-gateway-config": JSON.stringify({ provider: "sandbox", input_guardrails: [guardrail] }) };
    expect((await api.data("POST", THREADS, headers, {})).status).toBe(200);
    for (const [path, body] of [
      ["/v1/threads/runs", { assistant_id: "asst_1" }],
      ["/v1/assistants", { model: "m" }],
    ] as const)
      expect((await api.data("POST", path, headers, body)).status).toBe(446);
  });
});
