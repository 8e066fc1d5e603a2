import { describe, expect, test } from "bun:test";
import type { BodyContent, Json, PlacedSegment, Scope, SegmentKind, Side } from "#contract";
import { PatchRefused, patched as patchedIn } from "../../../core/pipeline/guard/patch.ts";
import { saysSomething, selected } from "../../../core/pipeline/guard/scope.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { message, PATCHED, reading } from "../assistants/content.ts";
import { GENERATED } from "../gemini/content.ts";
import { CHAT, COMPLETION, FORM, INPUT, MESSAGES, RERANK, RESPONSE, TRANSCRIPT } from "./index.ts";

const CONTENTS = {
  chat: CHAT,
  messages: MESSAGES,
  prompt: COMPLETION,
  input: INPUT,
  response: RESPONSE,
  rerank: RERANK,
  form: FORM,
} as const satisfies Readonly<Record<string, BodyContent>>;
const ANSWERED_MESSAGE: BodyContent = { ...PATCHED, output: reading(message) };
type Shape = keyof typeof CONTENTS;
const segmentsOf = (shape: Shape, body: Json): readonly PlacedSegment[] => CONTENTS[shape].input?.(body) ?? [];
const lastSegments = (shape: Shape, body: Json): readonly PlacedSegment[] => {
  const content: BodyContent = CONTENTS[shape];
  return content.lastInput?.(body) ?? segmentsOf(shape, body);
};
const answerSegments = (body: Json): readonly PlacedSegment[] => TRANSCRIPT.output?.(body) ?? [];
const patched = (body: Json, patches: Parameters<typeof patchedIn>[1]): Json => patchedIn(body, patches, CHAT);

const chat: Json = {
  model: "m",
  messages: [
    { role: "system", content: "Be kind." },
    {
      role: "user",
      content: [
        { type: "text", text: "Look" },
        { type: "image_url", image_url: { url: "https://x.example/a.png" } },
        { type: "input_audio", input_audio: { data: "AAA", format: "mp3" } },
        { type: "file", file: { file_id: "f1" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      reasoning_content: "hm",
      tool_calls: [{ id: "c1", type: "function", function: { name: "find", arguments: '{"q":"\\u0073ecret"}' } }],
    },
    { role: "tool", tool_call_id: "c1", content: "found it" },
    { role: "user", content: "Thanks" },
  ],
};
const messages: Json = {
  system: [{ type: "text", text: "Be kind." }],
  messages: [
    { role: "user", content: "Hi" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "text", text: "I look" },
        { type: "tool_use", id: "t1", name: "find", input: { q: 1 } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "found" }] },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AAA" } },
        { type: "text", text: "so?" },
      ],
    },
  ],
};
const brief = (all: readonly { path: string; role: string; kind: string; text: string }[]): string[] =>
  all.map(({ path, role, kind, text }) => `${path} ${role} ${kind} ${text}`);

describe("requests", () => {
  test("a chat request gives every kind of content, in order", () => {
    expect(brief(segmentsOf("chat", chat))).toEqual([
      "messages[0].content system text Be kind.",
      "messages[1].content[0].text user text Look",
      "messages[1].content[1].image_url.url user image https://x.example/a.png",
      "messages[1].content[2].input_audio.data user audio data:audio/mp3;base64,AAA",
      "messages[1].content[3].file.file_id user file f1",
      "messages[2].reasoning_content assistant reasoning hm",
      'messages[2].tool_calls[0].function assistant tool_call {"name":"find","arguments":{"q":"secret"}}',
      "messages[3].content tool tool_result found it",
      "messages[4].content user text Thanks",
    ]);
  });

  test("a messages request gives the same vocabulary", () => {
    expect(brief(segmentsOf("messages", messages))).toEqual([
      "system[0].text system text Be kind.",
      "messages[0].content user text Hi",
      "messages[1].content[0].thinking assistant reasoning hm",
      "messages[1].content[1].text assistant text I look",
      'messages[1].content[2] assistant tool_call {"name":"find","arguments":{"q":1}}',
      "messages[2].content[0].content[0].text tool tool_result found",
      "messages[2].content[1].source.data user image data:image/png;base64,AAA",
      "messages[2].content[2].text user text so?",
    ]);
  });

  test("a responses request gives instructions, messages, calls and their outputs", () => {
    const input = [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Hi" },
          { type: "input_image", image_url: "https://x.example/a.png" },
        ],
      },
      { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
      { type: "function_call", name: "find", arguments: "{}", call_id: "c" },
      { type: "function_call_output", call_id: "c", output: "found" },
    ];
    expect(brief(segmentsOf("response", { instructions: "Be kind.", input }))).toEqual([
      "instructions system text Be kind.",
      "input[0].content[0].text user text Hi",
      "input[0].content[1].image_url user image https://x.example/a.png",
      "input[1].summary[0].text assistant reasoning hm",
      'input[2] assistant tool_call {"name":"find","arguments":{}}',
      "input[3].output tool tool_result found",
    ]);
  });

  const ofBlocks = (...content: readonly Json[]): Json => ({ messages: [{ role: "user", content }] });
  const rows: readonly [Shape, Json, readonly string[]][] = [
    [
      "messages",
      ofBlocks({ type: "document", title: "T", context: "C", source: { type: "text", media_type: "text/plain", data: "D", url: "u" } }),
      [
        "messages[0].content[0].title user text T",
        "messages[0].content[0].context user text C",
        "messages[0].content[0].source.data user text D",
      ],
    ],
    [
      "messages",
      ofBlocks(
        { type: "document", source: { type: "content", content: [{ type: "text", text: "a" }] } },
        { type: "document", source: { type: "content", content: "b" } },
      ),
      ["messages[0].content[0].source.content[0].text user text a", "messages[0].content[1].source.content user text b"],
    ],
    [
      "messages",
      ofBlocks(
        { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAA", url: "https://x.example/ok" } },
        { type: "image", source: { type: "url", url: "https://x.example/a.png", data: "AAA" } },
        { type: "document", source: { type: "file", file_id: "f1" } },
        { type: "document", source: { type: "tomorrow", words: "w" } },
      ),
      [
        "messages[0].content[0].source.data user file data:application/pdf;base64,AAA",
        "messages[0].content[1].source.url user image https://x.example/a.png",
        "messages[0].content[2].source.file_id user file f1",
        'messages[0].content[3].source user file {"type":"tomorrow","words":"w"}',
      ],
    ],
    [
      "messages",
      ofBlocks(
        { type: "search_result", title: "T", source: "S", content: [{ type: "text", text: "a" }] },
        { type: "tool_result", tool_use_id: "t", content: [{ type: "search_result", title: "U", source: "S", content: "b" }] },
        { type: "mcp_tool_result", tool_use_id: "t", content: [{ type: "text", text: "c" }] },
        { type: "compaction", content: "d" },
      ),
      [
        "messages[0].content[0].title user text T",
        "messages[0].content[0].source user text S",
        "messages[0].content[0].content[0].text user text a",
        "messages[0].content[1].content[0].title tool tool_result U",
        "messages[0].content[1].content[0].source tool tool_result S",
        "messages[0].content[1].content[0].content tool tool_result b",
        "messages[0].content[2].content[0].text tool tool_result c",
        "messages[0].content[3].content user text d",
      ],
    ],
    ["input", { input: "a" }, ["input user text a"]],
    ["input", { input: ["a", "b"] }, ["input[0] user text a", "input[1] user text b"]],
    ["input", { input: [1, 2, 3] }, []],
    ["prompt", { prompt: ["a", "b"] }, ["prompt[0] user text a", "prompt[1] user text b"]],
    [
      "rerank",
      { query: "q", documents: ["a", { text: "b" }] },
      ["query user text q", "documents[0] user text a", "documents[1].text user text b"],
    ],
    ["form", { prompt: "p", model: "m" }, ["prompt user text p"]],
    ["chat", { messages: [{ role: "user", content: { type: "mystery", words: "bad" } }] }, ["messages[0].content.words user text bad"]],
    [
      "chat",
      { messages: [{ role: "user", content: [{ type: "x", a: { "b.c": ["1", { "d[0]": "2" }] }, n: 1 }] }] },
      ['messages[0].content[0].a["b.c"][0] user text 1', 'messages[0].content[0].a["b.c"][1]["d[0]"] user text 2'],
    ],
    [
      "chat",
      { messages: [{ role: "user", content: [{ type: "x", many: Array.from({ length: 1_001 }, () => "a") }] }] },
      [`messages[0].content[0] user text ${"a\n".repeat(1_000)}a`],
    ],
    [
      "chat",
      { tools: [{ type: "function", function: { name: "f", description: "d" } }], messages: [{ role: "user", name: "n", content: "c" }] },
      [
        "tools[0].function.name system text f",
        "tools[0].function.description system text d",
        "messages[0].name system text n",
        "messages[0].content user text c",
      ],
    ],
    [
      "chat",
      { tools: [{ parameters: { properties: { type: { type: "string", description: "d" } } } }], messages: [] },
      ["tools[0].parameters.properties.type system text type", "tools[0].parameters.properties.type.description system text d"],
    ],
    ["form", { "prompt[0]": "p", "Prompt": "q", size: "s" }, ['["prompt[0]"] user text p', "Prompt user text q"]],
    [
      "form",
      { prompt: "p", images: [{ image_url: "https://x.example/a.png" }, { file_id: "f" }], mask: { image_url: { url: "u" } } },
      ["prompt user text p", "images[0].image_url user image https://x.example/a.png", "mask.image_url.url user image u"],
    ],
    ["input", { input: [{ type: "my_call", role: "x", text: "a" }] }, ["input[0].role user text x", "input[0].text user text a"]],
    [
      "prompt",
      { prompt: [["a"], [1]], parameters: { negativePrompt: "b" } },
      ["prompt[0][0] user text a", "parameters.negativePrompt user text b"],
    ],
    [
      "rerank",
      { query: "q", documents: [{ text: "a", "the title": "b" }] },
      ["query user text q", "documents[0].text user text a", "documents[0].the title user text b"],
    ],
    ["chat", { messages: "nonsense" }, []],
  ];
  for (const [shape, body, expected] of rows)
    test(`${shape} reads ${JSON.stringify(body)}`, () => expect(brief(segmentsOf(shape, body))).toEqual([...expected]));
});

describe("answers", () => {
  test("all choices, tool calls, reasoning and refusals of a chat answer are read", () => {
    const body: Json = {
      choices: [
        { message: { role: "assistant", content: "a", reasoning_content: "r", content_blocks: [{ type: "text", text: "a" }] } },
        { message: { content: null, refusal: "no", tool_calls: [{ function: { name: "f", arguments: "not json" } }] } },
      ],
    };
    expect(brief(answerSegments(body))).toEqual([
      "choices[0].message.reasoning_content assistant reasoning r",
      "choices[0].message.content assistant text a",
      "choices[1].message.refusal assistant text no",
      'choices[1].message.tool_calls[0].function assistant tool_call {"name":"f","arguments":"not json"}',
    ]);
  });
  test("completions, messages, responses and transcriptions are read too", () => {
    expect(brief(answerSegments({ choices: [{ text: "a" }] }))).toEqual(["choices[0].text assistant text a"]);
    expect(brief(answerSegments({ content: [{ type: "text", text: "a" }] }))).toEqual(["content[0].text assistant text a"]);
    expect(
      brief(answerSegments({ output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "a" }] }] })),
    ).toEqual(["output[0].content[0].text assistant text a"]);
    expect(brief(answerSegments({ text: "a" }))).toEqual(["text assistant text a"]);
  });
});

describe("what a message may say a second time is read where it is not the same", () => {
  const details = [
    { type: "reasoning.summary", summary: "secret", format: "f" },
    { type: "reasoning.encrypted", data: "aGk=" },
  ];
  const blocks = [
    { type: "thinking", thinking: "secret" },
    { type: "text", text: "secret" },
    { type: "tool_use", name: "f", input: { a: "secret" } },
  ];
  const read = (message: Json) => answerSegments({ choices: [{ message }] });
  test.each<[Json, readonly string[]]>([
    [{ content: "x", reasoning: "other", reasoning_details: details }, ["secret", "other", "x"]],
    [{ content: "x", reasoning: "secret", reasoning_details: details }, ["secret", "x"]],
    [{ content: "x", reasoning_details: details }, ["secret", "x"]],
    [{ content: "x", reasoning: "secret", reasoning_content: "other" }, ["secret", "other", "x"]],
    [{ content: "x", reasoning_content: "y", content_blocks: blocks.slice(0, 2) }, ["secret", "secret", "y", "x"]],
    [{ content: "secret", reasoning_content: "secret", content_blocks: blocks.slice(0, 2) }, ["secret", "secret"]],
    [{ content: "x", content_blocks: blocks.slice(2) }, ['{"name":"f","arguments":{"a":"secret"}}', "x"]],
  ])("%j", (message, texts) => {
    const found = read(message);
    expect(found.map(({ text }) => text)).toEqual([...texts]);
    const patches = found.map(({ path, text }) => ({ path, text: text.replaceAll("secret", "***") }));
    expect(JSON.stringify(patched({ choices: [{ message }] }, patches))).not.toContain("secret");
    expect(
      JSON.stringify(
        patched(
          { choices: [{ message }] },
          patches.filter(({ text }) => text.includes("***")),
        ),
      ),
    ).not.toContain("secret");
  });
});

describe("what an answer rests on is text of it", () => {
  const page = { type: "url_citation", url: "https://x.example/secret", title: "The secret", start_index: 0 };
  test.each<[string, BodyContent, Json, readonly string[]]>([
    [
      "chat",
      CHAT,
      { choices: [{ message: { content: "x", annotations: [{ type: "url_citation", url_citation: page }] } }] },
      [page.url, page.title, "x"],
    ],
    [
      "responses",
      RESPONSE,
      { output: [{ type: "message", content: [{ type: "output_text", text: "x", annotations: [page] }] }] },
      [page.url, page.title, "x"],
    ],
    [
      "messages",
      MESSAGES,
      { content: [{ type: "text", text: "x", citations: [{ cited_text: "secret", encrypted_index: "E" }] }] },
      ["secret", "x"],
    ],
    [
      "chat, of a provider that searches",
      CHAT,
      {
        citations: ["https://x.example/secret"],
        search_results: [{ title: "The secret", url: page.url, date: null }],
        choices: [{ message: { content: "x" }, groundingMetadata: { webSearchQueries: ["a secret"] } }],
      },
      ["https://x.example/secret", "The secret", page.url, "a secret", "x"],
    ],
  ])("%s", (_, content, body, texts) => {
    const found = content.output?.(body) ?? [];
    const measured = selected(found, { wants: new Set(["text"]), scope: "last_message", measures: true }, "output");
    expect(measured.map(({ text }) => text)).toEqual(["x"]); // the text under test
    expect(found.map(({ kind, text }) => [kind, text])).toEqual(texts.map((text) => ["text", text]));
    const patches = found.map(({ path, text }) => ({ path, text: text.replaceAll("secret", "***") }));
    expect(JSON.stringify(patchedIn(body, patches, content))).not.toContain("secret");
    expect(JSON.stringify(patchedIn(body, patches.slice(0, -1), content))).not.toContain("secret");
  });
});

describe("what a provider's own tools found is read beside the text", () => {
  const SEALED = "EqgfCioIARgBIiQ3YTAw";
  const hit = { type: "web_search_result", title: "The secret", url: "https://x.example", encrypted_content: SEALED };
  const output = (item: Json): Json => ({
    output: [item, { type: "message", role: "assistant", content: [{ type: "output_text", text: "x" }] }],
  });
  const content = (block: Json): Json => ({ content: [block, { type: "text", text: "x" }] });
  test.each<[string, BodyContent, Json]>([
    ["a search of messages", MESSAGES, content({ type: "web_search_tool_result", tool_use_id: "t", content: [hit] })],
    ["code that ran, of messages", MESSAGES, content({ type: "code_execution_tool_result", content: { stdout: "a secret", stderr: "" } })],
    [
      "a search of responses",
      RESPONSE,
      output({ type: "search_results", queries: ["q"], results: [{ title: "The secret", snippet: "s" }] }),
    ],
    [
      "tools that were listed",
      RESPONSE,
      output({ type: "mcp_list_tools", server_label: "l", tools: [{ name: "f", description: "a secret" }] }),
    ],
  ])("%s", (_, read, body) => {
    const found = read.output?.(body) ?? [];
    expect(found.filter(({ kind }) => kind === "text").map(({ text }) => text)).toContainEqual(expect.stringContaining("secret"));
    expect(found.map(({ text }) => text)).not.toContain(SEALED);
    const measured = selected(found, { wants: new Set(["text"]), scope: "last_message", measures: true }, "output");
    expect(measured.map(({ text }) => text)).toEqual(["x"]);
    const patches = found.map(({ path, text }) => ({ path, text: text.replaceAll("secret", "***") }));
    expect(JSON.stringify(patchedIn(body, patches, read))).not.toContain("secret");
  });
});

describe("names in schemas are read by who looks at all messages", () => {
  const schema = {
    type: "object",
    properties: { BLUEBIRD: { type: "string" } },
    $defs: { ROBIN: { type: "object", properties: { WREN: {} } } },
  };
  test.each<[string, readonly PlacedSegment[]]>([
    ["tools of chat", segmentsOf("chat", { tools: [{ type: "function", function: { name: "f", parameters: schema } }] })],
    ["a format of chat", segmentsOf("chat", { response_format: { type: "json_schema", json_schema: { schema } } })],
    ["tools of messages", segmentsOf("messages", { tools: [{ name: "f", input_schema: schema }] })],
    ["tools of responses", segmentsOf("response", { tools: [{ type: "function", name: "f", parameters: schema }] })],
    ["a format of responses", segmentsOf("response", { text: { format: { type: "json_schema", schema } } })],
    ["tools of Gemini", GENERATED.input?.({ tools: [{ functionDeclarations: [{ name: "f", parameters: schema }] }] }) ?? []],
    ["a format of Gemini", GENERATED.input?.({ generationConfig: { responseSchema: schema } }) ?? []],
  ])("%s", (_, found) => {
    expect(found.map(({ text }) => text)).toEqual(expect.arrayContaining(["BLUEBIRD", "ROBIN", "WREN"]));
    expect(found.every(({ role, message }) => role === "system" && message === -1)).toBeTrue();
    expect(found.map(({ text }) => text)).not.toContain("properties");
  });
});

describe("calls of the Responses API that the client runs, or its provider's tools", () => {
  const CALLS: readonly Json[] = [
    { type: "shell_call", id: "i", call_id: "c", status: "completed", action: { commands: ["echo secret"], timeout_ms: 7 } },
    { type: "local_shell_call", id: "i", call_id: "c", action: { type: "exec", command: ["echo", "secret"], env: { A: "secret" } } },
    { type: "apply_patch_call", id: "i", call_id: "c", operation: { type: "update_file", path: "secret.txt", diff: "+secret" } },
    { type: "computer_call", id: "i", call_id: "c", action: { type: "type", text: "secret" } },
    { type: "code_interpreter_call", id: "i", code: "print('secret')", outputs: [{ type: "logs", logs: "secret" }] },
    { type: "shell_call", id: "i", name: "n", arguments: "{}", action: { commands: ["secret"] } },
  ];
  test.each(CALLS)("its members are its arguments, and are changed in their places: %j", (item) => {
    const { type, id, call_id, status, name, ...args } = item;
    for (const [segments, path, body] of [
      [answerSegments({ output: [item] }), "output[0]", { output: [item] }],
      [segmentsOf("response", { input: [item] }), "input[0]", { input: [item] }],
    ] as const) {
      const [call] = segments;
      expect(segments.length).toBe(1);
      expect(call).toMatchObject({ path, kind: "tool_call", role: "assistant" });
      const text = call?.text ?? "";
      expect(JSON.parse(text)).toEqual({ name: name ?? type, arguments: args });
      const after = patchedIn(body, [{ path, text: text.replaceAll("secret", "***") }], RESPONSE);
      expect(after).toEqual(JSON.parse(JSON.stringify(body).replaceAll("secret", "***")) as Json);
    }
  });
  test("what they gave is a tool's result", () => {
    const input = [
      { type: "shell_call_output", call_id: "c", output: [{ stdout: "one", stderr: "two", outcome: { type: "exit", exit_code: 0 } }] },
      { type: "local_shell_call_output", id: "c", output: "three" },
      { type: "apply_patch_call_output", call_id: "c", status: "failed", output: "four" },
    ];
    const results = segmentsOf("response", { input }).filter(({ kind }) => kind === "tool_result");
    expect(results.map(({ text }) => text)).toEqual(expect.arrayContaining(["one", "two", "three", "four"]));
  });
});

describe("scopes", () => {
  const texts = (body: Json, scope: Scope, wants: readonly SegmentKind[] = ["text"], side: Side = "input"): string =>
    selected(side === "input" ? segmentsOf("chat", body) : answerSegments(body), { wants: new Set(wants), scope, measures: false }, side)
      .map(({ text }) => text)
      .join("|");
  const turns = (...roles: readonly string[]): Json => ({ messages: roles.map((role, index) => ({ role, content: `${role}${index}` })) });

  test("the documented text under test is the last message that says something, whatever its role", () => {
    expect(texts(chat, "last_message")).toBe("Thanks");
    expect(texts(turns("user", "assistant", "tool"), "last_message")).toBe("tool2");
    expect(
      texts(
        {
          messages: [
            { role: "user", content: "a" },
            { role: "user", content: "" },
          ],
        },
        "last_message",
      ),
    ).toBe("a"); // a message that says nothing hides none before it
  });
  test("a turn is everything after the last assistant message, tool results included", () => {
    expect(texts(chat, "turn", ["text", "tool_result"])).toBe("found it|Thanks");
    expect(texts(turns("system", "user"), "turn")).toBe("system0|user1");
  });
  test("an assistant prefill at the end does not hide the turn", () => {
    expect(texts(turns("user", "assistant", "user", "assistant"), "turn")).toBe("user2|assistant3");
    expect(texts(turns("assistant"), "turn")).toBe("assistant0");
  });
  test("user messages and all messages", () => {
    expect(texts(chat, "user_messages")).toBe("Look|Thanks");
    expect(texts(chat, "all_messages", ["text", "tool_call"])).toContain("secret");
  });
  test("on the answer the documented text is the first choice", () => {
    const body = { choices: [{ message: { content: "a" } }, { message: { content: "b" } }] };
    expect(texts(body, "last_message", ["text"], "output")).toBe("a");
    expect(texts(body, "all_messages", ["text"], "output")).toBe("a|b");
  });
});

describe("the last message, read alone, gives what the whole conversation gives for its scope:", () => {
  const firstTurn = [{ role: "user", content: "Hi" }];
  const bodies: readonly (readonly [what: string, shape: Shape, body: Json])[] = [
    ["a chat", "chat", chat],
    ["a messages request", "messages", messages],
    ["a last message that says nothing", "chat", { messages: [...firstTurn, { role: "assistant", content: null }, {}, null, "x"] }],
    ["a last message of an empty text", "chat", { messages: [...firstTurn, { role: "user", content: "" }] }],
    ["nothing but a system text", "messages", { system: "Be kind.", messages: [{ role: "user", content: [] }] }],
    ["no messages", "chat", { messages: "none" }],
    ["no list of messages", "response", { instructions: "Be kind.", input: ["a", { role: "user", content: "b" }, "c"] }],
    ["a prompt", "prompt", { prompt: ["a", "b"], suffix: "c" }],
  ];
  test.each(bodies)("%s", (_, shape, body) => {
    const kinds = new Set<SegmentKind>(["text", "tool_call", "tool_result", "image", "audio", "file", "reasoning"]);
    const last = (all: ReturnType<typeof segmentsOf>) => selected(all, { wants: kinds, scope: "last_message", measures: false }, "input");
    const alone = lastSegments(shape, body);
    const read = alone.some(saysSomething) ? alone : segmentsOf(shape, body); // where it says nothing, all are read
    expect(last(read)).toEqual(last(segmentsOf(shape, body)));
  });
  test("the messages before it are not looked at", () => {
    const before = new Proxy({}, { get: () => expect.unreachable() });
    expect(brief(lastSegments("chat", { messages: [before, ...firstTurn] }))).toEqual(["messages[1].content user text Hi"]);
  });
});

describe("patches", () => {
  test("every path a segment names can be written, and the original stays as it was", () => {
    for (const [shape, body] of [
      ["chat", chat],
      ["messages", messages],
    ] as const) {
      const before = JSON.stringify(body);
      for (const { path, kind } of segmentsOf(shape, body)) {
        const text = kind === "tool_call" ? '{"name":"new","arguments":{"a":1}}' : "new";
        const after = segmentsOf(shape, patched(body, [{ path, text }])).find((segment) => segment.path === path);
        expect(after?.text).toContain("new");
      }
      expect(JSON.stringify(body)).toBe(before);
    }
  });
  test("what is not on the way is shared, not copied", () => {
    const after = patched(chat, [
      { path: "messages[4].content", text: "x" },
      { path: "messages[0].content", text: "y" },
    ]);
    const list = (body: Json): unknown[] => body["messages"] as unknown[];
    expect(list(after)[1]).toBe(list(chat)[1]);
    expect(list(after)[4]).toEqual({ role: "user", content: "x" });
  });
  test("a tool call keeps the form of its arguments", () => {
    const call = { path: "messages[2].tool_calls[0].function", text: '{"name":"find","arguments":{"q":"***"}}' };
    expect(JSON.stringify(patched(chat, [call]))).toContain('"arguments":"{\\"q\\":\\"***\\"}"');
    const block = { path: "messages[1].content[2]", text: '{"name":"find","arguments":{"q":2}}' };
    expect(JSON.stringify(patched(messages, [block]))).toContain('"input":{"q":2}');
  });
  test("what repeats the old text goes with it", () => {
    const body = {
      choices: [
        {
          logprobs: { content: [{ token: "secret" }] },
          groundingMetadata: { groundingSupports: [{ segment: { text: "secret" } }] },
          message: { content: "secret", content_blocks: [{ type: "text", text: "secret" }] },
        },
      ],
    };
    expect(JSON.stringify(patched(body, [{ path: "choices[0].message.content", text: "***" }]))).not.toContain("secret");
  });
  const cited = [{ type: "url_citation", url: "https://x.example", title: "The secret", cited_text: "secret", quote: "secret" }];
  test.each<[string, BodyContent, Json, string, Json]>([
    [
      "chat",
      CHAT,
      {
        search_results: [{ title: "secret" }],
        citations: ["https://secret"],
        choices: [{ message: { content: "secret", annotations: cited } }],
      },
      "choices[0].message.content",
      { choices: [{ message: { content: "***", annotations: [] } }] },
    ],
    [
      "chat's thoughts",
      CHAT,
      { choices: [{ message: { reasoning_content: "secret", reasoning: "secret", reasoning_details: [{ text: "secret" }] } }] },
      "choices[0].message.reasoning_content",
      { choices: [{ message: { reasoning_content: "***" } }] },
    ],
    [
      "what chat says aloud",
      CHAT,
      { choices: [{ message: { audio: { id: "a", transcript: "secret", data: "c2VjcmV0" } } }] },
      "choices[0].message.audio.transcript",
      { choices: [{ message: { audio: { id: "a", transcript: "***" } } }] },
    ],
    [
      "messages",
      MESSAGES,
      { content: [{ type: "text", text: "secret", citations: cited }] },
      "content[0].text",
      { content: [{ type: "text", text: "***", citations: [] }] },
    ],
    [
      "responses",
      RESPONSE,
      {
        output_text: "secret",
        output: [{ content: [{ type: "output_text", text: "secret", annotations: cited, logprobs: [{ token: "secret" }] }] }],
      },
      "output[0].content[0].text",
      { output: [{ content: [{ type: "output_text", text: "***", annotations: [] }] }] },
    ],
    [
      "assistants",
      ANSWERED_MESSAGE,
      { content: [{ type: "text", text: { value: "secret", annotations: cited } }] },
      "content[0].text.value",
      { content: [{ type: "text", text: { value: "***", annotations: [] } }] },
    ],
    [
      "gemini",
      GENERATED,
      {
        candidates: [
          {
            content: { parts: [{ text: "secret" }] },
            groundingAttributions: cited,
            urlContextMetadata: { secret: 1 },
            grounding_metadata: cited,
          },
        ],
      },
      "candidates[0].content.parts[0].text",
      { candidates: [{ content: { parts: [{ text: "***" }] } }] },
    ],
    [
      "a transcript",
      TRANSCRIPT,
      { text: "secret", segments: [{ text: "secret" }], words: [{ word: "secret" }], logprobs: [{ token: "secret" }] },
      "text",
      { text: "***" },
    ],
  ])(verifies("D7.guarded.rests", "nothing of an answer says what was taken out of its text: %s"), (_, content, body, path, after) => {
    expect(content.output?.(body).map((segment) => segment.path)).toContain(path);
    expect(patchedIn(body, [{ path, text: "***" }], content)).toEqual(after);
  });
  test("a thought that was changed loses its signature, however it was changed; others keep theirs", () => {
    const content = [
      { type: "thinking", thinking: "secret", signature: "a" },
      { type: "thinking", thinking: "hm", signature: "b" },
    ];
    const rest = { type: "thinking", thinking: "hm", signature: "b" };
    expect(patched({ content }, [{ path: "content[0].thinking", text: "***" }])).toEqual({
      content: [{ type: "thinking", thinking: "***" }, rest],
    });
    const given = JSON.parse(JSON.stringify({ content, messages: [{ content }] }).replaceAll("secret", "***")) as Json;
    const changed = { content: [{ type: "thinking", thinking: "***", signature: "" }, rest] };
    expect(patched({ content, messages: [{ content }] }, [{ body: given }])).toEqual({ ...changed, messages: [changed] });
  });
  test("so does a thought of a response, in a conversation and in an answer", () => {
    const thought = (text: string): Json => ({ type: "reasoning", summary: [{ type: "summary_text", text }] });
    const sealed = (text: string): Json => ({ ...thought(text), encrypted_content: "sealed" });
    for (const member of ["input", "output"])
      expect(patched({ [member]: [sealed("secret"), sealed("hm")] }, [{ body: { [member]: [sealed("***"), sealed("hm")] } }])).toEqual({
        [member]: [thought("***"), sealed("hm")],
      });
  });
  test("a custom tool's input is a text before a patch and behind it", () => {
    const body = { output: [{ type: "custom_tool_call", call_id: "c", name: "sql", input: '{"a":"secret"}' }] };
    const [call] = answerSegments(body);
    expect(call).toMatchObject({ kind: "tool_call", path: "output[0]", text: '{"name":"sql","arguments":{"a":"secret"}}' });
    const { output } = patched(body, [{ path: "output[0]", text: '{"name":"sql","arguments":{"a":"***"}}' }]);
    expect(output).toEqual([{ type: "custom_tool_call", call_id: "c", name: "sql", input: '{"a":"***"}' }]);
  });
  test("an item of a response is read by its type, whatever other members it has", () => {
    const input = [
      { type: "custom_tool_call", name: "sql", arguments: "{}", input: "evil 0" },
      { type: "function_call", name: "f", arguments: '{"a":"evil 1"}', input: {} },
      { role: "user", type: "input_text", text: "evil 2" },
      { role: "assistant", type: "output_text", text: "evil 3" },
      { role: "user", type: "of another day", words: { more: "evil 4" } },
      { type: "image_generation_call", result: "aGk=", revised_prompt: "evil 5" },
    ];
    const found = segmentsOf("response", { input });
    for (const [index, kind] of ["tool_call", "tool_call", "text", "text", "text", "text"].entries())
      expect(found.filter(({ text }) => text.includes(`evil ${index}`)).map((segment): string => segment.kind)).toEqual([kind]);
    expect(found).toContainEqual(expect.objectContaining({ path: "input[5].result", kind: "image", text: "data:image/png;base64,aGk=" }));
    const [image] = answerSegments({ output: [{ type: "image_generation_call", result: "aGk=" }] });
    expect(image).toMatchObject({ kind: "image", path: "output[0].result", text: "data:image/png;base64,aGk=" });
    const changed = patched({ output: [input[1] ?? {}] }, [{ path: "output[0]", text: '{"name":"f","arguments":{"a":"***"}}' }]);
    expect(JSON.stringify(changed)).not.toContain("evil");
  });
  test("what a response says again goes with the text that was changed, and a thought's seal with the thought", () => {
    const part = { type: "output_text", text: "a secret", annotations: [], logprobs: [] };
    const thought = { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "seal" };
    const spoken = { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "a secret" }], encrypted_content: "seal" };
    const body = { output_text: "a secret", output: [{ type: "message", content: [part] }, thought, spoken] };
    const patches = [
      { path: "output[0].content[0].text", text: "***" },
      { path: "output[2].content[0].text", text: "***" },
    ];
    expect(patched(body, patches)).toEqual({
      output: [
        { type: "message", content: [{ type: "output_text", text: "***", annotations: [] }] },
        thought,
        { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "***" }] },
      ],
    });
    expect(patched(body, [{ path: "output[1].summary[0].text", text: "***" }]).output).toMatchObject([
      {},
      { summary: [{ text: "***" }] },
      {},
    ]);
    const given = JSON.parse(JSON.stringify({ input: body.output, output: body.output }).replaceAll("hm", "***")) as Json;
    const whole = patched({ input: body.output, output: body.output }, [{ body: given }]);
    for (const items of [whole.input, whole.output]) {
      expect(items).toMatchObject([{}, { summary: [{ text: "***" }] }, { encrypted_content: "seal" }]);
      expect((items as Json[])[1]).not.toHaveProperty("encrypted_content");
    }
  });
  test("what a response's model is told beside the conversation is read", () => {
    const schema = { description: "evil 1" };
    const format = { type: "json_schema", name: "n", schema };
    const prompt = { id: "pmpt_1", variables: { city: "evil 2", file: { type: "input_file", file_id: "f1" } } };
    const found = segmentsOf("response", { text: { format }, prompt, input: "Hi" });
    expect(brief(found)).toEqual([
      "text.format.name system text n",
      "text.format.schema.description system text evil 1",
      "prompt.variables.city user text evil 2",
      "prompt.variables.file.file_id user file f1",
      "input user text Hi",
    ]);
  });
  test("the members of items that are read may not be spelled otherwise", () => {
    for (const name of ["output", "result", "revised_prompt", "summary", "content", "arguments", "input"])
      expect([name, RESPONSE.names?.has(name)]).toEqual([name, true]);
  });
  test("every kind of item of a response says what it holds", () => {
    const input = [
      { type: "custom_tool_call", name: "sql", input: "SELECT 1" },
      {
        type: "custom_tool_call_output",
        output: [
          { type: "input_text", text: "one" },
          { type: "input_file", file_id: "f1" },
        ],
      },
      { type: "web_search_call", action: { query: "cats" } },
      { type: "mcp_approval_response", reason: "because" },
      { type: "message", role: "developer", content: "Be kind." },
      { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
    ];
    expect(segmentsOf("response", { input }).map(({ kind, role, text }) => [kind, role, text])).toEqual([
      ["tool_call", "assistant", '{"name":"sql","arguments":"SELECT 1"}'],
      ["tool_result", "tool", "one"],
      ["file", "tool", "f1"],
      ["tool_call", "assistant", JSON.stringify({ name: "web_search_call", arguments: { action: { query: "cats" } } })],
      ["text", "user", "because"],
      ["text", "system", "Be kind."],
      ["text", "assistant", "No."],
    ]);
  });
  test("an image that the model made is seen once, whether its answer has blocks or not", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    for (const more of [{}, { content_blocks: [{ type: "text", text: "a" }, image] }])
      expect(answerSegments({ choices: [{ message: { role: "assistant", content: "a", images: [image], ...more } }] })).toMatchObject([
        { kind: "text", text: "a" },
        { kind: "image", path: "choices[0].message.images[0].image_url.url" },
      ]);
  });
  test("a path that leads nowhere is refused", () => {
    for (const path of [
      "",
      "messages[9].content",
      "messages[0].nothing",
      "__proto__.polluted",
      "messages.__proto__.x",
      "constructor.name",
      "model.length",
      "messages[0]",
      "a..b",
      "messages[-1]",
    ]) {
      expect(() => patched(chat, [{ path, text: "{" }])).toThrow(PatchRefused);
    }
    expect(() => patched(chat, [{ body: [] as unknown as Json }])).toThrow(PatchRefused);
  });
});

describe("size", () => {
  const ofDocument = (document: Json): Json => ({ messages: [{ role: "user", content: [document] }] });
  test("deep nesting is read without failing", () => {
    let deep: unknown = "bottom";
    let document: Json = { type: "text", text: "bottom" };
    for (let level = 0; level < 5_000; level++) document = { type: "document", source: { type: "content", content: [document] } };
    expect(segmentsOf("messages", ofDocument(document)).map(({ kind }) => kind)).toEqual(["text"]);
    for (let level = 0; level < 5_000; level++) deep = level % 2 ? [deep] : { type: "tool_result", content: deep };
    expect(() => segmentsOf("chat", { messages: [{ role: "user", content: deep }] })).not.toThrow();
    expect(() =>
      segmentsOf("messages", { messages: [{ role: "user", content: [{ type: "tool_use", name: "x", input: { deep } }] }] }),
    ).not.toThrow();
  });
  test("the time grows with the size, not with its square", () => {
    const many = { messages: Array.from({ length: 20_000 }, (_, index) => ({ role: index % 2 ? "assistant" : "user", content: "x" })) };
    const startedAt = performance.now();
    const all = segmentsOf("chat", many);
    patched(
      many,
      all.map(({ path }) => ({ path, text: "y" })),
    );
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
  test.each<[string, Shape, Json]>([
    ["messages", "chat", { messages: Array.from({ length: 20_001 }, () => ({ role: "user", content: "x" })) }],
    [
      "strings of a tool's result",
      "messages",
      { messages: [{ role: "user", content: [{ type: "tool_result", content: Array<string>(20_001).fill("x") }] }] },
    ],
    ["strings of many lists", "input", { input: Array.from({ length: 201 }, () => Array<string>(100).fill("x")) }],
  ])("more than 20,000 texts are not read: %s", (_, form, body) => {
    expect(() => segmentsOf(form, body)).toThrow("The request body holds more than 20000 texts that are read by guardrails.");
  });
  test("strings by the hundred thousand that stand where nobody knows the form are one text", () => {
    const body = { tools: [{ name: "f", input_schema: { enum: Array<string>(450_000).fill("x") } }], messages: [] };
    const [all, ...others] = segmentsOf("messages", body);
    expect([all?.path, all?.text.length, others]).toEqual(["tools", 900_001, []]);
  });
});

test("arguments that nest too deeply to be written anew are judged without their escapes", () => {
  const deep = `${"[".repeat(100_000)}"forb\\u0069dden"${"]".repeat(100_000)}`;
  const call = { function: { name: "f", arguments: deep } };
  const startedAt = performance.now();
  const [segment] = segmentsOf("chat", { messages: [{ role: "assistant", content: null, tool_calls: [call] }] });
  expect(segment?.kind).toBe("tool_call");
  expect(segment?.text).toContain("forbidden");
  expect(performance.now() - startedAt).toBeLessThan(500); // what the runtime would take to find that it cannot write them
});
test("a call counts as many characters as its arguments have, which nobody reads for that", () => {
  const call = { function: { name: "f", arguments: `[${"{},".repeat(1_000_000)}{}]` } };
  const [segment] = segmentsOf("chat", { messages: [{ role: "assistant", content: null, tool_calls: [call] }] });
  expect(segment?.raw).toBe(`f ${call.function.arguments}`);
  expect(() => segment?.text).toThrow(expect.objectContaining({ code: "BODY_TAKES_LONG" }));
});
test("the arguments of a call are told as JSON, however long the text in them is", () => {
  const inputs: readonly Json[] = [
    {},
    { q: 'a "b" \\ \n😀' },
    { INVALID_JSON: `${'{"a":"😀"},'.repeat(100_000)}"` },
    { n: 1, q: [1, { x: null }], 'a "name"': true },
  ];
  for (const input of inputs) {
    const body = { messages: [{ role: "assistant", content: [{ type: "tool_use", id: "1", name: 'f"', input }] }] };
    const [segment] = segmentsOf("messages", body);
    expect(segment?.text).toBe(JSON.stringify({ name: 'f"', arguments: input }));
  }
});
