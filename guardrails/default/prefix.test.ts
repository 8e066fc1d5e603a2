import { describe, expect, test } from "bun:test";
import type { Json, OperationId } from "#contract";
import { judgedRequest } from "../../tests/kit/judged.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import addPrefix from "./checks/addPrefix.ts";
import { type Prefix, PREFIXED, type Role } from "./prefix.ts";

type Type = keyof typeof PREFIXED;
const prefixed = (type: Type, body: Json, more: Partial<Prefix> = {}): Json =>
  PREFIXED[type](body, { text: "P ", role: "user", intoExisting: true, onlyIfEmpty: false, ...more });
const user = (content: unknown): Json => ({ role: "user", content });

describe(verifies("2.6.add-prefix", "a prefix stands before what is said"), () => {
  const rows: readonly (readonly [Type, Role, Json, Json])[] = [
    ["chatComplete", "user", { messages: [user("a"), user("b")] }, { messages: [user("P a"), user("b")] }],
    [
      "chatComplete",
      "user",
      { messages: [user([{ type: "image_url" }, { type: "text", text: "a" }])] },
      { messages: [user([{ type: "image_url" }, { type: "text", text: "P a" }])] },
    ],
    ["chatComplete", "system", { messages: [user("a")] }, { messages: [{ role: "system", content: "P " }, user("a")] }],
    ["chatComplete", "system", { messages: [{ role: "developer", content: "a" }] }, { messages: [{ role: "developer", content: "P a" }] }],
    ["chatComplete", "assistant", { messages: [user("a")] }, { messages: [user("a"), { role: "assistant", content: "P " }] }],
    ["complete", "user", { prompt: "a" }, { prompt: "P a" }],
    ["complete", "user", { prompt: ["a", "b"] }, { prompt: ["P a", "b"] }],
    ["messages", "system", { system: "a" }, { system: "P a" }],
    ["messages", "system", { system: [{ type: "text", text: "a" }] }, { system: [{ type: "text", text: "P a" }] }],
    ["messages", "system", { messages: [] }, { messages: [], system: "P " }],
    [
      "messages",
      "user",
      { messages: [user([{ type: "tool_result", content: "x" }])] },
      {
        messages: [
          user([
            { type: "tool_result", content: "x" },
            { type: "text", text: "P " },
          ]),
        ],
      },
    ],
    ["createModelResponse", "user", { input: "a" }, { input: "P a" }],
    [
      "createModelResponse",
      "user",
      { input: [{ type: "reasoning" }, user([{ type: "input_text", text: "a" }])] },
      { input: [{ type: "reasoning" }, user([{ type: "input_text", text: "P a" }])] },
    ],
    ["createModelResponse", "system", { instructions: "a", input: "b" }, { instructions: "P a", input: "b" }],
    ["createModelResponse", "assistant", { input: "a" }, { input: [user("a"), { role: "assistant", content: "P " }] }],
    ["generateContent", "user", { contents: [{ parts: [{ text: "a" }] }] }, { contents: [{ parts: [{ text: "P a" }] }] }],
    [
      "streamGenerateContent",
      "assistant",
      { contents: [{ role: "model", parts: [{ text: "t", thought: true }, { text: "a" }] }] },
      { contents: [{ role: "model", parts: [{ text: "t", thought: true }, { text: "P a" }] }] },
    ],
    ["generateContent", "system", { contents: [] }, { contents: [], systemInstruction: { parts: [{ text: "P " }] } }],
    ["generateContent", "system", { system_instruction: { parts: [{ text: "a" }] } }, { system_instruction: { parts: [{ text: "P a" }] } }],
  ];
  test.each(rows)("%s, %s: %j", (type, role, before, after) => {
    const asGiven = structuredClone(before);
    expect(prefixed(type, before, { role })).toEqual(after);
    expect(before).toEqual(asGiven);
  });
  test("as a message of its own where that is wanted", () => {
    expect(prefixed("chatComplete", { messages: [user("a")] }, { intoExisting: false })).toEqual({ messages: [user("P "), user("a")] });
    const contents = [{ role: "user", parts: [{ text: "a" }] }];
    expect(prefixed("generateContent", { contents }, { intoExisting: false })).toEqual({
      contents: [{ role: "user", parts: [{ text: "P " }] }, ...contents],
    });
  });
  test("only where nothing is said, where that is wanted", () => {
    const said = { messages: [user("a")] };
    expect(prefixed("chatComplete", said, { onlyIfEmpty: true })).toBe(said);
    const image = { messages: [user([{ type: "image_url", image_url: { url: "x" } }])] };
    expect(prefixed("chatComplete", image, { onlyIfEmpty: true })).toBe(image);
    expect(prefixed("chatComplete", { messages: [user(" ")] }, { onlyIfEmpty: true })).toEqual({ messages: [user("P  ")] });
    expect(prefixed("messages", { system: "" }, { role: "system", onlyIfEmpty: true })).toEqual({ system: "P " });
  });
});

test("the check changes requests of its dialects, and leaves others alone", async () => {
  const asked = (body: Json, operation: OperationId, parameters: Json) => judgedRequest(addPrefix, body, { operation, parameters });
  const { body, denied, check } = await asked({ messages: [user("a")] }, "chatComplete", { prefix: "P " });
  expect([body, denied, check.transformed]).toEqual([{ messages: [user("P a")] }, false, true]);
  const kept = await asked({ messages: [user("a")] }, "chatComplete", { prefix: "P ", onlyIfEmpty: true });
  expect([kept.body, kept.check.transformed]).toEqual([{ messages: [user("a")] }, false]);
  await expect(asked({ input: "a" }, "embed", { prefix: "P " })).rejects.toThrow("the check did not run");
});
