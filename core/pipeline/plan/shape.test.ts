import { expect, test } from "bun:test";
import { shaped } from "./shape.ts";

const none = { defaultParams: null, overrideParams: null, dropParams: [] };

test("a body with nothing to shape is the same object", () => {
  const body = { model: "m" };
  expect(shaped(body, none)).toBe(body);
});

test("defaults fill gaps, overrides win, drops go last", () => {
  const body = { temperature: 0.2, top_p: 1 };
  expect(shaped(body, { defaultParams: { temperature: 1, seed: 7 }, overrideParams: { top_p: 0.5 }, dropParams: ["seed"] })).toEqual({
    temperature: 0.2,
    top_p: 0.5,
  });
});

test.each([
  ["logprobs", { logprobs: true, n: 1 }, { n: 1 }],
  ["response_format.json_schema", { response_format: { type: "x", json_schema: {} } }, { response_format: { type: "x" } }],
  [
    "tools[0].function.strict",
    { tools: [{ function: { name: "a", strict: true } }, { function: { strict: true } }] },
    { tools: [{ function: { name: "a" } }, { function: { strict: true } }] },
  ],
  ["messages[1]", { messages: [1, 2, 3] }, { messages: [1, 3] }],
  [
    "tools[*].function.strict",
    { tools: [{ function: { strict: 1 } }, { function: { strict: 2 } }] },
    { tools: [{ function: {} }, { function: {} }] },
  ],
  [
    "messages[*].content[*].cache_control.scope",
    { messages: [{ content: [{ cache_control: { scope: "g", type: "e" } }] }, { content: "text" }] },
    { messages: [{ content: [{ cache_control: { type: "e" } }] }, { content: "text" }] },
  ],
  ["not.there[3]", { a: 1 }, { a: 1 }],
])("drop_params %s", (path, body, expected) => {
  const before = structuredClone(body);
  expect(shaped(body, { ...none, dropParams: [path] })).toEqual(expected);
  expect(body).toEqual(before);
});
