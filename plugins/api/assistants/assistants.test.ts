import { describe, expect, test } from "bun:test";
import type { BodyContent, Json, OperationId } from "#contract";
import { assistants } from "./assistants.ts";
import { messages } from "./messages.ts";
import { runEvents } from "./run-events.ts";
import { runModelAtEnd, runUsageAtEnd } from "./run-usage.ts";
import { runs } from "./runs.ts";
import { steps } from "./steps.ts";
import { threads } from "./threads.ts";

const all = [...assistants, ...threads, ...messages, ...runs, ...steps];
const routeOf = (id: OperationId) => all.find(({ operation }) => operation === id) ?? expect.unreachable(id);
const contentOf = (id: OperationId): BodyContent => routeOf(id).content;

const CALL: Json = { id: "c", type: "function", function: { name: "pay", arguments: '{"of":"the sal\\u0061ry"}' } };
const WAITS: Json = { required_action: { type: "submit_tool_outputs", submit_tool_outputs: { tool_calls: [CALL] } } };
const STEP: Json = {
  step_details: { type: "tool_calls", tool_calls: [{ id: "i", type: "code_interpreter", code_interpreter: { input: "1+1" } }, CALL] },
};

test.each<OperationId>(["createAssistant", "modifyAssistant", "createRun", "createThreadAndRun"])(
  "guardrails of %s read what tools and formats tell a model",
  (id) => {
    const body = {
      tools: [{ type: "function", function: { name: "f", description: "EVIL" } }],
      response_format: { type: "json_schema", json_schema: { description: "EVIL" } },
    };
    const { input, names } = contentOf(id);
    const told = { role: "system", kind: "text", text: "EVIL", message: -1 } as const;
    expect(input?.(body).filter(({ text }) => text === "EVIL")).toEqual([
      { ...told, path: "tools[0].function.description" },
      { ...told, path: "response_format.json_schema.description" },
    ]);
    expect(["instructions", "tools", "response_format"].filter((name) => !names?.has(name))).toEqual([]);
  },
);

describe("calls of an assistant", () => {
  const inside = "required_action.submit_tool_outputs.tool_calls[0].function";
  test.each<[OperationId, Json, string]>([
    ["getRun", WAITS, inside],
    ["createRun", WAITS, inside],
    ["modifyRun", WAITS, inside],
    ["listRuns", { data: [{}, WAITS] }, `data[1].${inside}`],
    ["getRunStep", STEP, "step_details.tool_calls[1].function"],
    ["listRunSteps", { data: [STEP] }, "data[0].step_details.tool_calls[1].function"],
  ])("are read by guardrails of %s, without their escapes", (id, body, path) => {
    const found = contentOf(id)
      .output?.(body)
      .filter(({ kind }) => kind === "tool_call");
    expect(found).toMatchObject([{ path, role: "assistant", text: '{"name":"pay","arguments":{"of":"the salary"}}' }]);
  });
  test("of code are read whole", () => expect(contentOf("getRunStep").output?.(STEP)[0]?.text).toContain("1+1"));
  test("that were changed keep their arguments as a text", () =>
    expect(contentOf("getRun").replaced?.({ name: "a", arguments: "{}" }, { name: "a", arguments: { b: 1 } })).toEqual({
      name: "a",
      arguments: '{"b":1}',
    }));
});

describe("ids of others", () => {
  const resources = {
    code_interpreter: { file_ids: ["f1"] },
    file_search: { vector_store_ids: ["v1"], vector_stores: [{ file_ids: ["f2"] }] },
  };
  const said = { role: "user", content: [{ type: "image_file", image_file: { file_id: "f3" } }], attachments: [{ file_id: "f4" }] };
  const thread = { tool_resources: resources, messages: [said] };
  test.each<[OperationId, Json, readonly string[]]>([
    ["createAssistant", { tool_resources: resources }, ["f1", "v1", "f2"]],
    ["modifyAssistant", { tool_resources: resources, file_ids: ["f9"] }, ["f9", "f1", "v1", "f2"]],
    ["createThread", thread, ["f1", "v1", "f2", "f3", "f4"]],
    ["modifyThread", { tool_resources: resources }, ["f1", "v1", "f2"]],
    ["createMessage", said, ["f3", "f4"]],
    ["createRun", { assistant_id: "a", additional_messages: [said] }, ["a", "f3", "f4"]],
    ["createThreadAndRun", { assistant_id: "a", thread, tool_resources: resources }, ["a", "f1", "v1", "f2", "f1", "v1", "f2", "f3", "f4"]],
  ])("are found in a body of %s, wherever they stand", (id, body, ids) => expect(routeOf(id).owned?.named?.(body)).toEqual(ids));
  test("of any other form are none", () => {
    for (const { owned } of all)
      for (const odd of [
        {},
        { tool_resources: 5, file_ids: [7, null], content: "x", attachments: {}, thread: "t", additional_messages: [null] },
      ])
        expect([owned?.named?.(odd) ?? [], owned?.made?.(odd) ?? []]).toEqual([[], []]);
  });
  test("are asked of everything below a thread or an assistant by its parent's", () => {
    const below = all.filter(({ operation }) => !/^(list|create)Assistants?$|^createThread(AndRun)?$/.test(String(operation)));
    expect(below.filter(({ owned }) => owned?.params?.length !== 1).map(({ operation }) => operation)).toEqual([]);
  });
  test.each<[OperationId, Json, readonly string[]]>([
    ["createAssistant", { id: "asst_1", tool_resources: { file_search: { vector_store_ids: ["vs_new"] } } }, ["asst_1", "vs_new"]],
    ["createThread", { id: "thread_1", tool_resources: null }, ["thread_1"]],
    ["createThreadAndRun", { id: "run_1", object: "thread.run", thread_id: "thread_1" }, ["thread_1"]],
    [
      "createThreadAndRun",
      { id: "thread_1", object: "thread", tool_resources: { file_search: { vector_store_ids: ["vs_new"] } } },
      ["thread_1", "vs_new"],
    ],
    [
      "getMessage",
      {
        id: "m",
        role: "assistant",
        content: [
          { type: "image_file", image_file: { file_id: "f1" } },
          { type: "text", text: { value: "x", annotations: [{ file_path: { file_id: "f2" } }, { file_citation: { file_id: "f3" } }] } },
        ],
      },
      ["f1", "f2"],
    ],
    ["getMessage", { id: "m", role: "user", content: [{ type: "image_file", image_file: { file_id: "f1" } }] }, []],
  ])("are made by %s", (id, answer, ids) => expect(routeOf(id).owned?.made?.(answer)).toEqual(ids));
});

const event = (name: string, data: Json): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const piece = (value: string): string =>
  event("thread.message.delta", { id: "m", delta: { content: [{ index: 0, type: "text", text: { value } }] } });
const message = (value: string): Json => ({ id: "m", role: "assistant", content: [{ type: "text", text: { value, annotations: [] } }] });
const DONE = "event: done\ndata: [DONE]\n\n";

describe("the events of a run", () => {
  const wire =
    event("thread.run.created", { id: "r" }) +
    piece("the sal") +
    piece("ary") +
    event("thread.message.completed", message("the salary")) +
    DONE;
  test("are the messages that they spell, and the calls that are waited for", async () => {
    const body = { data: [message("the salary")] };
    expect(await runEvents.read(wire, "text/event-stream")).toEqual(body);
    expect(await runEvents.read(wire.replaceAll("\n", "\r\n"), "text/event-stream")).toEqual(body);
    expect(await runEvents.read(piece("the sal") + piece("ary"), "text/event-stream")).toEqual(body); // cut before its end
    expect(await runEvents.read(event("thread.run.requires_action", WAITS), "text/event-stream")).toEqual({ data: [], ...WAITS });
  });
  test("say what a guardrail made of a message, once whole and once in one piece", async () => {
    const changed = await runEvents.write({ data: [message("the ***")] }, wire, "text/event-stream");
    expect(changed).not.toContain("sal");
    expect(changed).toBe(
      event("thread.run.created", { id: "r" }) +
        event("thread.message.delta", {
          id: "m",
          delta: { content: [{ index: 0, type: "text", text: { value: "the ***", annotations: [] } }] },
        }) +
        event("thread.message.completed", message("the ***")) +
        DONE,
    );
  });
  test("say no piece of a call that a guardrail changed", async () => {
    const before = event("thread.run.step.delta", { delta: CALL }) + event("thread.run.requires_action", {});
    const [first] = String(await runEvents.write(WAITS, before, "text/event-stream")).split("\n\n");
    expect(first).toBe(`event: thread.run.requires_action\ndata: ${JSON.stringify(WAITS)}`);
  });
});

describe("the usage of a streamed run", () => {
  const USED = { prompt_tokens: 40, completion_tokens: 2, total_tokens: 42 };
  const end = (run: Json): string => event("thread.run.completed", run) + DONE;
  test.each<[string, string]>([
    [
      "its last event",
      event("thread.run.step.completed", { usage: { prompt_tokens: 1, completion_tokens: 1 } }) + end({ usage: USED, model: "m" }),
    ],
    [
      "an event whose beginning is missing",
      end({ instructions: 'a "text" \\" with { and [', usage: USED, tools: [{ usage: {} }] }).slice(60),
    ],
    ["an event that ended too early", event("thread.run.incomplete", { usage: USED }) + DONE],
    [
      "the run, and no schema of the client's",
      end({ usage: USED, response_format: { usage: { prompt_tokens: 1, completion_tokens: 1 } } }),
    ],
    ["the run, before schemas of the client's", end({ metadata: { usage: { prompt_tokens: 1, completion_tokens: 1 } }, usage: USED })],
    ["lines of any end", end({ usage: USED }).replaceAll("\n", "\r\n")],
  ])("is what is said by %s", (_, tail) => expect(runUsageAtEnd(tail)).toEqual({ input: 40, output: 2 }));
  test.each<[string, string, string | undefined]>([
    ["stands beside it", end({ model: "gpt-x", usage: USED, metadata: { model: "gpt-y" } }), "gpt-x"],
    ["is not what the client calls so", end({ metadata: { model: "gpt-y" }, usage: USED }), undefined],
    ["is not known where the run says none", end({ model: null }), undefined],
  ])("its model %s", (_, tail, model) => expect(runModelAtEnd(tail)).toBe(model));
  test.each<[string, string]>([
    ["nothing came", ""],
    ["it waits for a tool", event("thread.run.requires_action", { usage: null }) + DONE],
    ["its last event is cut", end({ usage: USED }).slice(0, 60)],
    ["it is no JSON", 'event: thread.run.completed\ndata: {"usage":{"prompt_tokens":}}\n\n'],
    ["a step alone says one", event("thread.run.step.completed", { usage: USED }) + DONE],
  ])("is unknown where %s", (_, tail) => expect(runUsageAtEnd(tail)).toBeUndefined());
});
