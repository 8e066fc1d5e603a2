import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Adapter, type Host, isJson, type Json, type Manifest, type Need, type Target } from "#contract";
import { interpret } from "../../providers/openai-compatible/index.ts";
import { ask } from "../kit/provider.ts";

/* How answers that stray from the OpenAI wire are put right. */

const HOST = { log: () => undefined, now: () => 0 } as unknown as Host<Need>; // these plugins ask for no handle
const TARGET: Target = { fields: {}, apiKey: "k", customHost: null, model: "m" };
const manifestOf = (id: string): Manifest =>
  JSON.parse(readFileSync(join(import.meta.dir, "../../providers", id, "manifest.json"), "utf8")) as Manifest;
const chatOf = async (id: string): Promise<Adapter> =>
  (await interpret(manifestOf(id)).setup(HOST, {})).provides.operations.chatComplete ?? expect.unreachable();

/* ── answers ─────────────────────────────────────────────────────────────────────────────────────────────────── */

function firstChoice(answer: Json | undefined, member: "message" | "delta"): Json {
  const choices = answer?.["choices"];
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isJson(choice) && isJson(choice[member]) ? choice[member] : expect.unreachable();
}
const whole = async (message: Json, strict = true): Promise<Json> => {
  const answer = { choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }] };
  const read = (await chatOf("mistral-ai")).response?.(answer, ask("chatComplete", TARGET, { strict }));
  return firstChoice(read, "message");
};
/** The deltas of one stream after the other, as its client gets them. */
const streamed = async (deltas: readonly Json[], strict = true): Promise<Json[]> => {
  const { chunk } = await chatOf("mistral-ai");
  const memory: Json = {};
  return deltas.map((delta) => {
    const read = chunk?.(
      { choices: [{ index: 0, delta, finish_reason: null }] },
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
