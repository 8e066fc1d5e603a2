import { expect, test } from "bun:test";
import { verifies } from "../../tests/requirements/verifies.ts";
import type { Json } from "./json.ts";
import type { RequestType } from "./operation.ts";
import { systemTextOf, withSystemText } from "./system-text.ts";

const user = { role: "user", content: "q" };

test.each<[string, Json | null, string]>([
  [
    "messages of the system and of developers",
    { messages: [{ role: "system", content: "a" }, user, { role: "developer", content: [{ type: "text", text: "b" }] }] },
    "a\nb",
  ],
  ["the member system", { system: [{ type: "text", text: "a" }], messages: [user] }, "a"],
  ["the instructions", { instructions: "a", input: "q" }, "a"],
  ["nothing", { messages: [user, null, "x"] }, ""],
  ["no request", null, ""],
])("a model is told %s", (_, request, expected) => expect(systemTextOf(request)).toBe(expected));

test.each<[RequestType, Json, Json]>([
  ["chatComplete", { messages: [user] }, { messages: [{ role: "system", content: "+" }, user] }],
  ["chatComplete", { messages: [user, { role: "developer", content: "a" }] }, { messages: [user, { role: "developer", content: "a+" }] }],
  [
    "chatComplete",
    { messages: [{ role: "system", content: [{ type: "text", text: "a" }] }] },
    {
      messages: [
        {
          role: "system",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "+" },
          ],
        },
      ],
    },
  ],
  ["messages", { messages: [user] }, { messages: [user], system: "+" }],
  ["messages", { system: "a", messages: [user] }, { system: "a+", messages: [user] }],
  ["createModelResponse", { instructions: "a", input: "q" }, { instructions: "a+", input: "q" }],
  ["complete", { prompt: "q" }, { prompt: "+q" }],
  ["complete", { prompt: ["p", "q"] }, { prompt: ["+p", "+q"] }],
  ["complete", { prompt: [1, 2] }, { prompt: [1, 2] }],
  ["embed", { input: "q" }, { input: "q" }],
])(verifies("G.partners.search", "a request %s with more to tell: %j becomes %j"), (type, before, after) => {
  const given = structuredClone(before);
  expect(withSystemText(given, type, "+")).toEqual(after);
  expect(given).toEqual(before);
});
