/** Bodies in the dialects that came after chat's, under guardrails on both sides: whoever asks for something else does not wait for them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Attacked, type Got, type Sent, startAttacked } from "./attacked.ts";
import { type DearBody, EMBEDDINGS, GEMINI, MESSAGES, RESPONSES } from "./dear-bodies.ts";

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked();
});
afterAll(() => attacked.stop());

/** One check for each choice of what is looked at. */
const SCOPES = ["last_message", "user_messages", "turn", "all_messages"];
const looking = { checks: SCOPES.map((scope) => ({ id: "default.contains", parameters: { words: ["zzz"], operator: "none", scope } })) };
const GUARD = { input_guardrails: [{ ...looking, deny: true }], output_guardrails: [{ ...looking, deny: true }] };

const USED = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const COUNTED = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const completion = (content: string): object => ({
  ...{ id: "x", object: "chat.completion", created: 1, model: "m", usage: COUNTED },
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
});
const SAID = {
  type: "message",
  id: "m1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "ok", annotations: [] }],
};
const ANSWERS = {
  chat: completion("ok"),
  message: {
    id: "x",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "ok" }],
    stop_reason: "end_turn",
    usage: USED,
  },
  generated: {
    candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1 },
  },
  response: { id: "resp_1", object: "response", created_at: 1, status: "completed", model: "m", output: [SAID], usage: USED },
  count: { input_tokens: 1 },
  embedding: { object: "list", data: [{ object: "embedding", index: 0, embedding: [1] }], model: "m", usage: COUNTED },
};

interface By {
  readonly provider: string;
  readonly answer: keyof typeof ANSWERS;
  readonly isTranslated?: true;
  /** Of the others all that can differ is how they are made into its form. */
  readonly only?: RegExp;
}
interface Route {
  readonly path: string;
  readonly bodies: Readonly<Record<string, DearBody>>;
  readonly by: readonly By[];
}
const MAPPED = /calls|call$|turns|thoughts|14,000|allowed|signatures/;
const NOT_LONG = /^(?!15 MB|a picture)/;
const ROUTES: readonly Route[] = [
  {
    path: "/v1/messages",
    bodies: MESSAGES,
    by: [
      { provider: "anthropic", answer: "message" },
      { provider: "openai", answer: "chat", isTranslated: true, only: NOT_LONG },
      { provider: "google", answer: "generated", isTranslated: true, only: MAPPED },
    ],
  },
  { path: "/v1/messages/count_tokens", bodies: MESSAGES, by: [{ provider: "anthropic", answer: "count", only: /short|7,000|14,000 t/ }] },
  {
    path: "/v1/responses",
    bodies: RESPONSES,
    by: [
      { provider: "openai", answer: "response" },
      { provider: "deepseek", answer: "chat", isTranslated: true, only: NOT_LONG },
      { provider: "anthropic", answer: "message", isTranslated: true, only: MAPPED },
    ],
  },
  {
    path: "/v1beta/models/m:generateContent",
    bodies: GEMINI,
    by: [
      { provider: "google", answer: "generated" },
      { provider: "openai", answer: "chat", isTranslated: true, only: NOT_LONG },
      { provider: "anthropic", answer: "message", isTranslated: true, only: MAPPED },
    ],
  },
  {
    path: "/v1beta/models/m:countTokens",
    bodies: GEMINI,
    by: [{ provider: "anthropic", answer: "count", only: /allowed|14,000 t|turns/ }],
  },
  { path: "/v1/embeddings", bodies: EMBEDDINGS, by: [{ provider: "openai", answer: "embedding" }] },
];
const configOf = (provider: string): object => {
  const custom_host = provider === "google" ? attacked.upstream.replace("/v1", "") : attacked.upstream;
  return { provider, api_key: "k", custom_host, ...GUARD };
};
const answered =
  (status: number) =>
  (got: Got): void =>
    expect([got.status, got.status === status ? "" : got.end]).toEqual([status, ""]);

/** The provider answers so: a body, or the events of a stream. */
const answers = (said: object | string): void =>
  attacked.answers(
    typeof said === "string" ? said : JSON.stringify(said),
    typeof said === "string" ? "text/event-stream" : "application/json",
  );
const nobodyWaits = (what: string, sent: Sent, gets: (got: Got) => void): Promise<unknown> =>
  attacked.quiet(what, () => attacked.send(sent), gets);

for (const { path, bodies, by } of ROUTES)
  for (const { provider, answer, isTranslated, only = /./ } of by)
    describe(`${path} of ${provider}`, () => {
      for (const [what, { make, status, translated = status }] of Object.entries(bodies).filter(([name]) => only.test(name)))
        test(what, async () => {
          answers(ANSWERS[answer]);
          const sent = { path, body: JSON.stringify(make()), config: configOf(provider) };
          const gets = answered(isTranslated ? translated : status);
          await nobodyWaits(`${what}, ${path} of ${provider}`, sent, gets);
        }, 60_000);
    });

test("hundreds of checks that look at the same texts in four ways", async () => {
  answers(ANSWERS.message);
  const checks = Array.from({ length: 100 }, (_, at) => ({
    id: "default.contains",
    parameters: { words: ["zzz"], operator: "none", scope: SCOPES[at % SCOPES.length] },
  }));
  const body = JSON.stringify(MESSAGES["14,000 texts"]?.make());
  const sent = {
    path: "/v1/messages",
    body,
    config: { ...configOf("anthropic"), input_guardrails: Array.from({ length: 4 }, () => ({ checks, deny: true })) },
  };
  // those for which there is neither time here nor room in the processes for checks close the door
  const judged = ({ status }: Got): void => expect([200, 446]).toContain(status);
  await nobodyWaits("400 checks of 14,000 texts", sent, judged);
}, 60_000);

describe("an answer that is kept", () => {
  const asking = (body: object): Sent => ({
    path: "/v1/responses",
    body: JSON.stringify({ model: "m", ...body }),
    config: configOf("deepseek"),
  });
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const streamOf = (text: string): string => `${chunk({ content: text })}${chunk({}, "stop")}data: [DONE]\n\n`;
  const TEXTS = { "of 1.9 MB": "some words ".repeat(172_000), "of 3.8 MB in Chinese": "漢".repeat(1_270_000) };
  const LONGEST_INPUT = "some words ".repeat(180_000);
  for (const [what, text] of Object.entries(TEXTS))
    for (const stream of [true, false])
      test(`${what}, ${stream ? "streamed" : "whole"}, and goes on from`, async () => {
        answers(stream ? streamOf(text) : completion(text));
        let id = "";
        await nobodyWaits(
          `kept ${what}, ${stream ? "streamed" : "whole"}`,
          asking({ stream, input: what.includes("Chinese") ? "x" : LONGEST_INPUT }),
          (got) => {
            answered(200)(got);
            id = /"id":"(resp_gw_\w+)"/.exec(got.begin)?.[1] ?? "";
          },
        );
        answers(completion("ok"));
        const next = asking({ previous_response_id: id, input: "And?" });
        await nobodyWaits(`${what}, ${stream ? "streamed" : "whole"}, goes on`, next, answered(200));
      }, 60_000);

  test("with an input of 15 MB, which is too much to keep", async () => {
    answers(completion("ok"));
    const sent = asking({ input: "漢字 ".repeat(1_600_000) });
    await nobodyWaits("15 MB of input", sent, answered(200));
  }, 60_000);
  test("to instructions of 15 MB, which the events of a stream would repeat", async () => {
    answers(streamOf("ok"));
    const sent = asking({ input: "x", stream: true, instructions: "some words ".repeat(1_300_000) });
    await nobodyWaits("15 MB of instructions", sent, answered(200));
  }, 60_000);
  test("in a call of a custom tool whose arguments are dear to parse", async () => {
    const args = JSON.stringify({ input: "a", x: Array.from({ length: 600_000 }, () => ({})) });
    const call = (more: object): string => chunk({ tool_calls: [{ index: 0, ...more }] });
    const begun = call({ id: "c", type: "function", function: { name: "f", arguments: "" } });
    answers(`${begun}${call({ function: { arguments: args } })}${chunk({}, "tool_calls")}data: [DONE]\n\n`);
    const sent = asking({ input: "x", stream: true, tools: [{ type: "custom", name: "f" }] });
    await nobodyWaits("dear arguments", sent, answered(200));
  }, 60_000);
});
