import { describe, expect, test } from "bun:test";
import type { AdapterInput, Json, OperationId, OutgoingRequest } from "#contract";
import plugin from "./index.ts";

const NOW = 1_767_225_600_000;
const { provides } = await plugin.setup({ log: () => undefined, now: () => NOW }, {});
const target = { fields: {}, apiKey: "", customHost: null, model: "m" };

function call(
  operation: OperationId,
  body: Json | null,
  more: Partial<AdapterInput> & { signal?: AbortSignal; request?: Partial<OutgoingRequest> } = {},
): Promise<Response> {
  const { signal = new AbortController().signal, request, ...rest } = more;
  const answer = provides.operations[operation]?.answer;
  if (!answer) throw new Error(`the sandbox does not serve ${operation}`);
  const ask: AdapterInput = { target, operation, path: "/", search: "", stream: body?.["stream"] === true, strict: true, ...rest };
  return answer(body, ask, signal, { method: "POST", url: "https://sandbox.invalid/v1", headers: new Headers(), body: null, ...request });
}
const chat = (more: Json, signal?: AbortSignal): Promise<Response> =>
  call(
    "chatComplete",
    { model: "sandbox-echo", messages: [{ role: "user", content: "Hello there, world" }], ...more },
    signal && { signal },
  );
const json = async (response: Promise<Response>): Promise<Json> => (await (await response).json()) as Json;
const frames = (wire: string): string[] => wire.split("\n\n").filter((frame) => frame !== "");
const WEATHER = {
  type: "function",
  function: {
    name: "weather",
    parameters: {
      type: "object",
      required: ["city", "days"],
      properties: { city: { type: "string", enum: ["Oslo", "Rome"] }, days: { type: "integer" } },
    },
  },
};

describe("chat", () => {
  test("echoes the last user message and counts its tokens", async () => {
    expect(await json(chat({}))).toMatchObject({
      object: "chat.completion",
      created: NOW / 1000,
      model: "sandbox-echo",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello there, world" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
    });
  });
  test("the same request gives the same bytes, another one another id", async () => {
    const [one, two, other] = await Promise.all([chat({}), chat({}), chat({ seed: 2 })].map(async (response) => (await response).text()));
    expect(one).toBe(two ?? "");
    expect(JSON.parse(one ?? "").id).not.toBe(JSON.parse(other ?? "").id);
  });
  test("a stream says the same in pieces, with usage only when asked", async () => {
    const plain = frames(await (await chat({ stream: true })).text());
    const texts = plain.slice(0, -1).map((frame) => JSON.parse(frame.slice(6)).choices[0].delta.content ?? "");
    expect(texts.join("")).toBe("Hello there, world");
    expect(texts.length).toBeGreaterThan(3);
    expect(plain.at(-1)).toBe("data: [DONE]");
    const counted = frames(await (await chat({ stream: true, stream_options: { include_usage: true } })).text());
    expect(JSON.parse(counted.at(-2)?.slice(6) ?? "")).toMatchObject({ choices: [], usage: { total_tokens: 10 } });
  });
  test("says it as often as it is asked for", async () => {
    const { choices, usage } = await json(chat({ n: 3 }));
    const said = { message: { role: "assistant", content: "Hello there, world", refusal: null }, logprobs: null, finish_reason: "stop" };
    expect(choices).toEqual([0, 1, 2].map((index) => ({ index, ...said })));
    expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 15, total_tokens: 20 });
    const streamed = frames(await (await chat({ n: 2, stream: true })).text());
    const texts = ["", ""];
    for (const frame of streamed.slice(0, -1)) {
      const [choice] = JSON.parse(frame.slice("data: ".length)).choices;
      texts[choice.index] += choice.delta.content ?? "";
    }
    expect(texts).toEqual(["Hello there, world", "Hello there, world"]);
    const called = await json(chat({ n: 2, tools: [WEATHER], tool_choice: "required" }));
    const ids = (called["choices"] as { message: { tool_calls: { id: string }[] } }[]).map(({ message }) => message.tool_calls[0]?.id);
    expect(new Set(ids).size).toBe(2);
    for (const n of [0, 129, 1.5, "2"]) expect((await chat({ n })).status).toBe(400);
  });
  test("says scripted text and thinks first", async () => {
    expect(await json(chat({ sandbox: { text: "Yes.", reasoning: "Hm, yes." } }))).toMatchObject({
      choices: [{ message: { content: "Yes.", reasoning_content: "Hm, yes." } }],
      usage: { completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 2 } },
    });
  });
  test.each([
    ["the model says so", { model: "sandbox-tool" }, '{"city":"Oslo","days":1}'],
    ["the prompt says so", { messages: [{ role: "user", content: 'please call weather {"city":"Rome"}' }] }, '{"city":"Rome"}'],
    ["tool_choice requires one", { tool_choice: "required" }, '{"city":"Oslo","days":1}'],
    ["tool_choice names it", { tool_choice: { type: "function", function: { name: "weather" } } }, '{"city":"Oslo","days":1}'],
    ["the script says so", { sandbox: { tool: { name: "weather", arguments: { city: "Rome" } } } }, '{"city":"Rome"}'],
  ])("calls a tool when %s", async (_, more, args) => {
    const body = await json(chat({ tools: [WEATHER], ...more }));
    expect(body).toMatchObject({
      choices: [
        {
          message: { content: null, tool_calls: [{ type: "function", function: { name: "weather", arguments: args } }] },
          finish_reason: "tool_calls",
        },
      ],
    });
  });
  test("answers with text after a tool's result, and without being asked for a tool", async () => {
    const after = {
      messages: [
        { role: "user", content: "call weather" },
        { role: "tool", tool_call_id: "1", content: "sunny" },
      ],
    };
    expect(await json(chat({ tools: [WEATHER], ...after }))).toMatchObject({
      choices: [{ message: { content: "The tool returned: sunny" } }],
    });
    expect(await json(chat({ tools: [WEATHER] }))).toMatchObject({ choices: [{ finish_reason: "stop" }] });
  });
  test("a streamed call comes in pieces", async () => {
    const wire = frames(await (await chat({ model: "sandbox-tool", tools: [WEATHER], stream: true })).text());
    const calls = wire.slice(0, -1).flatMap((frame) => JSON.parse(frame.slice(6)).choices[0].delta.tool_calls ?? []) as {
      id?: string;
      function: { arguments: string };
    }[];
    expect(calls.length).toBe(3);
    expect(calls.map((piece) => piece.function.arguments).join("")).toBe('{"city":"Oslo","days":1}');
  });
  test("gives the error it is asked for", async () => {
    const limited = await chat({ model: "sandbox-error-429" });
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await limited.json()).toMatchObject({ error: { type: "rate_limit_error" } });
    const teapot = await chat({ stream: true, sandbox: { error: { status: 418, message: "teapot", code: "c", retry_after: 9 } } });
    expect([teapot.status, teapot.headers.get("retry-after")]).toEqual([418, "9"]);
    expect(await teapot.json()).toMatchObject({ error: { message: "teapot", code: "c" } });
  });
  test("refuses a script it does not understand", async () => {
    const response = await chat({ sandbox: { latency: 5 } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: "sandbox", message: expect.stringContaining("sandbox.latency") } });
  });
  test("a cut stream ends without its marker, a cut body in its middle", async () => {
    const wire = await (await chat({ model: "sandbox-cut", stream: true })).text();
    expect(frames(wire)).toHaveLength(3);
    expect(wire).not.toContain("[DONE]");
    const whole = await (await chat({ model: "sandbox-cut" })).text();
    expect(() => JSON.parse(whole)).toThrow();
  });
  test("a reset breaks the stream, an error chunk ends it, an empty one says nothing", async () => {
    await expect((await chat({ model: "sandbox-reset", stream: true })).text()).rejects.toThrow("reset");
    const failed = frames(await (await chat({ model: "sandbox-error-chunk", stream: true })).text());
    expect(failed).toHaveLength(4);
    expect(JSON.parse(failed.at(-1)?.slice(6) ?? "")).toMatchObject({ error: { type: "server_error" } });
    expect(await (await chat({ model: "sandbox-empty", stream: true })).text()).toBe("");
  });
  test("huge outputs are made as they are read", async () => {
    const response = await chat({ sandbox: { chunks: 500_000 }, stream: true });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("assistant");
    await reader?.cancel();
    expect(frames(await (await chat({ sandbox: { chunks: 50 }, stream: true })).text())).toHaveLength(50 + 3);
  });
});

describe("leaving", () => {
  test("ends the wait before the first byte", async () => {
    const leave = new AbortController();
    const waiting = chat({ sandbox: { latency_ms: 60_000 } }, leave.signal);
    leave.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
  });
  test("ends a stream between its chunks", async () => {
    const leave = new AbortController();
    const reader = (await chat({ sandbox: { chunk_latency_ms: 60_000 }, stream: true }, leave.signal)).body?.getReader();
    await reader?.read();
    const next = reader?.read();
    leave.abort(new Error("left"));
    await expect(next).rejects.toThrow("left");
  });
});

describe("images", () => {
  const form = (fields: Readonly<Record<string, string | Blob>>): Partial<OutgoingRequest> => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.append(name, value);
    const encoded = new Response(data);
    const headers = new Headers({ "content-type": encoded.headers.get("content-type") ?? "" }); // known until the body is taken
    return { headers, body: encoded.body };
  };
  const image = new Blob([new Uint8Array([137, 80, 78, 71])], { type: "image/png" });

  test("edits give n images as links or as data", async () => {
    const links = await json(call("imageEdit", null, { request: form({ image, prompt: "a hat", n: "3" }) }));
    expect(links).toMatchObject({
      created: NOW / 1000,
      data: [{ url: expect.stringMatching(/^https:/), revised_prompt: "a hat" }, {}, {}],
    });
    const data = await json(call("imageEdit", null, { request: form({ image, prompt: "a hat", response_format: "b64_json" }) }));
    expect(atob((data["data"] as { b64_json: string }[])[0]?.b64_json ?? "").slice(1, 4)).toBe("PNG");
  });
  test.each([
    [{ prompt: "x" }, "image"],
    [{ image }, "prompt"],
    [{ image, prompt: "x", n: "11" }, "n"],
    [{ image, prompt: "x", size: "12x12" }, "size"],
    [{ image, prompt: "x", response_format: "gif" }, "response_format"],
  ])("an edit without what it needs is refused (%#)", async (fields, param) => {
    const response = await call("imageEdit", null, { request: form(fields) });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param } });
  });
  test("a form that is larger than an image may be is refused, and not read to its end", async () => {
    const large = new Blob([new Uint8Array(5 * 1024 * 1024)]);
    for (const fields of [
      { image: large, prompt: "x" },
      { image, prompt: "x".repeat(large.size) },
    ]) {
      const response = await call("imageEdit", null, { request: form(fields) });
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("up to 4 MB") } });
    }
    let pulled = 0;
    const endless = new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(1024 * 1024).fill((pulled += 1))) });
    const request = { body: endless, headers: new Headers({ "content-type": "multipart/form-data; boundary=x" }) };
    expect((await call("imageEdit", null, { request })).status).toBe(413);
    expect(pulled).toBeLessThan(10);
  });
  test("a body that is no form is refused", async () => expect((await call("imageEdit", {})).status).toBe(400));
  test("generation takes the same members as JSON", async () =>
    expect((await json(call("imageGenerate", { prompt: "x", n: 2 })))["data"]).toHaveLength(2));
});

describe("batches", () => {
  test("a created batch can be told from its request", async () => {
    const body = { input_file_id: "file-1", metadata: { a: "b" } };
    const [one, two] = [await json(call("createBatch", body)), await json(call("createBatch", body))];
    expect(one).toEqual(two);
    expect(one).toMatchObject({
      object: "batch",
      status: "validating",
      input_file_id: "file-1",
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
      metadata: { a: "b" },
    });
    expect((await call("createBatch", {})).status).toBe(400);
  });
  test("its id says how a batch stands", async () => {
    for (const status of ["completed", "failed", "in_progress", "cancelled", "expired"])
      expect(await json(call("retrieveBatch", null, { path: `/batches/batch_7_${status}` }))).toMatchObject({
        id: `batch_7_${status}`,
        status,
      });
    for (const id of ["batch_missing", "file-1"]) expect((await call("retrieveBatch", null, { path: `/batches/${id}` })).status).toBe(404);
  });
  test("lists, cancels and hands out the output", async () => {
    expect(await json(call("listBatches", null, { search: "?limit=2" }))).toMatchObject({
      object: "list",
      first_id: "batch_3",
      last_id: "batch_2",
      has_more: true,
    });
    expect(await json(call("cancelBatch", null, { path: "/batches/batch_1/cancel" }))).toMatchObject({ status: "cancelling" });
    const output = await call("getBatchOutput", null, { path: "/batches/batch_1/output" });
    expect(output.headers.get("content-type")).toBe("application/octet-stream");
    expect(
      (await output.text())
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).custom_id),
    ).toEqual(["request-1", "request-2"]);
    expect((await call("getBatchOutput", null, { path: "/batches/batch_1_failed/output" })).status).toBe(404);
  });
});

describe("lists", () => {
  const ids = async (search: string): Promise<unknown[]> =>
    ((await json(call("listVectorStoreFiles", null, { path: "/vector_stores/vs_1/files", search })))["data"] as Json[]).map(
      (file) => file["id"],
    );
  test("vector store files are ordered, filtered and paged", async () => {
    expect(await ids("")).toEqual(["file-5", "file-4", "file-3", "file-2", "file-1"]);
    expect(await ids("?order=asc&limit=2&after=file-2")).toEqual(["file-3", "file-4"]);
    expect(await ids("?order=asc&before=file-3")).toEqual(["file-1", "file-2"]);
    expect(await ids("?filter=completed")).toEqual(["file-3", "file-1"]);
    expect(await ids("?filter=failed")).toEqual(["file-4"]);
  });
  test("an unknown store and a bad limit are refused", async () => {
    expect((await call("listVectorStoreFiles", null, { path: "/vector_stores/vs_missing/files" })).status).toBe(404);
    expect((await call("listAssistants", null, { path: "/assistants", search: "?limit=0" })).status).toBe(400);
  });
  test("assistants and models", async () => {
    expect(await json(call("listAssistants", null, { path: "/assistants" }))).toMatchObject({
      object: "list",
      first_id: "asst_3",
      last_id: "asst_1",
      has_more: false,
    });
    expect(((await json(call("listModels", null)))["data"] as Json[]).map((model) => model["id"])).toContain("sandbox-echo");
  });
  test("a response is read, cancelled, listed and deleted, a missing one is not found", async () => {
    expect(await json(call("deleteModelResponse", null, { path: "/responses/resp_1" }))).toEqual({
      id: "resp_1",
      object: "response",
      deleted: true,
    });
    expect(await json(call("getModelResponse", null, { path: "/responses/resp_1" }))).toMatchObject({ id: "resp_1", status: "completed" });
    expect(await json(call("cancelModelResponse", null, { path: "/responses/resp_1/cancel" }))).toMatchObject({ status: "cancelled" });
    const items = await json(call("listResponseInputItems", null, { path: "/responses/resp_1/input_items" }));
    expect(items).toMatchObject({ object: "list", data: [{ id: "msg_1" }], has_more: false });
    const missing = await call("deleteModelResponse", null, { path: "/responses/resp_missing" });
    expect([missing.status, ((await missing.json()) as Json)["error"]]).toEqual([
      404,
      { message: "Response with id 'resp_missing' not found.", type: "invalid_request_error", param: "response_id", code: "not_found" },
    ]);
  });
});
