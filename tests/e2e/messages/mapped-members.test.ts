/** Members of a message, one by one, as a provider of another wire gets them. */
import { expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, forAll, type Json } from "../endpoints/api.ts";
import { chatBody } from "./stand-ins.ts";

const api = forAll();
const ASKED: Json = { model: "m", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] };
const PLAIN: Json = { model: "m", max_completion_tokens: 10, messages: [{ role: "user", content: "Hi" }] };
const TOOL = { name: "f", description: "It.", input_schema: { type: "object", properties: {} } };
const tools = [{ type: "function", function: { name: "f", description: "It.", parameters: TOOL.input_schema } }];
const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };

async function sentFor(members: Json): Promise<unknown> {
  api.upstream.answer(jsonAnswer(chatBody({ text: "ok", finish: "stop" })));
  const headers = { ...api.replayed, "x-gateway-provider": "openai-compatible" };
  bodyOf(await api.data("POST", "/v1/messages", headers, { ...ASKED, ...members }));
  return api.upstream.received.at(-1)?.json();
}

test.each<[string, Json, Json]>([
  ["max_tokens", { max_tokens: 7 }, { max_completion_tokens: 7 }],
  ["stop_sequences", { stop_sequences: ["A", "B"] }, { stop: ["A", "B"] }],
  [
    "a system text",
    { system: "Be brief." },
    {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
    },
  ],
  ["tools", { tools: [TOOL] }, { tools }],
  ["the choice auto", { tools: [TOOL], tool_choice: { type: "auto" } }, { tools, tool_choice: "auto" }],
  ["the choice any", { tools: [TOOL], tool_choice: { type: "any" } }, { tools, tool_choice: "required" }],
  ["the choice none", { tools: [TOOL], tool_choice: { type: "none" } }, { tools, tool_choice: "none" }],
  [
    "the choice of a tool",
    { tools: [TOOL], tool_choice: { type: "tool", name: "f" } },
    { tools, tool_choice: { type: "function", function: { name: "f" } } },
  ],
  ["the user", { metadata: { user_id: "u1" } }, { user: "u1" }],
  [
    "the form of the answer",
    { output_config: { format: { type: "json_schema", schema } } },
    { response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict: true } } },
  ],
  ["the effort", { output_config: { effort: "high" } }, { reasoning_effort: "high" }],
  ["how far to stray", { temperature: 0.5, top_p: 0.9 }, { temperature: 0.5, top_p: 0.9 }],
])(verifies("D7.11.mapped", "%s"), async (_, members, sent) => {
  expect(await sentFor(members)).toEqual({ ...PLAIN, ...sent });
});

test.each<[string, Json]>([
  ["thinking", { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 10 }],
  ["top_k", { top_k: 5 }],
  ["marks for the cache", { messages: [{ role: "user", content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }] }] }],
  ["container", { container: "c1" }],
  ["mcp_servers", { mcp_servers: [] }],
  ["service_tier", { service_tier: "auto" }],
  ["anthropic_beta", { anthropic_beta: ["b"] }],
])(verifies("D7.11.dropped", "%s"), async (_, members) => {
  const sent = JSON.stringify(await sentFor(members));
  for (const word of ["thinking", "top_k", "cache_control", "container", "mcp_servers", "service_tier", "anthropic_beta"])
    expect(sent).not.toContain(word);
});
