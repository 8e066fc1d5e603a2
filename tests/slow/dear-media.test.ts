/** Images and files of many megabytes, or what is written in their place, keep nobody waiting, and take no more memory than they may. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rssMb } from "./memory.ts";
import { type Attacked, good, refusedFor, type Sent, startAttacked } from "./attacked.ts";

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked({ GATEWAY_MEMORY_MB: "200" });
});
afterAll(() => attacked.stop());

const MB = 1024 * 1024;
/** Twice the budget that the gateway was started with. */
const MOST_MB = 400;
const KEYS = { aws_access_key_id: "a", aws_secret_access_key: "s", aws_region: "eu-west-1" };
const ANSWERS = {
  anthropic: { content: [{ type: "text", text: "ok" }], stop_reason: "end_turn", usage: { input_tokens: 1, output_tokens: 1 } },
  google: { candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }], usageMetadata: {} },
  bedrock: { output: { message: { role: "assistant", content: [{ text: "ok" }] } }, stopReason: "end_turn", usage: {} },
} as const;
type Provider = keyof typeof ANSWERS;

function asking(provider: Provider, parts: readonly object[], more: object = {}): Sent {
  const custom_host = provider === "anthropic" ? attacked.upstream : attacked.upstream.replace("/v1", "");
  const config = { provider, api_key: "k", custom_host, ...(provider === "bedrock" && KEYS), ...more };
  const body = JSON.stringify({ model: "m", max_tokens: 5, messages: [{ role: "user", content: parts }] });
  return { path: "/v1/chat/completions", body, config };
}
const image = (url: string): object => ({ type: "image_url", image_url: { url } });
const file = (file_data: string, mime_type?: string): object => ({ type: "file", file: { file_data, filename: "a.txt", mime_type } });

const NO_COMMA = refusedFor(/A data URL needs a comma before its data/);
const CASES = {
  "31 MB of semicolons before the data": { of: () => [image(`data:image/png${";".repeat(31 * 1e6)},A`)], gets: NO_COMMA },
  "parameters by the million": { of: () => [image(`data:image/png${";a=b".repeat(4e6)},A`)], gets: NO_COMMA },
  "semicolons alone": { of: () => [image(`data:${";".repeat(20e6)}`)], gets: NO_COMMA },
  "semicolons in a file": { of: () => [file(`data:text/plain${";".repeat(31 * 1e6)},A`)], gets: NO_COMMA },
  "a picture of 28 MB": { of: () => [image(`data:image/png;base64,${"QUJD".repeat(7 * MB)}`)], gets: good },
  "a text of 28 MB in base64": { of: () => [file(`data:text/plain;base64,${"QUJD".repeat(7 * MB)}`)], gets: good },
  "a Chinese text of 28 MB in base64": {
    of: () => [file(`data:text/plain;base64,${Buffer.from("漢".repeat(7 * MB)).toString("base64")}`)],
    gets: good,
  },
  "7,000 files of one name": { of: () => Array.from({ length: 7_000 }, () => file("data:text/plain;base64,QUJD")), gets: good },
} as const;

for (const provider of Object.keys(ANSWERS) as Provider[]) // the keys of a literal
  describe(`for ${provider}`, () => {
    for (const [what, { of, gets }] of Object.entries(CASES))
      test(what, async () => {
        attacked.answers(JSON.stringify(ANSWERS[provider]), "application/json");
        const sent = asking(provider, of());
        const idle = rssMb(attacked.gateway);
        const peak = await attacked.quiet(`${what}, for ${provider}`, () => attacked.send(sent), gets);
        expect(peak).toBeLessThan(Math.max(idle, 160) + MOST_MB);
      }, 60_000);
  });

describe("ids of calls", () => {
  const id = "é:".repeat(1.5e6);
  const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
  for (const provider of Object.keys(ANSWERS) as Provider[]) // the keys of a literal
    test(`of three million characters, for ${provider}`, async () => {
      attacked.answers(JSON.stringify(ANSWERS[provider]), "application/json");
      const calls = [{ id, type: "function", function: { name: "f", arguments: "{}" } }];
      const messages = [
        { role: "user", content: "x" },
        { role: "assistant", tool_calls: calls },
        { role: "tool", tool_call_id: id, content: "k" },
      ];
      const sent = { ...asking(provider, []), body: JSON.stringify({ model: "m", max_tokens: 5, tools, messages }) };
      await attacked.quiet(`long ids, for ${provider}`, () => attacked.send(sent), good);
    }, 60_000);
});

describe("for bedrock alone", () => {
  const TYPE = ";".repeat(30e6);
  test.each<[string, () => readonly object[], typeof good]>([
    ["a media type of 30 MB", () => [{ type: "image_url", image_url: { url: "data:,A", mime_type: `image/png${TYPE}` } }], good],
    ["a text of 30 MB that is percent-encoded", () => [image(`data:text/plain,${"%41".repeat(1e7)}`)], refusedFor(/must be base64/)],
    [
      "25 texts of a megabyte that are percent-encoded",
      () => Array.from({ length: 25 }, () => image(`data:text/plain,${"%41".repeat(340_000)}`)),
      refusedFor(/must be base64/),
    ],
  ])(
    "%s",
    async (what, of, gets) => {
      attacked.answers(JSON.stringify(ANSWERS.bedrock), "application/json");
      const sent = asking("bedrock", of());
      await attacked.quiet(what, () => attacked.send(sent), gets);
    },
    60_000,
  );
});

describe("a part of a type that nobody knows, under a guardrail", () => {
  test.each([
    ["of 22 MB", "é ".repeat(7.5e6)],
    ["of 30 MB", "QUJD".repeat(7.4e6)],
  ])(
    "%s",
    async (what, x) => {
      attacked.answers(JSON.stringify(ANSWERS.anthropic), "application/json");
      const guard = { input_guardrails: [{ "default.contains": { words: ["zzz"], operator: "none" }, deny: true }] };
      const sent = asking(
        "anthropic",
        [
          { type: "text", text: "x" },
          { type: "foo", x },
        ],
        guard,
      );
      await attacked.quiet(`an unknown part ${what}`, () => attacked.send(sent), good);
    },
    60_000,
  );
});
