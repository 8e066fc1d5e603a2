import { describe, expect, test } from "bun:test";
import { GatewayError, InnerJson } from "#contract";

const many = (count: number, of: (at: number) => string): string => Array.from({ length: count }, (_, at) => of(at)).join(",");
const DEAR = {
  "a million objects": `[${many(1_000_000, () => "{}")}]`,
  "four million lists": `[${many(4_000_000, () => "[]")}]`,
  "ten million numbers": `[${many(10_000_000, () => "1")}]`,
  "300,000 names": `{${many(300_000, (at) => `"n${at}":1`)}}`,
  "300,000 names with a blank behind": `{${many(300_000, (at) => `"n${at}" \n:1`)}}`,
  "long names": `{${many(30_000, (at) => `"${"n".repeat(300)}${at}":1`)}}`,
  "a million escapes": `{"a":"${"\\u0041".repeat(1_000_000)}"}`,
  "a million escaped quotes": `{"a":"${'\\"'.repeat(1_000_000)}"}`,
  "a million short texts": `[${many(1_000_000, (at) => `"${at}"`)}]`,
  "a number of three million digits": `[${"1".repeat(3_000_000)}]`,
  "quotes without an end": `"${'a"'.repeat(1_000_000)}`,
} as const;
const CHEAP = {
  "a text of 30 MB": { a: "some words ".repeat(2_800_000) },
  "300,000 characters of lines": { a: "a line\n".repeat(45_000) },
  "7,000 objects of the same three names": { list: Array.from({ length: 7_000 }, (_, at) => ({ id: at, name: "x", 'a "quoted\\': null })) },
  "7,000 names": Object.fromEntries(Array.from({ length: 7_000 }, (_, at) => [`name${at}`, at])),
} as const;

const codeOf = (read: () => unknown): string => {
  try {
    read();
    return "read";
  } catch (thrown) {
    return GatewayError.is(thrown) ? thrown.code : String(thrown);
  }
};

describe("JSON within a text", () => {
  for (const [what, text] of Object.entries(DEAR))
    test(`is refused before it is parsed where that takes long: ${what}`, () => {
      expect(codeOf(() => new InnerJson().parse(text))).toBe("BODY_TAKES_LONG");
      expect(codeOf(() => new InnerJson().argumentsOf(text))).toBe("BODY_TAKES_LONG");
    });
  for (const [what, value] of Object.entries(CHEAP))
    test(`is read: ${what}`, () => expect(Bun.deepEquals(new InnerJson().parse(JSON.stringify(value, null, 1)), value)).toBe(true));

  test("has a limit for all texts of a body together", () => {
    const inner = new InnerJson();
    const text = `[${many(5_000, () => "{}")}]`;
    expect(codeOf(() => Array.from({ length: 10 }, () => inner.parse(text)))).toBe("read");
    expect(codeOf(() => Array.from({ length: 100 }, () => inner.parse(text)))).toBe("BODY_TAKES_LONG");
  });
  test("that is none, or no object, is no arguments", () => {
    for (const text of ["", "no JSON", "[1]", "null", `{"a":${"[".repeat(600)}${"]".repeat(600)}}`, 5, undefined])
      expect(new InnerJson().argumentsOf(text)).toEqual({});
    expect(new InnerJson().argumentsOf('{"a":1}')).toEqual({ a: 1 });
    expect(new InnerJson().argumentsOf({ a: 1 })).toEqual({ a: 1 });
    expect(() => new InnerJson().parse("no JSON")).toThrow(SyntaxError);
  });
});
