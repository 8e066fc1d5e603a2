import { describe, expect, test } from "bun:test";
import { isJson, type Json } from "#contract";
import { ANTHROPIC, BEDROCK, CLAUDE, EVERY, named, NOVA, type OwnWire, sent, VERTEX_CLAUDE } from "./own-wires.ts";

const hi = { role: "user", content: "Hi" };
const now = { type: "function", function: { name: "now" } };
const called = (more: Json = {}): Json => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "a", type: "function", function: { name: "now", arguments: "{}" } }],
  ...more,
});
const result = { role: "tool", tool_call_id: "a", content: "noon" };
const THOUGHT = [{ type: "thinking", thinking: "Hm", signature: "s" }];

/** Claude's own members, wherever the wire has them. */
const own = (wire: Json): Json => (isJson(wire.additionalModelRequestFields) ? wire.additionalModelRequestFields : wire);
const thinking = (wire: OwnWire, body: Json): unknown => own(sent(wire, body)).thinking;
const limit = (wire: OwnWire, body: Json): unknown => {
  const { inferenceConfig, max_tokens } = sent(wire, body);
  return isJson(inferenceConfig) ? inferenceConfig.maxTokens : max_tokens;
};
const modelOf = ({ name }: OwnWire, plain: string): string => (name === "bedrock" ? `anthropic.${plain}-v1:0` : plain);

describe.each(named(CLAUDE))("%s, asked to reason and to use tools,", (_name, wire) => {
  const asked = (messages: readonly Json[], more: Json = {}): Json => ({
    tools: [now],
    reasoning_effort: "medium",
    max_tokens: 8000,
    messages,
    ...more,
  });
  const ENABLED = { type: "enabled", budget_tokens: 4000 };

  test("thinks in the first turn", () => expect(thinking(wire, asked([hi]))).toEqual(ENABLED));
  test("does not think on in a turn whose thoughts the client was not shown: the vendor would refuse it", () => {
    expect(thinking(wire, asked([hi, called(), result]))).toBeUndefined();
    expect(thinking(wire, asked([hi, called({ content: "Let me see." }), result]))).toBeUndefined();
    expect(thinking(wire, asked([hi, called()], { thinking: { type: "enabled", budget_tokens: 2000 } }))).toBeUndefined();
    expect(thinking(wire, asked([hi, called(), result, called(), result]))).toBeUndefined();
  });
  test("tunes again where it does not think", () => {
    const { inferenceConfig, temperature = isJson(inferenceConfig) ? inferenceConfig.temperature : undefined } = sent(
      wire,
      asked([hi, called(), result], { temperature: 0.5 }),
    );
    expect(temperature).toBe(0.5);
  });
  test("thinks on where the client gives its thoughts back, and in the turn after", () => {
    expect(thinking(wire, asked([hi, called({ content_blocks: THOUGHT }), result]))).toEqual(ENABLED);
    // the vendor itself thinks once a turn: what follows a result begins with a call
    expect(thinking(wire, asked([hi, called({ content_blocks: THOUGHT }), result, called(), result]))).toEqual(ENABLED);
    expect(thinking(wire, asked([hi, called(), result, { role: "assistant", content: "Noon." }, hi]))).toEqual(ENABLED);
  });
  test("calls the tool that must be called, and does not think: the vendor takes one of the two", () => {
    for (const tool_choice of ["required", { type: "function", function: { name: "now" } }]) {
      expect(thinking(wire, asked([hi], { tool_choice }))).toBeUndefined();
      expect(JSON.stringify(sent(wire, asked([hi], { tool_choice })))).toMatch(/"any"|"tool"|toolChoice/);
    }
    expect(thinking(wire, asked([hi], { tool_choice: "auto" }))).toEqual(ENABLED);
    expect(thinking(wire, asked([hi], { model: modelOf(wire, "claude-opus-4-6"), tool_choice: "required" }))).toBeUndefined();
  });
  test("decides itself in any turn, where the model can", () =>
    expect(thinking(wire, asked([hi, called(), result], { model: modelOf(wire, "claude-opus-4-6") }))).toEqual({ type: "adaptive" }));
});

describe.each(named(CLAUDE))("the budget of %s", (_name, wire) => {
  test.each([
    ["minimal", 10_000, 1024],
    ["low", 10_000, 2000],
    ["medium", 10_000, 5000],
    ["high", 10_000, 8000],
    ["xhigh", 10_000, 9000],
    ["max", 10_000, 9000],
  ])("for the effort %s is a share of the client's limit, which stays", (reasoning_effort, max_tokens, budget_tokens) => {
    expect(thinking(wire, { reasoning_effort, max_tokens })).toEqual({ type: "enabled", budget_tokens });
    expect(limit(wire, { reasoning_effort, max_tokens })).toBe(max_tokens);
  });
  test("is none where the limit leaves no room for the least there is", () => {
    expect(thinking(wire, { reasoning_effort: "high", max_tokens: 1024 })).toBeUndefined();
    expect(limit(wire, { reasoning_effort: "high", max_tokens: 1024 })).toBe(1024);
  });
  test("that the client set itself is added to a limit below it, up to the model's most", () => {
    expect(limit(wire, { thinking: { type: "enabled", budget_tokens: 2000 }, max_tokens: 500 })).toBe(2500);
    expect(limit(wire, { thinking: { type: "enabled", budget_tokens: 60_000 }, max_tokens: 50_000 })).toBe(64_000);
  });
});

describe.each(named(CLAUDE))("the effort of %s", (_name, wire) => {
  test.each([
    ["claude-opus-4-6", "minimal", "low"],
    ["claude-opus-4-6", "xhigh", "max"],
    ["claude-sonnet-4-6", "max", "max"],
    ["claude-opus-4-7", "xhigh", "xhigh"],
    ["claude-opus-5", "max", "max"],
    ["claude-sonnet-5", "medium", "medium"],
  ])("of %s for %s is %s", (plain, reasoning_effort, effort) => {
    const { output_config } = own(sent(wire, { model: modelOf(wire, plain), reasoning_effort }));
    // Vertex AI knows no output_config
    expect(output_config).toEqual(wire === VERTEX_CLAUDE ? undefined : { effort });
  });
});

describe.each(named([...CLAUDE, NOVA]))("a conversation with %s", (_name, wire) => {
  test("leaves out an assistant who said nothing", () => {
    for (const content of ["", " \n", null, [], [{ type: "text", text: "" }]])
      expect(sent(wire, { messages: [hi, { role: "assistant", content }, { role: "user", content: "So?" }] })).toEqual(
        sent(wire, { messages: [hi, { role: "user", content: "So?" }] }),
      );
  });
  test("begins an answer without the blank at its end", () => {
    const begun = (content: unknown): Json => sent(wire, { messages: [hi, { role: "assistant", content }] });
    expect(begun("The answer is: \n")).toEqual(begun("The answer is:"));
    expect(begun([{ type: "text", text: "The answer is: " }])).toEqual(begun([{ type: "text", text: "The answer is:" }]));
    const kept = { messages: [hi, { role: "assistant", content: "Yes. " }, hi] };
    expect(JSON.stringify(sent(wire, kept))).toContain('"Yes. "');
  });
});

describe("a strict tool", () => {
  const strict = {
    type: "function",
    function: {
      name: "w",
      strict: true,
      parameters: { type: "object", properties: { city: { type: "string", minLength: 1 } }, required: ["city"] },
    },
  };
  const closed = {
    type: "object",
    properties: { city: { type: "string", description: "(minLength: 1)" } },
    required: ["city"],
    additionalProperties: false,
  };
  test("is one for models of Claude that keep to schemas", () => {
    expect(sent(ANTHROPIC, { tools: [strict] }).tools).toEqual([{ name: "w", description: "", input_schema: closed, strict: true }]);
    expect(sent(BEDROCK, { tools: [strict] }).toolConfig).toEqual({
      tools: [{ toolSpec: { name: "w", inputSchema: { json: closed }, strict: true } }],
    });
  });
  test("is a plain one for the others, which know no such promise", () => {
    const plain = { ...strict, function: { ...strict.function, strict: undefined } };
    for (const wire of [VERTEX_CLAUDE, NOVA]) expect(sent(wire, { tools: [strict] })).toEqual(sent(wire, { tools: [plain] }));
    const model = "claude-sonnet-4-20250514";
    expect(sent(ANTHROPIC, { model, tools: [strict] })).toEqual(sent(ANTHROPIC, { model, tools: [plain] }));
  });
});

test.each(named([ANTHROPIC, BEDROCK]))("more strict tools than %s takes go without the promise", (_name, wire) => {
  const tools = Array.from({ length: 21 }, (_, at) => ({ type: "function", function: { name: `t${at}`, strict: true } }));
  expect(JSON.stringify(sent(wire, { tools: tools.slice(1) }))).toContain('"strict":true');
  expect(JSON.stringify(sent(wire, { tools }))).not.toContain("strict");
});

test.each(named([ANTHROPIC, VERTEX_CLAUDE]))("a search of the web is the vendor's own tool at %s", (_name, wire) => {
  const web_search_options = { user_location: { type: "approximate", approximate: { country: "NO" } } };
  const tool = { type: "web_search_20250305", name: "web_search", user_location: { type: "approximate", country: "NO" } };
  expect(sent(wire, { web_search_options })).toMatchObject({ tools: [tool] });
});

describe("json_object", () => {
  const body = { response_format: { type: "json_object" } };
  const name = "gateway_structured_answer";
  test.each(named([ANTHROPIC, VERTEX_CLAUDE]))("is the input of a tool that %s must call, for it has no such mode", (_name, wire) => {
    expect(sent(wire, body)).toMatchObject({ tools: [{ name, input_schema: { type: "object" } }], tool_choice: { type: "tool", name } });
    expect(thinking(wire, { ...body, reasoning_effort: "high" })).toBeUndefined();
  });
  test.each(named([BEDROCK, NOVA]))("is that on %s as well", (_name, wire) =>
    expect(sent(wire, body).toolConfig).toMatchObject({
      tools: [{ toolSpec: { name, inputSchema: { json: { type: "object" } } } }],
      toolChoice: { tool: { name } },
    }),
  );
});

test.each(named(EVERY))("%s is not asked for the same thing twice: a request is left as it came", (_name, wire) => {
  const messages = [{ role: "system", content: "A" }, hi, { role: "assistant", content: "B " }];
  const body = { tools: [now], tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [now] } }, messages };
  const before = JSON.stringify(body);
  sent(wire, body);
  expect(JSON.stringify(body)).toBe(before);
});

test.each(named(CLAUDE))("a model of %s that thinks always is asked for little of it, not for none", (_name, wire) => {
  const body = sent(wire, { model: modelOf(wire, "claude-fable-5"), reasoning_effort: "none" });
  expect(own(body).thinking).toBeUndefined();
  expect(own(body).output_config).toEqual(wire === VERTEX_CLAUDE ? undefined : { effort: "low" });
});
