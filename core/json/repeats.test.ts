import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { boundedJson, longJsonObject } from "./bounded.ts";
import { namesIn } from "./repeats.ts";

const LIMITS = { maxDepth: 64, maxValues: 100_000 };
const RUNS = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 200) };
const read = (text: string) => boundedJson(text, LIMITS);
/** The same, long enough for each way of reading. */
const LENGTHS: readonly (readonly [string, number])[] = [
  ["short", 0],
  ["scanned before it is parsed", 20_000],
];

test("names are counted as the parser sees them, whatever texts hold", () =>
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      let names = 0;
      JSON.parse(text, function (this: unknown, name: string, value: unknown) {
        if (name !== "" || Object.hasOwn(this as object, "")) names += Array.isArray(this) ? 0 : 1;
        return value;
      });
      const root = 1; // the reviver is asked for the root too, under an empty name
      expect(namesIn(text)).toBe(names - root);
      expect(read(text)).toEqual(JSON.parse(text));
    }),
    RUNS,
  ));

describe.each(LENGTHS)("in a %s text", (_, length) => {
  const padded = (text: string): string => text + " ".repeat(length);
  test.each([
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"x":[{"y":{"a":"\\"a\\":","a":2}}]}',
    '{"__proto__":1,"__proto__":2}',
    `{"${"n".repeat(60)}":1,"${"n".repeat(60)}":2}`,
  ])("a member that stands twice is refused: %s", (text) => expect(() => read(padded(text))).toThrow("twice in one object"));
  test.each([
    '{"a":{"a":{"a":"a:a"}},"b":[{"a":1},{"a":2}]}',
    '{"":{"":1}}',
    '{"a\\"":1,"a":":::","a\\\\":2}',
    '{"__proto__":{"a":1},"A":1,"a":2}',
  ])("one of another object, or of another spelling, is another member: %s", (text) =>
    expect(read(padded(text))).toEqual(JSON.parse(text)),
  );
});

test("in a text of megabytes a member that stands twice is found however far apart", async () => {
  const filler = Array.from({ length: 9_000 }, (_, i) => ({ role: "user", content: `${i} ${"word ".repeat(20)}` }));
  const text = (last: string) => new TextEncoder().encode(`{"messages":[],"model":"m","other":${JSON.stringify(filler)},"${last}":[]}`);
  await expect(longJsonObject(text("messages"), { maxDepth: 64 })).rejects.toThrow("twice in one object");
  expect(Object.keys(await longJsonObject(text("last"), { maxDepth: 64 }))).toEqual(["messages", "model", "other", "last"]);
});
