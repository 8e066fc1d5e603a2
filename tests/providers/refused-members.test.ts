import { describe, expect, test } from "bun:test";
import { GatewayError, type Json } from "#contract";
import {
  adapterOf,
  ANTHROPIC,
  asking,
  BEDROCK,
  CLAUDE,
  EVERY,
  GEMINI,
  GOOGLE,
  named,
  NOVA,
  type OwnWire,
  refusal,
  sent,
  VERTEX,
  VERTEX_CLAUDE,
} from "./own-wires.ts";

const hi = { role: "user", content: "Hi" };
const custom = { type: "custom", custom: { name: "patch", description: "Writes a patch." } };
const fn = (name: string, more: Json = {}): Json => ({ type: "function", function: { name, ...more } });
const NOT_GEMINI = [...CLAUDE, NOVA];

/** What would be lost in silence: the providers that have it nowhere, the body, and the member that is named. */
const REFUSED: readonly (readonly [string, readonly OwnWire[], Json, string])[] = [
  ["several choices", NOT_GEMINI, { n: 2 }, "n"],
  ["log probabilities", NOT_GEMINI, { logprobs: true }, "logprobs"],
  ["a spoken answer", NOT_GEMINI, { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } }, "modalities"],
  ["functions of before tools", EVERY, { functions: [{ name: "now" }] }, "functions"],
  ["a choice of such a function", EVERY, { function_call: { name: "now" } }, "function_call"],
  ["a tool with free text", EVERY, { tools: [custom] }, "tools"],
  ["a choice of such a tool", EVERY, { tools: [fn("now")], tool_choice: { type: "custom", custom: { name: "patch" } } }, "tool_choice"],
  ["a choice of an unknown kind", EVERY, { tools: [fn("now")], tool_choice: { type: "of_tomorrow" } }, "tool_choice"],
  [
    "a called function of before tools",
    EVERY,
    { messages: [hi, { role: "assistant", content: null, function_call: { name: "now", arguments: "{}" } }] },
    "messages",
  ],
  [
    "a call of a tool with free text",
    EVERY,
    { messages: [hi, { role: "assistant", tool_calls: [{ id: "a", type: "custom", custom: { name: "patch", input: "x" } }] }] },
    "messages",
  ],
  [
    "an answer to a function of before tools",
    NOT_GEMINI,
    { messages: [hi, { role: "function", name: "now", content: "noon" }] },
    "messages",
  ],
  [
    "speech",
    NOT_GEMINI,
    { messages: [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }] }] },
    "messages",
  ],
  [
    "a file kept at OpenAI",
    [VERTEX_CLAUDE, BEDROCK, NOVA, ...GEMINI],
    { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "file-1" } }] }] },
    "messages",
  ],
  ["a blank to stop at", CLAUDE, { stop: ["END", "\n"] }, "stop"],
  ["an effort that nobody knows", EVERY, { reasoning_effort: "utmost" }, "reasoning_effort"],
  ["sound in a format it does not write", GEMINI, { modalities: ["audio"], audio: { voice: "Kore", format: "mp3" } }, "audio"],
  ["a search of the web", [BEDROCK, NOVA], { web_search_options: {} }, "web_search_options"],
];

describe("a chat request that holds what a provider has nowhere is refused by the member's name:", () => {
  for (const [what, wires, body, member] of REFUSED)
    test.each(named(wires))(`${what}, by %s`, (_name, wire) => {
      const thrown = refusal(wire, body);
      expect(thrown).toBeInstanceOf(GatewayError);
      expect(thrown).toMatchObject({ code: "REQUEST_INVALID", param: member });
    });
  test("and its sentence says who does not have it, and what", () => {
    expect(refusal(ANTHROPIC, { n: 2 })).toMatchObject({ message: expect.stringContaining("n") });
    expect(String((refusal(ANTHROPIC, { n: 2 }) as Error).message)).toContain("anthropic");
    expect(
      String(
        (refusal(BEDROCK, { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "file-1" } }] }] }) as Error).message,
      ),
    ).toContain("file_id");
  });
});

describe("what says nothing is not refused:", () => {
  const silent: Json = {
    n: 1,
    logprobs: false,
    modalities: ["text"],
    functions: null,
    function_call: null,
    stop: null,
    seed: 1,
    logit_bias: {},
    store: true,
    verbosity: "low",
    prediction: { type: "content", content: "Hi" },
  };
  test.each(named(EVERY))("by %s", (_name, wire) => expect(refusal(wire, silent)).toBeNull());
  test.each(named(EVERY))("a choice of a function whose type is left out is one for %s", (_name, wire) => {
    const choice = { function: { name: "now" } };
    expect(sent(wire, { tools: [fn("now")], tool_choice: choice })).toEqual(
      sent(wire, { tools: [fn("now")], tool_choice: { type: "function", ...choice } }),
    );
  });
  test.each(named([NOVA, ...GEMINI]))("a blank stops %s", (_name, wire) =>
    expect(JSON.stringify(sent(wire, { stop: ["\n"] }))).toContain('["\\n"]'),
  );
  test.each(named(CLAUDE))("an empty text to stop at says nothing to %s", (_name, wire) => {
    expect(JSON.stringify(sent(wire, { stop: ["", "END"] }))).toContain('["END"]');
    expect(sent(wire, { stop: "" })).toEqual(sent(wire, {}));
  });
  test.each(named(GEMINI))("several choices and log probabilities are carried to %s", (_name, wire) =>
    expect(sent(wire, { n: 2, logprobs: true, top_logprobs: 3 }).generationConfig).toEqual({
      candidateCount: 2,
      responseLogprobs: true,
      logprobs: 3,
    }),
  );
});

describe("allowed_tools", () => {
  const body = (mode: string): Json => ({
    tools: [fn("now"), fn("weather")],
    tool_choice: { type: "allowed_tools", allowed_tools: { mode, tools: [{ type: "function", function: { name: "now" } }] } },
  });
  test.each(named(EVERY))("are the only tools that %s is offered", (_name, wire) => {
    expect(sent(wire, body("auto"))).toEqual(sent(wire, { tools: [fn("now")], tool_choice: "auto" }));
    expect(sent(wire, body("required"))).toEqual(sent(wire, { tools: [fn("now")], tool_choice: "required" }));
  });
});

test.each(named(EVERY))("allowed_tools that are none of the tools are refused for %s, not forgotten", (_name, wire) => {
  const tool_choice = { type: "allowed_tools", allowed_tools: { mode: "required", tools: [fn("day")] } };
  expect(refusal(wire, { tools: [fn("now")], tool_choice })).toMatchObject({ code: "REQUEST_INVALID", param: "tool_choice" });
});

describe("a conversation of system messages alone", () => {
  test.each(named(EVERY))("is what %s is asked, for it wants a question", (_name, wire) => {
    expect(sent(wire, { messages: [{ role: "system", content: "Say hi." }] })).toEqual(
      sent(wire, { messages: [{ role: "user", content: "Say hi." }] }),
    );
    expect(sent(wire, { messages: [{ role: "developer", content: "Say hi." }] })).toEqual(
      sent(wire, { messages: [{ role: "user", content: "Say hi." }] }),
    );
  });
});

describe("a file that Anthropic keeps", () => {
  const messages = [{ role: "user", content: [{ type: "file", file: { file_id: "file_1" } }] }];
  const headers = (anthropic_beta?: unknown): unknown => {
    const wire = { ...ANTHROPIC, fields: { anthropic_beta } };
    return adapterOf(wire).headers?.({ model: wire.model, messages }, asking(wire, wire.model));
  };
  test("is named, and the beta that reads it is asked for beside the client's own", () => {
    expect(sent(ANTHROPIC, { messages }).messages).toEqual([
      { role: "user", content: [{ type: "document", source: { type: "file", file_id: "file_1" } }] },
    ]);
    expect(headers()).toEqual({ "anthropic-beta": "files-api-2025-04-14" });
    expect(headers("a,b")).toEqual({ "anthropic-beta": "a,b,files-api-2025-04-14" });
    expect(headers(["files-api-2025-04-14"])).toEqual({ "anthropic-beta": "files-api-2025-04-14" });
    expect(adapterOf(ANTHROPIC).headers?.({ messages: [hi] }, asking(ANTHROPIC, ANTHROPIC.model)) ?? {}).toEqual({});
  });
  test("an address is Google's form of a kept file", () => {
    const file_id = "https://generativelanguage.googleapis.com/v1beta/files/abc";
    expect(refusal(GOOGLE, { messages: [{ role: "user", content: [{ type: "file", file: { file_id } }] }] })).toBeNull();
    expect(
      refusal(VERTEX, { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "gs://bucket/a.pdf" } }] }] }),
    ).toBeNull();
    expect(refusal(NOVA, { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "s3://bucket/a.pdf" } }] }] })).toBeNull();
  });
});
