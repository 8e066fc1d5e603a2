/**
 * Faults that one provider once had, each as a class that is tried on every provider: what a request asks for arrives or
 * is refused by name, what a vendor refuses of a conversation stays behind, and what it answers is what clients read.
 */
import { describe, expect, test } from "bun:test";
import { GatewayError, isJson, type Json } from "#contract";
import { collect } from "../../core/pipeline/stream/fold.ts";
import { chat } from "../../plugins/api/chat/dialect.ts";
import { verifies } from "../requirements/verifies.ts";
import { ANY_SERVER, AZURE, DECLARED, declared, EVERY_VENDOR, EVERY_WIRE, idsOfPlugins, OPENAI, OPENAI_LIKE } from "./every-wire.ts";
import {
  adapterOf,
  ANTHROPIC,
  asking,
  BEDROCK,
  CLAUDE,
  EVERY as OWN_WIRES,
  GEMINI,
  named,
  NOVA,
  type OwnWire,
  VERTEX_CLAUDE,
} from "./own-wires.ts";

const hi = { role: "user", content: "Hi" };
const fn = (name: string, more: Json = {}): Json => ({ type: "function", function: { name, ...more } });

/** The body that goes out, as its provider gets it. */
function sent(wire: OwnWire, body: Json): Json {
  const asked = { model: wire.model, messages: [hi], ...body };
  return adapterOf(wire).request?.(asked, asking(wire, wire.model)) ?? asked;
}
/** The same as a text, or the member that it is refused for. */
function sentOrRefused(wire: OwnWire, body: Json): { readonly text: string } | { readonly refused: string | null } {
  try {
    return { text: JSON.stringify(sent(wire, body)) };
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === "REQUEST_INVALID") return { refused: thrown.param };
    throw thrown;
  }
}

test("every provider of this build that serves chat is in these tables", () => {
  const tried = new Set(EVERY_WIRE.map(({ name }) => name.split(" ")[0]));
  expect(idsOfPlugins.filter((id) => !tried.has(id) && id !== "sandbox")).toEqual([]);
});

/* ── what a request asks for ─────────────────────────────────────────────────────────────────────────────────── */

const CUSTOM = { type: "custom", custom: { name: "patch", description: "Writes a patch." } };
const FREE_CALL = { id: "call_a", type: "custom", custom: { name: "patch", input: "diff" } };
const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const part = (value: Json): Json => ({ messages: [{ role: "user", content: [{ type: "text", text: "Look." }, value] }] });

/** What would give another answer where it is left out: the body, what of it must arrive, and the member that is named otherwise. */
const LOUD: readonly (readonly [what: string, body: Json, arrives: RegExp, member: string])[] = [
  ["several choices", { n: 2 }, /"(n|candidateCount|num_generations)":2/, "n"],
  ["log probabilities", { logprobs: true }, /"(logprobs|responseLogprobs)":true/, "logprobs"],
  ["a text to stop at", { stop: ["END"] }, /\["END"\]/, "stop"],
  ["a line end to stop at", { stop: ["\n"] }, /\["\\n"\]/, "stop"],
  ["functions of before tools", { functions: [{ name: "now" }] }, /"functions":\[\{"name":"now"/, "functions"],
  [
    "a choice of such a function",
    { functions: [{ name: "now" }], function_call: { name: "now" } },
    /"function_call":\{"name":"now"/,
    "functions",
  ],
  ["a tool", { tools: [fn("now")] }, /"name":"now"/, "tools"],
  ["a tool that must be called", { tools: [fn("now")], tool_choice: "required" }, /"required"|"any"|"ANY"/, "tool_choice"],
  ["a tool with free text", { tools: [CUSTOM] }, /"custom":\{"name":"patch"/, "tools"],
  ["a choice of such a tool", { tools: [fn("now")], tool_choice: CUSTOM }, /"tool_choice":\{"type":"custom"/, "tool_choice"],
  [
    "a call of such a tool",
    { messages: [hi, { role: "assistant", content: null, tool_calls: [FREE_CALL] }] },
    /"custom":\{"name":"patch","input":"diff"/,
    "messages",
  ],
  ["an object", { response_format: { type: "json_object" } }, /json_object|application\/json|gateway_structured_answer/, "response_format"],
  [
    "an object of a schema",
    { response_format: { type: "json_schema", json_schema: { name: "place", schema: SCHEMA, strict: true } } },
    /\\?"city\\?"/,
    "response_format",
  ],
  [
    "a spoken answer",
    { modalities: ["text", "audio"], audio: { voice: "alloy", format: "pcm16" } },
    /"voice":"alloy"|"voiceName":"alloy"/,
    "modalities",
  ],
  ["speech", part({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }), /AAAA/, "messages"],
  ["an image", part({ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }), /iVBORw0KGgo=/, "messages"],
  [
    "a file",
    part({ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } }),
    /JVBERi0=/,
    "messages",
  ],
  ["a file that is kept somewhere", part({ type: "file", file: { file_id: "file-1" } }), /"file_id":"file-1"/, "messages"],
  ["a search of the web", { web_search_options: {} }, /web_search|googleSearch/, "web_search_options"],
];

describe("arrives, or is refused by its name:", () => {
  for (const [what, body, arrives, member] of LOUD)
    test.each(named(EVERY_WIRE))(verifies("D7.1.named", `${what}, at %s`), (_, wire) => {
      const outcome = sentOrRefused(wire, body);
      expect(outcome).toEqual("text" in outcome ? { text: expect.stringMatching(arrives) } : { refused: member });
    });
});

/** Vendors whose API has the member themselves. */
const OF_OPENAI = [OPENAI, AZURE, ANY_SERVER];
describe("allowed_tools", () => {
  const choice = (mode: string): Json => ({
    tools: [fn("now"), fn("weather")],
    tool_choice: { type: "allowed_tools", allowed_tools: { mode, tools: [fn("now")] } },
  });
  test.each(named(OF_OPENAI))("travel as they came to %s, which has them", (_, wire) => {
    expect(sent(wire, choice("auto"))).toMatchObject(choice("auto"));
  });
  test.each(named(EVERY_VENDOR.filter((wire) => !OF_OPENAI.includes(wire))))("are the only tools that %s is offered", (_, wire) => {
    expect(sent(wire, choice("auto"))).toEqual(sent(wire, { tools: [fn("now")], tool_choice: "auto" }));
    expect(sent(wire, choice("required"))).toEqual(sent(wire, { tools: [fn("now")], tool_choice: "required" }));
  });
});

describe("a strict tool", () => {
  const promise = { tools: [fn("now", { strict: true, parameters: SCHEMA })] };
  test.each(named([ANTHROPIC, BEDROCK, ...OPENAI_LIKE, ANY_SERVER]))("is one for %s", (_, wire) =>
    expect(JSON.stringify(sent(wire, promise))).toContain('"strict":true'),
  );
  test.each(named(GEMINI))("is kept to its schema by %s", (_, wire) =>
    expect(sent(wire, promise).toolConfig).toEqual({ functionCallingConfig: { mode: "VALIDATED" } }),
  );
  test.each(named([VERTEX_CLAUDE, NOVA]))("is a plain one for %s, which would refuse the word", (_, wire) =>
    expect(JSON.stringify(sent(wire, promise))).not.toContain("strict"),
  );
});

describe("a tool that must be called, beside thinking", () => {
  const body = { tools: [fn("now")], tool_choice: "required", reasoning_effort: "high", max_tokens: 8000 };
  test.each(named(CLAUDE))("is called by %s without, for it takes one of the two", (_, wire) => {
    const text = JSON.stringify(sent(wire, body));
    expect(text).not.toContain("budget_tokens");
    expect(text).toContain('"any"');
  });
  test.each(named([...OPENAI_LIKE, ANY_SERVER]))("is asked of %s as it came", (_, wire) =>
    expect(sent(wire, body)).toMatchObject({ tool_choice: "required", reasoning_effort: "high" }),
  );
});

/* ── what a conversation holds ───────────────────────────────────────────────────────────────────────────────── */

/** A turn of another provider's, as the gateway and the official client's helpers left it. */
const FOREIGN = {
  role: "assistant",
  content: "Hi.",
  content_blocks: [
    { type: "thinking", thinking: "A greeting." },
    { type: "text", text: "Hi." },
  ],
  parsed: { own: "helper" },
  tool_calls: [
    {
      id: "call_a",
      type: "function",
      function: { name: "now", arguments: "{}", thought_signature: "c2ln", parsed_arguments: { own: "helper" } },
    },
  ],
};
const RESULT = { role: "tool", tool_call_id: "call_a", content: "noon" };

describe("what no vendor wrote into a conversation", () => {
  test.each(named(EVERY_VENDOR.filter((wire) => !GEMINI.includes(wire))))("stays behind for %s", (_, wire) => {
    const text = JSON.stringify(sent(wire, { messages: [hi, FOREIGN, RESULT], tools: [fn("now")] }));
    expect(text).not.toMatch(/content_blocks|"parsed|thought_signature|"own"|A greeting/);
    expect(text).toContain("Hi.");
    expect(text).toContain("noon");
  });
  test.each(named(GEMINI))("stays behind for %s, but for the signature, which is its own", (_, wire) => {
    const text = JSON.stringify(sent(wire, { messages: [hi, FOREIGN, RESULT], tools: [fn("now")] }));
    expect(text).not.toMatch(/content_blocks|"parsed|"own"/);
    expect(text).toContain('"thoughtSignature":"c2ln"');
  });
});

const NINE = /^[a-zA-Z0-9]{9}$/;
/** What each vendor takes for an id of a call; any where it is not here. */
const CALL_IDS: Readonly<Record<string, RegExp>> = {
  openai: /^.{1,40}$/,
  "azure-openai": /^.{1,40}$/,
  "mistral-ai": NINE,
  anthropic: /^[\w-]+$/,
  "vertex-ai (Claude)": /^[\w-]+$/,
  bedrock: /^[\w-]{1,64}$/,
  "bedrock (Nova)": /^[\w-]{1,64}$/,
};
/** Ids as other vendors and servers make them. */
const MADE = [
  "call_W4h0vGf2mN1q8sXzT5kLbR7c",
  "toolu_01A09q90qw90lq917835lq9",
  "functions.weather:0",
  "functions.weather:1",
  `chatcmpl-tool-${"0a1b2c3d".repeat(4)}`,
  `chatcmpl-tool-${"0a1b2c3d".repeat(3)}0a1b2c3e`,
  "Ab3dE6gH9",
];
/** Ids of calls and of results, wherever a wire has them. */
function idsIn(value: unknown): { readonly calls: unknown[]; readonly results: unknown[] } {
  const found = { calls: [] as unknown[], results: [] as unknown[] };
  const look = (at: unknown): void => {
    if (Array.isArray(at)) return at.forEach(look);
    if (!isJson(at)) return;
    if (at.type === "function" || at.type === "tool_use") found.calls.push(at.id);
    if (isJson(at.toolUse)) found.calls.push(at.toolUse.toolUseId);
    if (isJson(at.toolResult)) found.results.push(at.toolResult.toolUseId);
    if (at.tool_call_id !== undefined) found.results.push(at.tool_call_id);
    if (at.tool_use_id !== undefined) found.results.push(at.tool_use_id);
    Object.values(at).forEach(look);
  };
  look(value);
  return found;
}

describe("calls of other vendors", () => {
  const messages = [
    hi,
    {
      role: "assistant",
      content: null,
      tool_calls: MADE.map((id) => ({ id, type: "function", function: { name: "now", arguments: "{}" } })),
    },
    ...MADE.map((tool_call_id) => ({ role: "tool", tool_call_id, content: "noon" })),
  ];
  // Gemini's results follow their calls by name and order
  test.each(named(EVERY_WIRE.filter((wire) => !GEMINI.includes(wire))))(
    "have ids that %s takes, one each, and their results the same",
    (_, wire) => {
      const { messages: turns } = sent(wire, { messages, tools: [fn("now")] });
      const { calls, results } = idsIn(turns);
      expect(results).toEqual(calls);
      expect(new Set(calls).size).toBe(MADE.length);
      expect(calls.filter((id) => !(CALL_IDS[wire.name] ?? /./).test(String(id)))).toEqual([]);
    },
  );
});

describe("a conversation of system messages alone", () => {
  const asQuestion = [...OWN_WIRES, declared("mistral-ai")];
  const messages = [{ role: "system", content: "Say hi." }];
  test.each(named(asQuestion))("is what %s is asked, for it wants a question", (_, wire) =>
    expect(sent(wire, { messages })).toEqual(sent(wire, { messages: [{ role: "user", content: "Say hi." }] })),
  );
  test.each(named(EVERY_WIRE.filter((wire) => !asQuestion.includes(wire))))("goes to %s as it came", (_, wire) =>
    expect(sent(wire, { messages })).toMatchObject({ messages }),
  );
});

describe("an assistant who said nothing", () => {
  const silent = (content: unknown): Json => ({ messages: [hi, { role: "assistant", content }, { role: "user", content: "So?" }] });
  test.each(named(EVERY_VENDOR))("is left out for %s: vendors refuse such a message", (_, wire) => {
    for (const content of [null, undefined, "", []])
      expect(sent(wire, silent(content))).toEqual(sent(wire, { messages: [hi, { role: "user", content: "So?" }] }));
  });
  test.each(named(EVERY_VENDOR))("in words is not silent where it called a tool, for %s", (_, wire) => {
    const call = { id: "Ab3dE6gH9", type: "function", function: { name: "now", arguments: "{}" } };
    const turns = [hi, { role: "assistant", content: "", tool_calls: [call] }, { role: "tool", tool_call_id: call.id, content: "noon" }];
    expect(JSON.stringify(sent(wire, { messages: turns, tools: [fn("now")] }))).toContain("noon");
    expect(JSON.stringify(sent(wire, { messages: turns, tools: [fn("now")] })).match(/"now"/g)?.length).toBeGreaterThan(1);
  });
});

describe("an answer that was begun for the model", () => {
  const begun = (content: string): Json => ({ messages: [hi, { role: "assistant", content }] });
  test.each(named([...CLAUDE, NOVA]))("ends without a blank for %s, which refuses one", (_, wire) =>
    expect(sent(wire, begun("The answer is: "))).toEqual(sent(wire, begun("The answer is:"))),
  );
  test("is marked as such for Mistral, which refuses another last message", () =>
    expect(sent(declared("mistral-ai"), begun("The answer is: ")).messages).toEqual([
      hi,
      { role: "assistant", content: "The answer is: ", prefix: true },
    ]));
  test.each(named(OPENAI_LIKE.filter(({ name }) => name !== "mistral-ai")))("goes to %s as it came", (_, wire) =>
    expect(sent(wire, begun("The answer is: "))).toMatchObject(begun("The answer is: ")),
  );
});

/* ── what they answer ────────────────────────────────────────────────────────────────────────────────────────── */

type Choice = Json & { readonly message: Json };
const HEAD = { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "m" };
const SLOPPY = [{ function: { name: "now", arguments: "{}" } }, { id: "", function: { name: "day", arguments: '{"of":1}' } }];

describe.each(named([...DECLARED, ANY_SERVER]))("an answer of %s", (_, wire) => {
  const { response = (body: Json): Json => body, chunk = (body: Json): Json => body } = adapterOf(wire);
  const asked = asking(wire, wire.model);
  const whole = (message: Json): Choice => {
    const { choices } = response({ ...HEAD, choices: [{ index: 0, message, finish_reason: "stop" }] }, asked);
    return (choices as Choice[])[0] ?? expect.unreachable();
  };

  test("has calls with an id, a type and an index, however they came", () => {
    const { tool_calls } = whole({ role: "assistant", tool_calls: SLOPPY }).message;
    expect(tool_calls).toEqual(SLOPPY.map((call) => ({ ...call, id: expect.stringMatching(/./), type: "function" })));
    const memory = {};
    const piece = (calls: readonly Json[]): Json =>
      chunk({ ...HEAD, choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: null }] }, asked, memory) ?? expect.unreachable();
    const pieces = [
      piece([{ id: "a", function: { name: "now", arguments: "" } }]),
      piece([{ function: { arguments: "{}" } }]),
      piece([{ id: "b", function: { name: "day", arguments: "{}" } }]),
    ];
    const read = pieces.flatMap(({ choices }) => (choices as Json[]).flatMap(({ delta }) => (delta as Json).tool_calls));
    expect(read).toMatchObject([{ index: 0, id: "a", type: "function" }, { index: 0 }, { index: 1, id: "b", type: "function" }]);
  });
  test("has content that is a text, or none, whole and in pieces", () => {
    const parts = [
      { type: "thinking", thinking: [{ type: "text", text: "Hm" }] },
      { type: "text", text: "Hi" },
    ];
    expect(whole({ role: "assistant", content: parts }).message.content).toBe("Hi");
    expect(whole({ role: "assistant", tool_calls: [] }).message.content).toBeNull();
    const piece = chunk({ ...HEAD, choices: [{ index: 0, delta: { content: parts }, finish_reason: null }] }, asked, {});
    expect(piece).toMatchObject({ choices: [{ delta: { content: "Hi" } }] });
  });
  test("is left as it came where nothing is missing", () => {
    const call = { index: 0, id: "a", type: "function", function: { name: "now", arguments: "{}" } };
    const complete = {
      ...HEAD,
      choices: [{ index: 0, message: { role: "assistant", content: null, tool_calls: [call] }, finish_reason: "tool_calls" }],
    };
    expect(response(complete, asked)).toBe(complete);
  });
});

/** One call, and the text before it, as each wire answers them. */
const REPLIES: readonly (readonly [readonly OwnWire[], Json])[] = [
  [
    [ANTHROPIC, VERTEX_CLAUDE],
    {
      id: "m",
      type: "message",
      model: "c",
      stop_reason: "tool_use",
      content: [
        { type: "text", text: "One moment." },
        { type: "tool_use", id: "t", name: "now", input: {} },
      ],
    },
  ],
  [
    [BEDROCK, NOVA],
    {
      stopReason: "tool_use",
      output: {
        message: { role: "assistant", content: [{ text: "One moment." }, { toolUse: { toolUseId: "t", name: "now", input: {} } }] },
      },
    },
  ],
  [GEMINI, { candidates: [{ content: { parts: [{ text: "One moment." }, { functionCall: { name: "now" } }] }, finishReason: "STOP" }] }],
];
for (const [wires, body] of REPLIES)
  test.each(named(wires))("an answer of %s has its text as a text, and its call with an id, a type and an index", (_, wire) => {
    const events = adapterOf(wire).reply?.(body, asking(wire, wire.model)) ?? [];
    const options = { id: "a", model: "m", created: 9, usage: false, strict: true };
    const call = { id: expect.stringMatching(/./), type: "function", function: { name: "now", arguments: "{}" } };
    expect(chat.write(collect(events), options).choices).toMatchObject([
      { finish_reason: "tool_calls", message: { content: "One moment.", tool_calls: [call] } },
    ]);
    const encoder = chat.encode(options);
    const frames = events.map((event) => encoder.event(event)).join("");
    expect(frames).toContain('"tool_calls":[{"index":0,"id":');
    expect(frames).toContain('"type":"function"');
  });
