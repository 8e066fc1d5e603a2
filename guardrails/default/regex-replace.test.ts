import { describe, expect, test } from "bun:test";
import type { Json } from "#contract";
import { problemsOf } from "../../tests/kit/bound-check.ts";
import { judgedAnswer, judgedRequest } from "../../tests/kit/judged.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import regexReplace from "./checks/regexReplace.ts";
import { patternOf } from "./pattern.ts";

const asked = (text: string, parameters: Json) =>
  judgedRequest(regexReplace, { messages: [{ role: "user", content: text }] }, { parameters });
const after = async (text: string, parameters: Json): Promise<unknown> =>
  ((await asked(text, parameters)).body["messages"] as { content: unknown }[])[0]?.content;

describe(verifies("2.6.regex-replace", "what matches is replaced"), () => {
  test("every time, by either engine, and by what was asked for", async () => {
    expect(await after("a 555-1234 b 555-9999", { rule: "\\d{3}-\\d{4}" })).toBe("a [REDACTED] b [REDACTED]");
    expect(await after("x ada@acme.com, y", { rule: "[\\w.]+@[\\w.]+\\.\\w+", redactText: "$1 $&" })).toBe("x $1 $&, y");
    expect(await after("aXbxc", { rule: "/x/gi", replace: "" })).toBe("abc");
    expect(await after("one\ntwo", { rule: "/^t.*$/m", redactText: "-" })).toBe("one\n-");
    expect(await after("none", { rule: "z*" })).toBe("none");
  });
  test("and says how often, or fails where that is wanted", async () => {
    const { check, denied } = await asked("a1b2", { rule: "\\d" });
    expect([denied, check.transformed, check.data]).toEqual([false, true, expect.objectContaining({ verdict: true, matchCount: 2 })]);
    const failing = await asked("a1b2", { rule: "\\d", failOnDetection: true });
    expect([failing.denied, failing.check.transformed]).toEqual([true, false]);
    expect((await asked("ab", { rule: "\\d", failOnDetection: true })).denied).toBe(false);
  });
  test("in each text of a message, and in an answer", async () => {
    const parts = [
      { type: "text", text: "a1" },
      { type: "text", text: "b" },
      { type: "text", text: "c2" },
    ];
    const { body } = await judgedRequest(
      regexReplace,
      { messages: [{ role: "user", content: parts }] },
      { parameters: { rule: "\\d", replace: "-" } },
    );
    expect(JSON.stringify(body)).toBe(
      JSON.stringify({ messages: [{ role: "user", content: parts.map(({ text, type }) => ({ type, text: text.replace(/\d/, "-") })) }] }),
    );
    const answer = { choices: [{ index: 0, message: { role: "assistant", content: "a1" } }] };
    expect(JSON.stringify((await judgedAnswer(regexReplace, answer, { parameters: { rule: "\\d" } })).body)).toContain("a[REDACTED]");
  });
  test("unless the text would grow beyond measure", async () => {
    const { denied, check } = await asked("a".repeat(5_000), { rule: "a", redactText: "b".repeat(1_000) });
    expect([denied, check.error?.message]).toEqual([true, "The text would become too long."]);
  });
});

test("a pattern that is none, and flags that there are not, are refused", () => {
  for (const rule of ["(", "/a/y", "/(/g", "(?=a)"]) expect([rule, problemsOf(regexReplace, { rule }).length]).toEqual([rule, 1]);
  for (const rule of ["/a/", "/a/gims", "/", "a/b", "//"]) expect(problemsOf(regexReplace, { rule })).toEqual([]);
});

test("both engines find the same places", () => {
  for (const [rule, text] of [
    ["ab|b", "abbab"],
    ["\\bx", "x xx x"],
    ["(?i)é", "É é"],
    ["a{2}", "aaaaa"],
  ] as const)
    expect([rule, ...patternOf(rule).places(text)]).toEqual([rule, ...patternOf(`(?:${rule})`).places(text)]);
});
