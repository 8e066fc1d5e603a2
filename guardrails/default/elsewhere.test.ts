/** A check judges the same wherever it runs. */
import { afterAll, describe, expect, test } from "bun:test";
import { slowness } from "#kit";
import type { Check, CheckInput, Json, Segment, Verdict } from "#contract";
import { ComputePool } from "../../core/compute/pool.ts";
import { checks } from "./checks/index.ts";

const pool = new ComputePool({ processes: 1, deadlineMs: 20_000, memoryBytes: 1_000_000_000, log: () => undefined });
afterAll(() => pool.close());

const TEXTS: readonly string[] = [
  "",
  "one two, three. Four!",
  "ALL UPPER",
  "a\u0000b",
  "a lone \ud83d surrogate and a whole 😀",
  `${"é".repeat(150_000)}\udc00`,
  '{"a":1,"b":[1,2,{"c":"\\ud83d"}]}',
  'It is {"a": 5, "b": {"c": "}"}} and [1] here',
  '```json\n{"a":{"x":"é😀"}}\n```\n```py\nprint(1)\n```',
  "call 555-12-1234 or foo@bar.com",
  "x".repeat(200_000),
  JSON.stringify(Array.from({ length: 3_000 }, (_, i) => ({ a: i, b: "ü" }))),
  "[".repeat(5_000),
];

/** Parameters by check; every one of them judges every text. */
const PARAMS: Readonly<Record<string, readonly Json[]>> = {
  "default.wordCount": [{ minWords: 2, maxWords: 5, not: false }],
  "default.sentenceCount": [{ minSentences: 1, maxSentences: 9, not: true }],
  "default.characterCount": [{ minCharacters: 1, maxCharacters: 30, not: false }],
  "default.alluppercase": [{ not: false }],
  "default.isAllLowerCase": [{ not: false }],
  "default.contains": [{ words: ["two", "é", "\ud83d"], operator: "any" }],
  "default.containsCode": [{ format: "Python", not: false }],
  "default.jsonKeys": [
    { keys: ["a", "toString"], operator: "any" },
    { keys: ["a", "b"], operator: "all" },
  ],
  "default.jsonSchema": [
    { schema: { type: "object", required: ["a"], properties: { a: { type: "integer" } } }, not: false },
    { schema: { type: "array", uniqueItems: true, maxItems: 10 }, not: true },
    { schema: { $defs: { n: { anyOf: [{ type: "number" }, { items: { $ref: "#/$defs/n" } }] } }, $ref: "#/$defs/n" }, not: false },
    { schema: { type: "nonsense" }, not: false },
  ],
  "default.regexMatch": [
    { rule: "\\d{3}-\\d{2}-(?<last>\\d{4})", not: false },
    { rule: "(?i)[A-Z]+@[a-z]+\\.com", not: true },
    { rule: "\\p{L}+|😀", not: false },
    { rule: "(", not: false },
  ],
  "default.regexReplace": [
    { rule: "\\d{3}-\\d{2}-\\d{4}", failOnDetection: false },
    { rule: "/[a-z]+@[a-z]+\\.com/i", redactText: "😀", failOnDetection: false },
    { rule: "é|\\x{1F600}", replace: "", failOnDetection: true },
    { rule: "(", failOnDetection: false },
  ],
};

const priced = checks.filter((check): check is Extract<typeof check, Check> => typeof check !== "function" && check.cost !== undefined);

/** The text as three segments, where it can be cut. */
function segmentsOf(text: string): readonly Segment[] {
  const [first, second, ...rest] = text.split("\n");
  const texts = [first, second, rest.length > 0 ? rest.join("\n") : undefined].filter((part) => part !== undefined);
  return texts.map((part, index) => ({ path: `messages[${index}].content`, role: "user", kind: "text", text: part }));
}

async function here(check: Check, params: Json, text: string): Promise<unknown> {
  try {
    const said: Verdict = await check.run({ params, text, segments: segmentsOf(text), side: "input", now: 5 } as CheckInput<never>);
    return plain(said);
  } catch (thrown) {
    return (thrown as Error).message;
  }
}
async function elsewhere(check: Check, params: Json, text: string): Promise<unknown> {
  const work = { pack: { name: "guardrail/default" }, check: check.id, ask: "run", params, side: "input", text, now: 5 } as const;
  const pieces = check.transforms && { pieces: segmentsOf(text).map(({ text: { length: chars }, ...segment }) => ({ ...segment, chars })) };
  const answer = await pool.elsewhere({ ...work, ...pieces, tenant: "t", deadlineMs: 20_000, signal: null });
  if (answer.kind === "failed") return answer.message;
  if (answer.kind !== "verdict") return answer;
  return plain({ ...answer.verdict, ...(answer.dataText !== null && { data: JSON.parse(answer.dataText) }) });
}
/** As results show it; what is too long to be shown is left out on both sides. */
function plain(said: Verdict): unknown {
  const text = JSON.stringify(said.data ?? null);
  return { ...said, data: text.length > 60_000 ? "long" : JSON.parse(text) };
}
const withoutLong = (said: unknown): unknown =>
  typeof said === "object" && said !== null && "data" in said && JSON.stringify(said.data).includes("omitted")
    ? { ...said, data: "long" }
    : said;

test("every check that says what it costs is tried here", () =>
  expect(priced.map(({ id }) => id).sort()).toEqual(Object.keys(PARAMS).sort()));

describe.each(priced.map((check) => [check.id, check] as const))("%s", (id, check) => {
  test("finds the same in a process of its own as on the main thread", async () => {
    for (const params of PARAMS[id] ?? [])
      for (const text of TEXTS) expect(withoutLong(await elsewhere(check, params, text))).toEqual(await here(check, params, text));
  }, 60_000);
  test("says what it costs without looking at the text, and never less for a longer one", () => {
    for (const params of PARAMS[id] ?? []) {
      const costs = [0, 100, 10_000, 1_000_000].map((chars) => check.cost?.(params as never, chars) ?? Number.NaN);
      expect(costs.every((cost, i) => cost >= (costs[i - 1] ?? 0))).toBe(true);
    }
  });
});

/** Texts that are as bad for their length as they get, of a size whose estimate is a few milliseconds. */
const WORST: readonly [id: string, params: Json, text: string][] = [
  ["default.wordCount", {}, "a ".repeat(50_000)],
  ["default.sentenceCount", {}, ".".repeat(100_000)],
  ["default.contains", { words: Array.from({ length: 200 }, (_, i) => `aaaaaaaa${i}`), operator: "any" }, "a".repeat(2_000)],
  ["default.containsCode", { format: "SQL" }, "```x\n".repeat(3_000)],
  ["default.jsonKeys", { keys: ["a"], operator: "any" }, "{}".repeat(5_000)],
  ["default.jsonKeys", { keys: Array.from({ length: 100 }, (_, i) => `k${i}`), operator: "any" }, "{}".repeat(500)],
  ["default.alluppercase", {}, "A".repeat(1_000_000)],
  ["default.regexMatch", { rule: "(?i)(foo|bar|baz)+q" }, "fo".repeat(2_000)],
  ["default.regexMatch", { rule: `${"a{99}".repeat(10)}b` }, "a".repeat(1_000)],
  ["default.regexReplace", { rule: "a+b|a", redactText: "x" }, "a".repeat(1_000)],
  ["default.regexReplace", { rule: "[a-z]{2}", redactText: "x" }, "ab".repeat(20_000)],
];

test.each(WORST)(
  "%s takes no longer than it says, on a text made to be slow",
  async (id, params, text) => {
    const check = priced.find((one) => one.id === id) ?? expect.unreachable();
    const said = check.cost?.(params as never, text.length) ?? 0;
    const took = [];
    for (let i = 0; i < 15; i += 1) {
      const before = process.cpuUsage(); // of the processor: the machine may be busy with something else
      await here(check, { not: false, ...params }, text);
      const { user, system } = process.cpuUsage(before);
      took.push((user + system) / 1_000);
    }
    expect(Math.min(...took)).toBeLessThan(said * slowness());
  },
  30_000,
);
