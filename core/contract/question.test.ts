import { expect, test } from "bun:test";
import { questionOf } from "./question.ts";

const user = (content: unknown) => ({ role: "user", content });
test.each<[string, Parameters<typeof questionOf>[0], string]>([
  ["the last message", { messages: [user("a"), user("b")] }, "b"],
  ["its parts", { messages: [user([{ type: "text", text: "a" }, { type: "image_url" }, { type: "text", text: "b" }])] }, "a\nb"],
  [
    "the last of Google's contents",
    { contents: [{ parts: [{ text: "a" }] }, { role: "user", parts: [{ text: "b" }, { text: "c" }] }] },
    "b\nc",
  ],
  ["the prompt", { prompt: "a" }, "a"],
  ["the prompts", { prompt: ["a", "b"] }, "a\nb"],
  ["the input", { input: "a" }, "a"],
  ["the input's last message", { input: [user([{ type: "input_text", text: "a" }])] }, "a"],
  ["nothing", null, ""],
])("an answer is an answer to %s", (_, request, expected) => expect(questionOf(request)).toBe(expected));
