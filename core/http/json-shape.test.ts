import { describe, expect, test } from "bun:test";
import { jsonObject } from "./json-shape.ts";

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

describe("a long text", () => {
  test("with too many values is refused before it is parsed, and commas in strings are none", () => {
    expect(() => read(long(`{"a":[${"1,".repeat(200)}1]}`))).toThrow("more than 100 JSON values");
    expect(() => read(long(`{"a":[${"[],".repeat(99)}1]}`))).toThrow("more than 100 JSON values");
    expect(read(long(JSON.stringify({ a: ",[".repeat(200) })))).toEqual({ a: ",[".repeat(200) });
  });
  test("of opening brackets alone costs neither time nor memory", () => {
    const text = "[".repeat(15_000_000);
    const [before, startedAt] = [process.memoryUsage().rss, performance.now()];
    expect(() => read(text, 128, 500_000)).toThrow("nests deeper");
    expect(performance.now() - startedAt).toBeLessThan(50);
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
  });
  test("is crossed much faster than it is parsed", () => {
    const time = (work: () => unknown): number => {
      const startedAt = performance.now();
      work();
      return performance.now() - startedAt;
    };
    const text = JSON.stringify({
      messages: Array.from({ length: 20_000 }, (_, i) => ({ role: "user", content: `Message ${i} "quoted"` })),
    });
    const rounds = Array.from({ length: 7 }, () => ({
      parsed: time(() => JSON.parse(text)),
      both: time(() => read(text, 128, 500_000)),
    }));
    const least = (of: (round: (typeof rounds)[number]) => number): number => Math.min(...rounds.map(of));
    expect(least(({ both }) => both)).toBeLessThan(least(({ parsed }) => parsed) * 2);
  });
});
