/** Many checks at once, on texts made to be slow for them: whoever asks for something else does not wait for them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Attacked, type Got, startAttacked } from "./attacked.ts";

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked();
});
afterAll(() => attacked.stop());

const filled = (piece: string, chars: number): string => piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars);
const PII = {
  "gateway.pii": { categories: ["EMAIL_ADDRESS", "PHONE_NUMBER", "LOCATION_ADDRESS", "NAME", "IP_ADDRESS", "CREDIT_CARD", "SSN"] },
};
const HELLO = { role: "user", content: "Tell me more, Maria Lopez." };

describe("sixty checks for personal data", () => {
  const guardrails = Array.from({ length: 60 }, () => ({ ...PII, deny: true }));
  const config = () => ({ provider: "openai", api_key: "k", custom_host: attacked.upstream, input_guardrails: guardrails });
  const judged = ({ status }: Got): void => expect(status).toBe(446);
  for (const chars of [3_000, 300_000])
    for (const piece of ["Aa Bb ", "joe@"])
      test(`of ${chars} characters of ${JSON.stringify(piece)}`, async () => {
        const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: filled(piece, chars) }, HELLO] });
        const attack = () => attacked.send({ path: "/v1/chat/completions", body, config: config() });
        await attacked.quiet(`60 checks of ${chars} characters of ${JSON.stringify(piece)}`, attack, judged);
      }, 60_000);
});

/* ── a hundred checks, eight times at once ───────────────────────────────────────────────────────────────────── */

const CHECKS: readonly (readonly [id: string, parameters: object])[] = [
  ...Object.entries(PII),
  ["gateway.gibberish", {}],
  ["gateway.language", { language: "eng_Latn" }],
  ["gateway.moderateContent", { categories: ["hate", "violence"] }],
  ["default.regexMatch", { rule: "(a|b|ab)*c\\d+" }],
  ["default.regexReplace", { rule: "\\d" }],
  ["default.jsonSchema", { schema: { type: "object", properties: { a: { type: "string" } } } }],
  ["default.jsonKeys", { keys: ["a"] }],
  ["default.containsCode", { format: "SQL" }],
  ["default.contains", { words: Array.from({ length: 200 }, (_, at) => `word${at}`), operator: "none" }],
  ["default.validUrls", { onlyDNS: true }],
  ["default.wordCount", {}],
  ["default.sentenceCount", {}],
  ["default.characterCount", {}],
  ["default.endsWith", { suffix: "x" }],
  ["default.alluppercase", {}],
  ["default.isAllLowerCase", {}],
  ["default.notNull", {}],
  ["default.requestParametersCheck", { params: { blockedKeys: ["x"] } }],
  ["default.modelWhitelist", { models: ["m"] }],
];
const hundred = (rows: typeof CHECKS): readonly object[] =>
  Array.from({ length: 100 }, (_, at) => {
    const [id, parameters] = rows[at % rows.length] ?? ["", {}];
    return { id, parameters };
  });

const TEXTS: Readonly<Record<string, string>> = {
  digits: "4",
  quotes: '"',
  "half pairs": "\ud800a",
  homoglyphs: "раураl јое ",
  braces: '{"a":[',
  fences: "```sql\n",
  addresses: "https://e.example/",
};

describe("a hundred checks, eight times at once", () => {
  const evaluate = async (checks: readonly object[], text: string): Promise<number> => {
    const { base, adminKey } = attacked.gateway;
    const response = await fetch(`${base}/v2/guardrails/evaluate`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-gateway-api-key": adminKey },
      body: JSON.stringify({
        checks,
        event: "afterRequestHook",
        request: { json: { model: "m", messages: [HELLO] } },
        response: { json: { choices: [{ index: 0, message: { role: "assistant", content: text } }] } },
      }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const eight = async (text: string): Promise<Got> => {
    const checks = hundred(CHECKS);
    const statuses = await Promise.all(Array.from({ length: 8 }, () => evaluate(checks, text)));
    return { status: Math.max(...statuses), begin: "", end: JSON.stringify(statuses) };
  };
  for (const [what, piece] of Object.entries(TEXTS))
    test(`on 500,000 characters of ${what}`, async () => {
      const text = filled(piece, 500_000);
      await attacked.quiet(
        `8 × 100 checks on ${what}`,
        () => eight(text),
        ({ status, end }) => expect([200, 503], end).toContain(status), // where memory is taken, some are told to come again
      );
    }, 120_000);
});
