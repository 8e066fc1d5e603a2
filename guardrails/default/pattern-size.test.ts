import { expect, test } from "bun:test";
import { slowness } from "#kit";
import { RE2JS } from "re2js";
import { patternSize } from "./pattern-size.ts";
import { patternCost, patternOf } from "./pattern.ts";

const RULES = [
  "abc",
  "a|b|cd",
  "\\d{3}-\\d{2}-\\d{4}",
  "(?i)(foo|bar)+baz?",
  "(?:a?){200}a{200}",
  "((a{100}){10}){1}",
  "(a{10}){0,50}b{3,}",
  "[^\\]a-z]{20}[]x]{5}",
  "(?P<name>x{7})(?<other>y)(?i:z{9})",
  "\\p{L}{100}\\x{1F600}{50}\\{{3}",
  "a{,5}{2}",
  "(x+x+)+y*?z??",
  "(((((a{2}){2}){2}){2}){2}){2}",
  "^$.\\b\\B\\A\\z",
  "(?s).{1000}",
];

test("the estimate of a pattern's size is never below the size of its program", () => {
  for (const rule of RULES) {
    const size = RE2JS.compile(RE2JS.translateRegExp(rule), RE2JS.LOOKBEHINDS).programSize();
    expect([rule, patternSize(rule) >= size]).toEqual([rule, true]);
  }
});

test("the estimate holds for patterns put together at random", () => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const PIECES = [
    "a",
    "\\d",
    "[a-c]",
    "[^x]",
    "(b|c)",
    "(?:d",
    "(e",
    ")",
    ")",
    "{3}",
    "{2,6}",
    "{4,}",
    "*",
    "+",
    "?",
    "|",
    ".",
    "\\(",
    "\\p{L}",
  ];
  let compiled = 0;
  for (let i = 0; i < 6_000; i += 1) {
    const rule = Array.from({ length: 1 + random(14) }, () => PIECES[random(PIECES.length)]).join("");
    let size: number;
    try {
      size = RE2JS.compile(RE2JS.translateRegExp(rule), RE2JS.LOOKBEHINDS).programSize();
    } catch {
      continue; // it is no pattern
    }
    compiled += 1;
    expect([rule, patternSize(rule) >= size]).toEqual([rule, true]);
  }
  expect(compiled).toBeGreaterThan(300);
}, 30_000);

test("what is spelled in a way that is not looked into counts as unbounded", () => {
  for (const rule of ["\\Qa)\\E", "[[:alpha:]]{3}", "(", "a)"]) expect(patternSize(rule)).toBe(Infinity);
});

test("estimating takes time linear in the pattern", () => {
  for (const rule of [
    "(".repeat(5_000),
    "[".repeat(10_000),
    "\\p{".repeat(3_000),
    "{1".repeat(5_000),
    "(?".repeat(5_000),
    "[^".repeat(5_000),
  ]) {
    const took = quickest(3, () => patternCost(rule, patternSize(rule)));
    expect(took).toBeLessThan(100 * slowness());
  }
}, 30_000);

/** Milliseconds of the processor, whatever else the machine is busy with; and not each time is some of it a collection's. */
function quickest(times: number, run: () => unknown): number {
  let best = Infinity;
  for (let i = 0; i < times; i += 1) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

test("a match takes no longer than was estimated", () => {
  for (const [rule, text] of [
    ["(?:a?){200}a{200}", "a"],
    ["(?i)(foo|bar|baz)+q", "fo"],
    ["\\p{L}+\\d", "é"],
    [`${"a{99}".repeat(20)}b`, "a"],
    ["(x+x+)+y", "x"],
    ["((((((a*))))))", "a"],
  ] as const) {
    const pattern = patternOf(rule);
    const long = text.repeat(20_000);
    expect([rule, quickest(5, () => pattern.find(long)) < patternCost(rule, long.length)]).toEqual([rule, true]);
  }
}, 30_000);
