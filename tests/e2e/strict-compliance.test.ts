/** What clients of chat completions get beside OpenAI's own members, when they ask for it and when they do not. */
import { describe, expect, test } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { chat } from "./process.ts";
import { at, bodyOf, forAll, type Json } from "./endpoints/api.ts";
import { jsonAnswer, sseAnswer } from "../kit/replay.ts";
import { anthropicBody, anthropicStream, inEither } from "./messages/stand-ins.ts";

const api = forAll();
const LOOSE = { "x-gateway-strict-open-ai-compliance": "false" };
const CLAUDE = () => ({ ...api.replayed, "x-gateway-provider": "anthropic" });
const GEMINI = () => ({ ...api.replayed, "x-gateway-provider": "google", "x-gateway-custom-host": `${api.upstream.url}/v1beta` });
type Headers = Readonly<Record<string, string>>;

/** Whole, and the chunks of a stream one after the other, each as the client reads it. */
async function inBothForms(headers: Headers): Promise<{ readonly whole: Json; readonly chunks: readonly Json[] }> {
  const whole = bodyOf(await chat(api.gateway, { max_tokens: 10 }, headers));
  const { status, text } = await chat(api.gateway, { max_tokens: 10, stream: true }, headers);
  expect(status).toBe(200);
  expect(text).toEndWith("data: [DONE]\n\n");
  const frames = text.split("\n\n").filter((frame) => frame.startsWith("data: {"));
  return { whole, chunks: frames.map((frame) => JSON.parse(frame.slice("data: ".length)) as Json) };
}
const finishes = ({ whole, chunks }: { readonly whole: Json; readonly chunks: readonly Json[] }): unknown[] => [
  at(whole, "choices", 0, "finish_reason"),
  chunks.map((chunk) => at(chunk, "choices", 0, "finish_reason")).findLast((reason) => typeof reason === "string"),
];
/** Names of members, wherever they stand. */
const membersOf = (value: unknown): string[] =>
  typeof value !== "object" || value === null ? [] : Object.entries(value).flatMap(([name, inner]) => [name, ...membersOf(inner)]);

const MESSAGE = {
  content: [
    { type: "thinking", thinking: "hm", signature: "c2ln" },
    { type: "redacted_thinking", data: "eHg=" },
    { type: "text", text: "Four." },
  ],
};
const EXTRAS = [
  "content_blocks",
  "reasoning_content",
  "groundingMetadata",
  "safetyRatings",
  "citations",
  "hook_results",
  "thinking",
  "signature",
];
const CALL = { type: "tool_use", id: "toolu_1", name: "f", input: { a: 1 } };
function answersClaude(stop: string): void {
  const message = { content: stop === "tool_use" ? [...MESSAGE.content, CALL] : MESSAGE.content, stop };
  api.upstream.answer(inEither(anthropicStream(message), anthropicBody(message)));
}
function answersGemini(finishReason: string): void {
  const body = {
    candidates: [
      {
        index: 0,
        finishReason,
        content: { role: "model", parts: [{ text: "Four." }] },
        safetyRatings: [{ category: "HARM_CATEGORY_HARASSMENT", probability: "LOW" }],
        groundingMetadata: { webSearchQueries: ["two and two"] },
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  };
  api.upstream.answer(({ path }) => (path.includes("stream") ? sseAnswer(`data: ${JSON.stringify(body)}\r\n\r\n`) : jsonAnswer(body)));
}

describe("a strict client, which everybody is who says nothing,", () => {
  test(verifies("D6.strict-members", "gets OpenAI's members only, whole and streamed"), async () => {
    answersClaude("end_turn");
    const ofClaude = await inBothForms(CLAUDE());
    answersGemini("STOP");
    for (const answer of [ofClaude, await inBothForms(GEMINI())])
      expect(membersOf(answer).filter((name) => EXTRAS.includes(name))).toEqual([]);
  });
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["tool_use", "tool_calls"],
    ["refusal", "content_filter"],
  ])(verifies("D6.strict-finish", "reads OpenAI's word for Anthropic's %s: %s"), async (theirs, ours) => {
    answersClaude(theirs);
    expect(finishes(await inBothForms(CLAUDE()))).toEqual([ours, ours]);
  });
  test.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
  ])(verifies("D6.strict-finish", "reads OpenAI's word for Google's %s: %s"), async (theirs, ours) => {
    answersGemini(theirs);
    expect(finishes(await inBothForms(GEMINI()))).toEqual([ours, ours]);
  });
});

describe("a client that is not strict", () => {
  test(verifies("D6.loose-blocks", "gets the blocks of an answer as its provider wrote them"), async () => {
    answersClaude("end_turn");
    const { whole, chunks } = await inBothForms({ ...CLAUDE(), ...LOOSE });
    expect(at(whole, "choices", 0, "message", "content_blocks")).toEqual([
      { type: "thinking", thinking: "hm", signature: expect.stringContaining("c2ln") },
      ...MESSAGE.content.slice(1),
    ]);
    const types = chunks.flatMap((chunk) => (at(chunk, "choices", 0, "delta", "content_blocks") ?? []) as readonly Json[]); // a list where it stands
    expect(JSON.stringify(types)).toContain("c2ln");
    expect(JSON.stringify(types)).toContain("eHg=");
  });
  test(verifies("D6.loose-extras", "gets what its provider says beside the answer: safety ratings, grounding"), async () => {
    answersGemini("STOP");
    const { whole, chunks } = await inBothForms({ ...GEMINI(), ...LOOSE });
    for (const answer of [whole, chunks]) expect(membersOf(answer)).toEqual(expect.arrayContaining(["groundingMetadata", "safetyRatings"]));
  });
  test(verifies("D6.loose-extras", "gets what its provider says beside the answer: citations"), async () => {
    const cited = {
      type: "char_location",
      cited_text: "2+2=4",
      document_index: 0,
      document_title: "sums",
      start_char_index: 0,
      end_char_index: 5,
    };
    const message = { content: [{ type: "text", text: "Four.", citations: [cited] }] };
    api.upstream.answer(jsonAnswer(anthropicBody(message)));
    const asked = (headers: Headers): Promise<unknown> =>
      chat(api.gateway, { max_tokens: 10 }, { ...CLAUDE(), ...headers }).then((answer) => at(bodyOf(answer), "choices", 0, "message"));
    expect(JSON.stringify(await asked(LOOSE))).toContain("2+2=4");
    expect(JSON.stringify(await asked({}))).not.toContain("2+2=4");
  });
  test(verifies("D6.loose-finish", "reads the provider's own word for the end"), async () => {
    answersClaude("end_turn");
    expect(finishes(await inBothForms({ ...CLAUDE(), ...LOOSE }))).toEqual(["end_turn", "end_turn"]);
    answersGemini("RECITATION");
    expect(finishes(await inBothForms({ ...GEMINI(), ...LOOSE }))).toEqual(["RECITATION", "RECITATION"]);
  });
  test.each(["x-gateway-strict-open-ai-compliance", "x-gateway-strict-openai-compliance"])(
    verifies("D2.strict-names", "says so by either name of the header: %s"),
    async (name) => {
      answersClaude("end_turn");
      expect(finishes(await inBothForms({ ...CLAUDE(), [name]: "false" }))[0]).toBe("end_turn");
      expect(finishes(await inBothForms({ ...CLAUDE(), [name]: "true" }))[0]).toBe("stop");
    },
  );
});
