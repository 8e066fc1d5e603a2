import { describe, expect, test } from "bun:test";
import { slowness } from "#kit";
import type { GuardrailResult } from "#contract";
import { withoutQuotes } from "./quotes.ts";

const resultOf = (data: unknown, message: string | null = null): GuardrailResult =>
  ({ id: "g", checks: [{ id: "c", data, error: message && { name: "Check error", message } }] }) as unknown as GuardrailResult;
const runOf = (params: object) => ({ judged: [{ check: { params } }] }) as never;
const shown = (data: unknown, texts: { before: string; after: string }, params = {}): unknown =>
  withoutQuotes([resultOf(data)], [runOf(params)], texts)[0]?.checks[0]?.data;

describe("results without what they quote", () => {
  const before = "I am Anna, my number is 123-45-6789, write to anna@a.example.";
  const after = "I am {{NAME_1}}, my number is {{SSN_1}}, write to {{EMAIL_1}}.";
  test("show what is left of a text, and nothing that was taken out", () => {
    expect(
      shown({ textExcerpt: `${before.slice(0, 40)}...`, words: 9, found: ["Anna", "number", "123-45-6789"] }, { before, after }),
    ).toEqual({
      textExcerpt: "I am [removed], my number is [removed], wri...",
      words: 9,
      found: ["[removed]", "number", "[removed]"],
    });
  });
  test("of what is denied show neither excerpts nor what was found in it", () => {
    expect(
      shown(
        { textExcerpt: "I am Anna, my...", rule: "Anna", operator: "none", explanation: "The text has more than 9 words." },
        { before, after: "" },
        { rule: "Anna" },
      ),
    ).toEqual({ textExcerpt: "[removed]", rule: "Anna", operator: "none", explanation: "The text has more than 9 words." });
  });
  test("quote it in no message either", () => {
    const [result] = withoutQuotes([resultOf(null, "could not read anna@a.example")], [runOf({})], { before, after });
    expect(result?.checks[0]?.error?.message).toBe("could not read [removed]");
  });
  const taken = { before: "jane@x.org paid with 4111111111111111.", after: "{{EMAIL_1}} paid with {{CARD_1}}." };
  test.each<[string, unknown, unknown]>([
    ["the name of a member", { matches: { "jane@x.org": 2 } }, { matches: { "[removed]": 2 } }],
    ["names of two", { "jane@x.org": 1, "JANE@x.org": 2 }, { "[removed]": 1, "[removed] 2": 2 }],
    ["a number", { card: 4111111111111111, paid: 12 }, { card: "[removed]", paid: 12 }],
    ["words that are joined", "name:jane@x.org|card=4111111111111111", "name:[removed]|card=[removed]"],
    ["a word in another", "to#jane@x.org", "[removed]"],
    ["other letters", "JANE@X.ORG", "[removed]"],
    ["the end of a number", "ends with 1111", "ends with [removed]"],
    ["what is left", { explanation: "The pattern matches the text 2 times.", paid: "paid with" }, "the same"],
  ])("quote it as %s neither", (_, data, expected) => {
    expect(shown(data, taken)).toEqual(expected === "the same" ? data : expected);
  });
  test("keep the names that checks give their members where all of a text is hidden", () => {
    const data = { explanation: "It was denied.", matchCount: 1, found: { "write to": 1 } };
    expect(shown(data, { before: "Explanation: the matchCount, write to me", after: "" })).toEqual({
      explanation: "It was denied.",
      matchCount: 1,
      found: { "[removed]": 1 },
    });
  });
  test("a short word is no quote of one that holds it in its middle", () => {
    const data = { explanation: "The pattern matches the text." };
    expect(shown(data, { before: "I am Catherine.", after: "I am {{NAME_1}}." })).toEqual(data);
  });
  test("show nothing where there is more to be looked through than time", () => {
    const long = "x ".repeat(4_000_000);
    expect(shown({ explanation: "word", found: ["word", 123456] }, { before: long, after: long })).toEqual({
      explanation: "[removed]",
      found: ["[removed]", "[removed]"],
    });
    const many = Array.from({ length: 20_000 }, (_, at) => `word${at}`);
    expect((shown(many, { before: "a text", after: "text" }) as readonly string[]).every((word) => word === "[removed]")).toBe(true);
  });

  const repeated = "a".repeat(245_000);
  const alike = `${"a".repeat(3_998)}1`;
  test.each<[string, string, readonly string[]]>([
    ["that holds nearly what is looked for, everywhere", alike.repeat(61), Array.from({ length: 20 }, () => `${"a".repeat(3_997)}b0`)],
    ["of words", "anna paid once ".repeat(16_300), Array.from({ length: 5_000 }, (_, at) => `word${at}`)],
    ["that holds all that is looked for, everywhere", repeated, [3, 4, 5, 6, 7, 3_999].map((length) => "a".repeat(length))],
  ])("look through texts of half a million characters together in a moment: one %s", (_, before, data) => {
    const cpuMs = () => {
      const startedAt = process.cpuUsage();
      shown(data, { before: `${before}1`, after: before });
      const { user, system } = process.cpuUsage(startedAt);
      return (user + system) / 1_000;
    };
    expect(Math.min(cpuMs(), cpuMs(), cpuMs())).toBeLessThan(100 * slowness());
  });
});
