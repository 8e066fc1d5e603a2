/** What vendors are asked when their client speaks the Responses API: the same by those that have it, each its own words by the others. */
import { describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { jsonAnswer } from "../../kit/replay.ts";
import { at, bodyOf, forAll, type Json } from "../endpoints/api.ts";
import { anthropicBody } from "../messages/stand-ins.ts";

const api = forAll();
const ROOM = 64_000;
/** What the vendor is asked. */
async function asked(provider: string, model: string, members: Json): Promise<unknown> {
  const claude = anthropicBody({ content: [{ type: "text", text: "Four." }] });
  const gemini = { candidates: [{ index: 0, content: { role: "model", parts: [{ text: "Four." }] }, finishReason: "STOP" }] };
  const chat = {
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "Four." }, finish_reason: "stop" }],
  };
  api.upstream.answer(jsonAnswer(provider === "anthropic" ? claude : provider === "google" ? gemini : chat));
  const headers = { ...api.replayed, "x-gateway-provider": provider };
  bodyOf(await api.data("POST", "/v1/responses", headers, { model, input: "2+2?", max_output_tokens: ROOM, ...members }));
  return api.upstream.received.at(-1)?.json();
}
const CLAUDE = "claude-sonnet-4-5";
const GEMINI = "gemini-2.5-flash";

describe("reasoning.effort", () => {
  test.each([
    ["low", 12_800],
    ["medium", 32_000],
    ["high", 51_200],
    ["xhigh", 57_600],
  ])(
    verifies("D7.10.effort", "%s is a share of the request's limit at Anthropic's models with budgets: %d"),
    async (effort, budget_tokens) => {
      expect(at(await asked("anthropic", CLAUDE, { reasoning: { effort } }), "thinking")).toEqual({ type: "enabled", budget_tokens });
    },
  );
  test.each([
    ["low", 1024],
    ["medium", 8192],
    ["high", 24_576],
  ])(verifies("D7.10.effort", "%s is a budget of %d tokens at Gemini 2.5"), async (effort, thinkingBudget) => {
    const config = at(await asked("google", GEMINI, { reasoning: { effort } }), "generationConfig", "thinkingConfig");
    expect(config).toMatchObject({ thinkingBudget });
  });
  test(verifies("D7.10.effort", "is a compatible server's own word"), async () => {
    expect(await asked("openai-compatible", "m", { reasoning: { effort: "high" } })).toMatchObject({ reasoning_effort: "high" });
  });
  test(verifies("D7.10.thinking", "gives way to the body's own thinking"), async () => {
    const thinking = { type: "enabled", budget_tokens: 2000 };
    expect(at(await asked("anthropic", CLAUDE, { reasoning: { effort: "high" }, thinking }), "thinking")).toEqual(thinking);
  });
});

test(verifies("D7.10.roles", "a developer's word is the system's where a vendor knows no developer"), async () => {
  const input = [
    { role: "developer", content: "Be brief." },
    { role: "user", content: "2+2?" },
  ];
  expect(JSON.stringify(at(await asked("anthropic", CLAUDE, { input }), "system"))).toContain("Be brief.");
  expect(JSON.stringify(at(await asked("google", GEMINI, { input }), "systemInstruction"))).toContain("Be brief.");
  expect(at(await asked("openai-compatible", "m", { input }), "messages")).toMatchObject([{ content: "Be brief." }, { role: "user" }]);
});

describe("a vendor with a Responses API of its own", () => {
  const ANSWER: Json = {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "m",
    output: [
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Four.", annotations: [] }],
      },
    ],
  };
  const VENDORS = {
    openai: {},
    "azure-openai": { "x-gateway-azure-resource-name": "r" },
    groq: {},
    openrouter: {},
    "x-ai": {},
    "perplexity-ai": {},
  };
  test.each(Object.keys(VENDORS) as (keyof typeof VENDORS)[])(verifies("D7.10.native-vendors", "is asked by it: %s"), async (provider) => {
    api.upstream.answer(jsonAnswer(ANSWER));
    const headers = { ...api.replayed, ...VENDORS[provider], "x-gateway-provider": provider };
    const response = await api.data("POST", "/v1/responses", headers, { model: "m", input: "2+2?", of_tomorrow: { deep: 1 } });
    expect(bodyOf(response)).toEqual(ANSWER);
    const seen = api.upstream.received.at(-1);
    expect([seen?.path.endsWith("/responses"), seen?.json()]).toEqual([true, { model: "m", input: "2+2?", of_tomorrow: { deep: 1 } }]);
  });
  test.each([
    ["GET", "/v1/responses/resp_1?include=file_search_call.results&of_tomorrow=a%20b"],
    ["GET", "/v1/responses/resp_1/input_items?limit=3&order=asc&after=a&before=b"],
  ])(verifies("D7.10.query", "is asked with the client's own query: %s %s"), async (method, path) => {
    api.upstream.answer(jsonAnswer(path.includes("input_items") ? { object: "list", data: [], has_more: false } : ANSWER));
    bodyOf(await api.data(method, path, api.replayed));
    expect(api.upstream.received.at(-1)).toMatchObject({ method, path });
  });
});
