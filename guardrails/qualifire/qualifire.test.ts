import { expect, test } from "bun:test";
import type { Segment } from "#contract";
import { testPack } from "../../tests/kit/check.ts";
import { callOf } from "../../tests/kit/call.ts";
import manifest from "./manifest.json";
import pack from "./index.ts";
import { conversation, toolsIn } from "./tools.ts";

await testPack(pack, manifest);

const said = (kind: Segment["kind"], text: string): Segment => ({ path: "choices[0].message", role: "assistant", kind, text });

test("calls of tools are evaluated with their names and arguments, as a conversation", () => {
  const request = { messages: [{ role: "user", content: "the weather?" }] };
  const segments = [
    said("text", "I look."),
    said("tool_call", '{"name":"weather","arguments":"{\\"city\\":\\"Rome\\"}"}'),
    said("tool_call", '{"name":"clock","arguments":{"zone":"UTC"}}'),
    said("tool_call", "no JSON"),
  ];
  expect(conversation({ segments, call: { ...callOf({}), request } as never })).toEqual([
    { role: "user", content: "the weather?" },
    {
      role: "assistant",
      content: "I look.",
      tool_calls: [
        { id: "call_0", type: "function", function: { name: "weather", arguments: { city: "Rome" } } },
        { id: "call_1", type: "function", function: { name: "clock", arguments: { zone: "UTC" } } },
        { id: "call_2", type: "function", function: { name: undefined, arguments: "no JSON" } },
      ],
    },
  ]);
});

test.each([
  ["chat", { type: "function", function: { name: "weather", description: "says it", parameters: { type: "object" } } }],
  ["responses", { type: "function", name: "weather", description: "says it", parameters: { type: "object" } }],
  ["messages", { name: "weather", description: "says it", input_schema: { type: "object" } }],
])("tools are told as %s lists them", (_, tool) => {
  expect(toolsIn({ tools: [tool, { type: "web_search" }, null] })).toEqual([
    { name: "weather", description: "says it", parameters: { type: "object" } },
  ]);
});
test("a request without functions has none to tell", () => {
  expect([toolsIn(null), toolsIn({ tools: [{ type: "web_search" }] }), toolsIn({ tools: "all" })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
