import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Adapter, type Host, isJson, type Json, type Manifest, type Need, type Target } from "#contract";
import { interpret } from "../../providers/openai-compatible/index.ts";
import { REFUSED, refusedBy } from "../../providers/wires/openai/refused.ts";
import { without } from "../../providers/wires/openai/without.ts";
import { ask } from "../kit/provider.ts";

/* What vendors of the OpenAI wire refuse, and how answers that stray from it are put right. */

const HOST = { log: () => undefined, now: () => 0 } as unknown as Host<Need>; // these plugins ask for no handle
const TARGET: Target = { fields: {}, apiKey: "k", customHost: null, model: "m" };
const manifestOf = (id: string): Manifest =>
  JSON.parse(readFileSync(join(import.meta.dir, "../../providers", id, "manifest.json"), "utf8")) as Manifest;
const chatOf = async (id: string): Promise<Adapter> =>
  (await interpret(manifestOf(id)).setup(HOST, {})).provides.operations.chatComplete ?? expect.unreachable();
const sentBy = async (id: string, body: Json): Promise<Json> => (await chatOf(id)).request?.(body, ask("chatComplete", TARGET)) ?? body;

describe("what a vendor refuses", () => {
  const ASKED = { role: "user", content: "And?" };
  const SPOKEN = { role: "assistant", content: "Hi", tool_calls: [{ id: "a", function: { name: "f", arguments: "{}" } }] };

  test("is left out wherever the table says, and nothing else is", () => {
    const drop = without({
      "": ["a"],
      messages: ["b"],
      "messages[user]": ["name"],
      "messages.tool_calls.function": ["c"],
      "messages.content": ["d"],
    });
    expect(
      drop({
        a: 1,
        b: 1,
        messages: [
          { role: "user", name: "ada", b: 1, d: 1, content: [{ type: "text", text: "x", d: 1, b: 1 }] },
          { role: "tool", name: "f", tool_calls: [{ c: 1, function: { c: 1, name: "f" } }] },
          "no message",
        ],
      }),
    ).toEqual({
      b: 1,
      messages: [
        { role: "user", d: 1, content: [{ type: "text", text: "x", b: 1 }] },
        { role: "tool", name: "f", tool_calls: [{ c: 1, function: { name: "f" } }] },
        "no message",
      ],
    });
  });

  test.each(Object.keys(REFUSED))("by %s: a body without any is sent as it came", (vendor) => {
    const body = { model: "m", messages: [SPOKEN, { role: "tool", tool_call_id: "a", content: "1" }], tools: [{ type: "function" }] };
    expect(without(refusedBy(vendor))(body)).toBe(body);
  });

  test.each([
    ["openai", ["reasoning_content", "content_blocks", "reasoning", "reasoning_details"]],
    ["azure-openai", ["reasoning_content", "content_blocks", "reasoning", "reasoning_details"]],
    ["mistral-ai", ["reasoning_content", "content_blocks", "refusal", "annotations", "audio", "function_call", "reasoning"]],
    ["groq", ["reasoning_content", "content_blocks", "refusal", "annotations", "audio", "function_call"]],
    ["cerebras", ["reasoning_content", "content_blocks"]],
    ["together-ai", ["content_blocks"]],
  ])("%s is not sent these members of an earlier turn: %j", (vendor, members) => {
    const strays = Object.fromEntries(members.map((member) => [member, null]));
    expect(without(refusedBy(vendor))({ messages: [{ ...SPOKEN, ...strays, x_new: 1 }] })).toEqual({ messages: [{ ...SPOKEN, x_new: 1 }] });
  });

  test("is judged by the role that the vendor knows", async () => {
    expect(await sentBy("mistral-ai", { messages: [{ role: "developer", name: "ada", content: "Hi" }, ASKED] })).toEqual({
      messages: [{ role: "system", content: "Hi" }, ASKED],
    });
  });
  test.each(["mistral-ai", "groq"])("%s is told a refusal of an earlier turn as what was said", async (vendor) => {
    const refused = { role: "assistant", content: null, refusal: "No." };
    expect(await sentBy(vendor, { messages: [refused, { ...refused, content: "Hm." }, { ...refused, refusal: null }, ASKED] })).toEqual({
      messages: [{ role: "assistant", content: "No." }, { role: "assistant", content: "Hm." }, ASKED],
    });
  });
  test("a server that may be any is sent everything", () => {
    const body = { store: true, messages: [{ ...SPOKEN, content_blocks: [], reasoning_content: "hm" }] };
    expect(without(refusedBy("openai-compatible"))(body)).toBe(body);
  });

  test("what would be missed is not left out: the vendor's refusal names it", async () => {
    const body = { messages: [], functions: [{ name: "f" }], audio: { voice: "alloy" } };
    expect(await sentBy("mistral-ai", body)).toBe(body);
  });
});

describe("ids of tool calls for a vendor that wants nine letters and digits", () => {
  const turns = (id: string): Json => ({
    messages: [
      { role: "assistant", tool_calls: [{ id, type: "function", function: { name: "f", arguments: "{}" } }] },
      { role: "tool", tool_call_id: id, content: "1" },
    ],
  });
  const idsIn = (body: Json): unknown[] =>
    (body["messages"] as Json[]).flatMap((message) => [
      ...((message["tool_calls"] ?? []) as Json[]).map((call) => call["id"]),
      ...(message["tool_call_id"] === undefined ? [] : [message["tool_call_id"]]),
    ]);

  test.each(["call_W4h0vGf2mN1q8sXz", "toolu_01A", "", "short", "ten-chars.", "überlang🙂"])(
    "%j is rewritten, the same in call and result",
    async (id) => {
      const [call, result] = idsIn(await sentBy("mistral-ai", turns(id)));
      expect(call).toMatch(/^[a-zA-Z0-9]{9}$/);
      expect(result).toBe(call);
      expect(idsIn(await sentBy("mistral-ai", turns(id)))).toEqual([call, call]);
    },
  );
  test("different ids stay different, and the vendor's own stay as they are", async () => {
    const [first] = idsIn(await sentBy("mistral-ai", turns("call_1")));
    const [second] = idsIn(await sentBy("mistral-ai", turns("call_2")));
    expect(first).not.toBe(second);
    const own = turns("gSIMJiOkT");
    expect(await sentBy("mistral-ai", own)).toBe(own);
  });
});

describe("a schema for a vendor that takes none", () => {
  const asking = (messages: readonly Json[], model = "m"): Json => ({
    model,
    messages,
    response_format: {
      type: "json_schema",
      json_schema: { name: "place", description: "A city", strict: true, schema: { type: "object" } },
    },
  });
  test("stands behind the system messages, and JSON is asked for", async () => {
    const sent = await sentBy(
      "deepseek",
      asking([
        { role: "system", content: "Be brief." },
        { role: "user", content: "Oslo" },
      ]),
    );
    expect(sent).toMatchObject({
      response_format: { type: "json_object" },
      messages: [
        { role: "system", content: "Be brief." },
        { role: "system", content: expect.stringMatching(/JSON object named place \(A city\)[\s\S]*\{"type":"object"\}$/) },
        { role: "user", content: "Oslo" },
      ],
    });
  });
  test("is in the prompt where there are only system messages, too", async () => {
    const { messages } = (await sentBy("deepseek", asking([{ role: "system", content: "Oslo" }]))) as { messages: Json[] };
    expect(messages.map(({ role }) => role)).toEqual(["system", "system"]);
  });
  test("other formats travel as they are", async () => {
    for (const type of ["json_object", "text"]) {
      const body = { messages: [], response_format: { type } };
      expect(await sentBy("deepseek", body)).toBe(body);
    }
  });
  test("models that take schemas get them", async () => {
    const body = asking([], "kimi-k2-thinking");
    expect(await sentBy("moonshot", body)).toBe(body);
    expect(await sentBy("moonshot", asking([], "moonshot-v1-8k"))).toMatchObject({ response_format: { type: "json_object" } });
  });
});

describe("what deepseek has thought", () => {
  const CALL = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const conversation = (model: string): Json => ({
    model,
    messages: [
      { role: "user", content: "1" },
      { role: "assistant", content: "one", reasoning_content: "earlier" },
      { role: "user", content: "2" },
      { role: "assistant", content: null, tool_calls: [CALL], reasoning_content: "in this turn" },
      { role: "tool", tool_call_id: "a", content: "x" },
      { role: "assistant", content: null, tool_calls: [CALL] },
      { role: "tool", tool_call_id: "a", content: "y" },
    ],
  });
  const thoughts = async (model: string): Promise<unknown[]> =>
    ((await sentBy("deepseek", conversation(model)))["messages"] as Json[])
      .filter(({ role }) => role === "assistant")
      .map((message) => message["reasoning_content"]);
  test("goes back to it within the turn alone", async () => {
    expect(await thoughts("deepseek-reasoner")).toEqual([undefined, "in this turn", undefined]);
  });
  test("goes back always to models that want it so, empty where another vendor has answered", async () => {
    expect(await thoughts("deepseek-v4-pro")).toEqual(["earlier", "in this turn", ""]);
  });
  test("is not looked for where there is none", async () => {
    const body = {
      model: "deepseek-chat",
      messages: [
        { role: "user", content: "1" },
        { role: "assistant", content: "one" },
      ],
    };
    expect(await sentBy("deepseek", body)).toBe(body);
  });
});

/* ── answers ─────────────────────────────────────────────────────────────────────────────────────────────────── */

function firstChoice(answer: Json | undefined, member: "message" | "delta"): Json {
  const choices = answer?.["choices"];
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isJson(choice) && isJson(choice[member]) ? choice[member] : expect.unreachable();
}
const whole = async (message: Json, strict = true): Promise<Json> => {
  const answer = { id: "chatcmpl-1", choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }] };
  const read = (await chatOf("mistral-ai")).response?.(answer, ask("chatComplete", TARGET, { strict }));
  return firstChoice(read, "message");
};
/** The deltas of one stream after the other, as its client gets them. */
const streamed = async (deltas: readonly Json[], strict = true): Promise<Json[]> => {
  const { chunk } = await chatOf("mistral-ai");
  const memory: Json = {};
  return deltas.map((delta) => {
    const read = chunk?.(
      { id: "chatcmpl-1", choices: [{ index: 0, delta, finish_reason: null }] },
      ask("chatComplete", TARGET, { stream: true, strict }),
      memory,
    );
    return firstChoice(read, "delta");
  });
};
const call = (id: string, args = "{}"): Json => ({ id, function: { name: "f", arguments: args } });
const THOUGHT = {
  type: "thinking",
  thinking: [
    { type: "text", text: "2+" },
    { type: "text", text: "2" },
  ],
};
const TEXT = { type: "text", text: "4" };

describe("a whole answer of mistral-ai", () => {
  test("has tool calls with a type, and content that is null where it says nothing", async () => {
    expect(await whole({ tool_calls: [call("a"), { ...call("b"), type: "function" }] })).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [
        { ...call("a"), type: "function" },
        { ...call("b"), type: "function" },
      ],
    });
  });
  test("has its content as a text; what was thought is not in a strict one", async () => {
    expect(await whole({ content: [THOUGHT, TEXT] })).toEqual({ role: "assistant", content: "4" });
  });
  test("has what was thought beside it when the client is not strict, in the parts' order", async () => {
    const reference = { type: "reference", reference_ids: [1] };
    expect(await whole({ content: [THOUGHT, TEXT, reference] }, false)).toEqual({
      role: "assistant",
      content: "4",
      reasoning_content: "2+2",
      content_blocks: [{ type: "thinking", thinking: "2+2" }, TEXT, reference],
    });
  });
  test("that is in the plain form passes as it came", async () => {
    const answer = {
      choices: [{ index: 0, message: { role: "assistant", content: "Hi", tool_calls: [{ ...call("a"), type: "function" }] } }],
    };
    expect((await chatOf("mistral-ai")).response?.(answer, ask("chatComplete", TARGET))).toBe(answer);
  });
});

describe("a streamed answer of mistral-ai", () => {
  const numbers = (deltas: readonly Json[]): unknown[] =>
    deltas.flatMap((delta) => ((delta["tool_calls"] ?? []) as Json[]).map(({ index, type, id }) => [index, type, id]));
  test("numbers its calls in the order of appearance, over chunks", async () => {
    const deltas = await streamed([{ tool_calls: [call("a"), call("b")] }, { content: "" }, { tool_calls: [call("c")] }]);
    expect(numbers(deltas)).toEqual([
      [0, "function", "a"],
      [1, "function", "b"],
      [2, "function", "c"],
    ]);
  });
  test("gives a call an id where it has none, so that its result can name it", async () => {
    const nameless = { function: { name: "f", arguments: "" } };
    const deltas = await streamed([{ tool_calls: [nameless] }, { tool_calls: [{ function: { arguments: "{}" } }] }]);
    expect(numbers(deltas)).toEqual([
      [0, "function", "call_chatcmpl-1_0"],
      [0, undefined, undefined],
    ]);
    const { tool_calls } = await whole({ content: null, tool_calls: [nameless, call("b")] });
    expect((tool_calls as Json[]).map(({ id }) => id)).toEqual(["call_chatcmpl-1_0", "b"]);
  });
  test("numbers no more calls than an answer may have: the rest is judged where it is read", async () => {
    const [delta] = await streamed([{ tool_calls: Array.from({ length: 600 }, (_, index) => call(`id${index}`)) }]);
    const indices = numbers([delta ?? {}]).map((piece) => (piece as unknown[])[0]);
    expect([indices[511], indices[512]]).toEqual([511, undefined]);
  });
  test("takes a piece without a name for the call whose index it has, whatever its id", async () => {
    const later = { index: 0, id: "late", function: { arguments: "{}" } };
    const deltas = await streamed([{ tool_calls: [{ ...call("a", ""), index: 0 }] }, { tool_calls: [later] }]);
    expect(numbers(deltas).map((piece) => (piece as unknown[])[0])).toEqual([0, 0]);
  });
  test("keeps pieces of one call together, whether they repeat its id or not", async () => {
    const piece = { function: { arguments: "1}" } };
    const deltas = await streamed([{ tool_calls: [call("a", "{")] }, { tool_calls: [piece] }, { tool_calls: [{ ...piece, id: "a" }] }]);
    expect(numbers(deltas)).toEqual([
      [0, "function", "a"],
      [0, undefined, undefined],
      [0, undefined, "a"],
    ]);
  });
  test("tells parallel calls apart that all have the index 0", async () => {
    const deltas = await streamed([{ tool_calls: [{ ...call("a"), index: 0 }] }, { tool_calls: [{ ...call("b"), index: 0 }] }]);
    expect(numbers(deltas)).toEqual([
      [0, "function", "a"],
      [1, "function", "b"],
    ]);
  });
  test("gives each piece to the call that it names, however they are mixed", async () => {
    const piece = (id: string) => ({ index: 0, id, function: { arguments: "}" } });
    const begun = ["a", "b"].map((id) => ({ tool_calls: [{ ...call(id, "{"), index: 0 }] }));
    const deltas = await streamed([...begun, { tool_calls: [piece("a")] }, { tool_calls: [piece("b")] }]);
    expect(numbers(deltas)).toEqual([
      [0, "function", "a"],
      [1, "function", "b"],
      [0, undefined, "a"],
      [1, undefined, "b"],
    ]);
  });
  test("has content as text; what was thought is not in a strict one", async () => {
    expect(await streamed([{ content: [THOUGHT] }, { content: [TEXT] }, { content: "!" }])).toEqual([
      { content: "" },
      { content: "4" },
      { content: "!" },
    ]);
  });
  test("has what was thought, and numbered blocks, when the client is not strict", async () => {
    expect(
      await streamed([{ content: "" }, { content: [THOUGHT] }, { content: [THOUGHT] }, { content: [TEXT] }, { content: "!" }], false),
    ).toEqual([
      { content: "" },
      { content: "", reasoning_content: "2+2", content_blocks: [{ index: 0, delta: { thinking: "2+2" } }] },
      { content: "", reasoning_content: "2+2", content_blocks: [{ index: 0, delta: { thinking: "2+2" } }] },
      { content: "4", content_blocks: [{ index: 1, delta: { text: "4" } }] },
      { content: "!", content_blocks: [{ index: 1, delta: { text: "!" } }] },
    ]);
  });
  test("in the plain form passes as it came", async () => {
    const { chunk } = await chatOf("mistral-ai");
    const plain = { choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: null }], usage: { total_tokens: 1 } };
    expect(chunk?.(plain, ask("chatComplete", TARGET, { stream: true }), {})).toBe(plain);
    expect(isJson(chunk?.({ choices: null }, ask("chatComplete", TARGET), {}))).toBeTrue();
  });
});

/* ── every provider of this wire ─────────────────────────────────────────────────────────────────────────────── */

const FOLDER = join(import.meta.dir, "../../providers");
const VENDORS = readdirSync(FOLDER).filter(
  (id) => existsSync(join(FOLDER, id, "manifest.json")) && manifestOf(id).extends === "openai-compatible",
);
describe("each vendor of the OpenAI wire", () => {
  test.each(VENDORS)("%s: is not sent what the gateway wrote for a provider of another wire", async (id) => {
    const said = {
      role: "assistant",
      content: "Hi",
      tool_calls: [{ id: "Ab3dE6gH9", type: "function", function: { name: "f", arguments: "{}" } }],
    };
    const ours = {
      ...said,
      content_blocks: [{ type: "text", text: "Hi" }],
      tool_calls: [{ ...said.tool_calls[0], function: { ...said.tool_calls[0]?.function, thought_signature: "c2ln" } }],
    };
    expect(await sentBy(id, { messages: [ours], x_new: 1 })).toEqual(await sentBy(id, { messages: [said], x_new: 1 }));
  });
  test.each(VENDORS)("%s: its tool calls have type and index, whole and streamed", async (id) => {
    const { response, chunk, strays } = await chatOf(id);
    expect(strays?.({ tools: [{ type: "function" }] })).toBeTrue();
    const choices = (member: string): Json => ({
      choices: [{ index: 0, [member]: { role: "assistant", content: "", tool_calls: [call("a")] } }],
    });
    const complete = { ...call("a"), type: "function" };
    expect(response?.(choices("message"), ask("chatComplete", TARGET))).toMatchObject({
      choices: [{ message: { tool_calls: [complete] } }],
    });
    expect(chunk?.(choices("delta"), ask("chatComplete", TARGET), {})).toMatchObject({
      choices: [{ delta: { tool_calls: [{ ...complete, index: 0 }] } }],
    });
  });
  test.each(VENDORS)("%s: its content is a text, whole and streamed", async (id) => {
    const { response, chunk } = await chatOf(id);
    const choices = (member: string): Json => ({ choices: [{ index: 0, [member]: { role: "assistant", content: [THOUGHT, TEXT] } }] });
    expect(response?.(choices("message"), ask("chatComplete", TARGET))).toMatchObject({ choices: [{ message: { content: "4" } }] });
    expect(chunk?.(choices("delta"), ask("chatComplete", TARGET), {})).toMatchObject({ choices: [{ delta: { content: "4" } }] });
  });
});
