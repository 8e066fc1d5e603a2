import { describe, expect, test } from "bun:test";
import { slowness } from "#kit";
import { messageOf } from "#contract";
import { type JsonLimits, JsonScan } from "./scan.ts";
import { jsonObject } from "./bounded.ts";

const read = (text: string, maxDepth = 8, maxValues = 100) => jsonObject(text, { maxDepth, maxValues });
/** The same text, long enough to be judged before it is parsed. */
const long = (text: string): string => text + " ".repeat(20_000);

describe.each([
  ["judged after it is parsed", (text: string) => text],
  ["judged before it is parsed", long],
])("a text that is %s", (_, made) => {
  test.each([
    ["an array that begins with a number", '{"a":[1,[[[[[[[[1]]]]]]]]]}'],
    ["objects", `{"a":${'{"b":'.repeat(9)}1${"}".repeat(9)}}`],
    ["very many arrays", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ])("is refused when it nests deeper than the limit, wherever it hides: %s", (_kind, text) =>
    expect(() => read(made(text))).toThrow("nests deeper"),
  );
  test.each([
    '{"a":[1,[2,{"b":3}]]}',
    String.raw`{"a":"[[[[[[[[[[[[","b\"[[[[[[[[[[[[":"\\","c":"\\\"[[[[[[[[[[[["}`,
    String.raw`{"\\":"]]]]}}}}","d":[[[[[[[1]]]]]]]}`,
  ])("passes when it nests no deeper: %s", (text) => expect(read(made(text))).toEqual(JSON.parse(text)));
  test.each(['{"a":"', '{"a":"\\', "{", '"', "[1", "{]", "x"])("is the parser's to refuse when it is no JSON: %j", (text) =>
    expect(() => read(made(text))).toThrow("not valid JSON"),
  );
});

function time(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

describe("a long text", () => {
  test("with too many values is refused before it is parsed, and commas in strings are none", () => {
    expect(() => read(long(`{"a":[${"1,".repeat(200)}1]}`))).toThrow("more than 100 JSON values");
    expect(() => read(long(`{"a":[${"[],".repeat(99)}1]}`))).toThrow("more than 100 JSON values");
    expect(read(long(JSON.stringify({ a: ",[".repeat(200) })))).toEqual({ a: ",[".repeat(200) });
  });
  test("of opening brackets alone costs neither time nor memory", () => {
    const text = "[".repeat(15_000_000);
    const before = process.memoryUsage().rss;
    const took = Array.from({ length: 5 }, () => time(() => expect(() => read(text, 128, 500_000)).toThrow("nests deeper")));
    expect(Math.min(...took)).toBeLessThan(50 * slowness()); // a busy machine delays some, a fault each
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
  });
  test("is crossed and parsed in three times what parsing it takes, at most", () => {
    const text = JSON.stringify({
      messages: Array.from({ length: 12_000 }, (_, i) => ({ role: "user", content: `Message ${i} "quoted"` })),
    });
    const least = { parsed: Number.POSITIVE_INFINITY, both: Number.POSITIVE_INFINITY };
    // As often as a busy machine needs for one round of each that it leaves in peace.
    for (let round = 0; round < 200 && (round < 7 || least.both >= least.parsed * 3); round += 1) {
      least.parsed = Math.min(
        least.parsed,
        time(() => JSON.parse(text)),
      );
      least.both = Math.min(
        least.both,
        time(() => read(text, 128, 500_000)),
      );
    }
    expect(least.both).toBeLessThan(least.parsed * 3);
  });
});

describe("what a text holds is judged", () => {
  const scan = (text: string, limits: Partial<JsonLimits> = {}, chars = text.length): string => {
    const scanned = new JsonScan({ maxDepth: 128, ...limits });
    try {
      for (let at = 0; at < text.length; at += chars) scanned.read(text.slice(at, at + chars));
      return "passes";
    } catch (thrown) {
      return messageOf(thrown);
    }
  };
  const many = (count: number, of: (i: number) => string): string => Array.from({ length: count }, (_, i) => of(i)).join(",");

  test.each<[string, string, RegExp]>([
    ["different names in one object", `{${many(200_000, (i) => `"name ${i}" : 1`)}}`, /different names of members/],
    ["objects with a name of their own", `[${many(200_000, (i) => `{"${i}":1}`)}]`, /15000 objects and arrays/],
    ["messages by the ten thousand", `[${many(16_000, () => '{"role":"user"}')}]`, /15000 objects and arrays/],
    ["long names", `{${many(100_000, (i) => `"${i}${"k".repeat(200)}":1`)}}`, /different names of members/],
    ["short texts", `[${many(300_000, (i) => `"t${i}"`)}]`, /different short texts/],
    ["escaped characters", `"${"\\n".repeat(5_000_000)}"`, /escaped characters/],
    ["escaped characters far behind", `"${`${"x".repeat(100)}\\n`.repeat(20_000)}${"\\u0041".repeat(5_000_000)}"`, /escaped/],
    ["numbers of many digits", `[${many(300_000, (i) => `0.${"1234567890".repeat(5)}${i}`)}]`, /long numbers/],
    ["a number of millions of digits", `[${"1".repeat(10_000_000)}]`, /long numbers/],
    ["pairs of quotes", '""'.repeat(1_000_000), /500000 JSON values/],
    ["words", `[${"null,true,1,".repeat(500_000)}1]`, /500000 JSON values/],
  ])("%s: refused where parsing would take long", (_, text, why) => {
    expect(scan(text)).toMatch(why);
    for (const chars of [10_007, 999_983]) expect(scan(text, {}, chars)).toMatch(why); // in slices too
  });

  test.each<[string, string]>([
    ["12,000 messages", `[${many(12_000, (i) => `{"role":"user","content":"m${i}"}`)}]`],
    ["300,000 tokens", `[${many(300_000, (i) => `${i % 100_000}`)}]`],
    ["a vector of 200,000 dimensions", `[${many(200_000, (i) => `${Math.sin(i) / 100}`)}]`],
    ["a book of short lines", `"${"It was the best of times, it was the worst of times,\\n".repeat(300_000)}"`],
    ["a picture", `"${"QUJD".repeat(7_000_000)}"`],
    ["escaped Chinese", `"${"\\u6f22".repeat(1_000_000)}"`],
    ["20,000 names", `{${many(20_000, (i) => `"name ${i}":${i}`)}}`],
    ["a name in each of 12,000 objects", `[\n${many(12_000, (i) => `  {\n    "a name of ordinary length" : ${i}\n  }`)}]`],
  ])("%s: passes", (_, text) => {
    expect(JSON.parse(text)).toBeDefined();
    expect([scan(text), scan(text, {}, 10_007)]).toEqual(["passes", "passes"]);
  });

  const TEXT = JSON.stringify({ a: [1, "x", null, { b: true }], "c,:[{": '"]}\\"', d: [[], {}, -1.5e3, false] }, null, 2);
  test.each<[keyof JsonLimits, number]>([
    ["maxDepth", 3],
    ["maxNames", 4],
    ["maxContainers", 6],
    ["maxPlain", 7],
    ["maxValues", 17],
  ])("each kind has a limit of its own: %s", (limit, exact) => {
    for (const chars of [1, 2, 3, 7, TEXT.length]) {
      expect(scan(TEXT, { [limit]: exact }, chars)).toBe("passes");
      expect(scan(TEXT, { [limit]: exact - 1 }, chars)).not.toBe("passes");
    }
  });
});
