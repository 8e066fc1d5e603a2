import { describe, expect, test } from "bun:test";
import { slowness } from "#kit";
import { headerClasses } from "#contract";
import { headerReader } from "./headers.ts";
import { HeaderMap } from "./header-map.ts";

const reader = headerReader(headerClasses([]));
const read = (name: string, text: string) => reader(new HeaderMap(new Headers({ [name]: text })));
const METADATA = "x-gateway-metadata";
const LISTS = ["x-gateway-forward-headers", "x-gateway-sensitive-headers"];

const TOO_MANY = /more than 5000 JSON values and names of members/;
const many = (count: number, of: (i: number) => string): string => Array.from({ length: count }, (_, i) => of(i)).join(",");
const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
/** Milliseconds, the least of some: a busy machine delays the others. */
function leastMs(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i += 1) {
    const startedAt = performance.now();
    work();
    least = Math.min(least, performance.now() - startedAt);
  }
  return least;
}
function refusal(name: string, text: string): unknown {
  try {
    return read(name, text);
  } catch (thrown) {
    return thrown;
  }
}

describe("JSON in a header is judged before it is parsed, whatever key comes with it", () => {
  const HOSTILE: readonly (readonly [string, string, string, RegExp])[] = [
    ["different names", METADATA, `{${many(27_000, (i) => `"n${i}":1`)}}`, TOO_MANY],
    ["short texts", METADATA, `{"a":[${many(40_000, (i) => `"t${i}"`)}]}`, TOO_MANY],
    ["levels", METADATA, `{"a":${nested(180_000)}}`, /deeper than 128 levels/],
    ["a few levels too many", METADATA, `{"a":${nested(128)}}`, /deeper than 128 levels/],
    ...LISTS.flatMap((name) => [
      [`texts in ${name}`, name, `[${many(40_000, (i) => `"t${i}"`)}]`, TOO_MANY] as const,
      [`levels in ${name}`, name, nested(180_000), /deeper than 128 levels/] as const,
      [`names in ${name}`, name, "a,".repeat(190_000), /more than 5000 items/] as const,
    ]),
  ];
  test.each(HOSTILE)("%s: refused, and soon", (_, name, text, why) => {
    expect(refusal(name, text)).toMatchObject({ code: "HEADER_INVALID", param: name, message: expect.stringMatching(why) });
    expect(leastMs(() => refusal(name, text))).toBeLessThan(15 * slowness());
  });

  test.each([
    ["ordinary metadata", `{"team":"red","n":5,"deep":${nested(120)}}`],
    ["much metadata", `{${many(2_400, (i) => `"n${i}":"${"v".repeat(100)}"`)}}`],
  ])("%s is read as it is", (_, text) => expect(read(METADATA, text).metadata).toEqual(JSON.parse(text)));
  test("a list is read in both forms", () => {
    for (const text of ["a, b", '["a","b"]']) expect(read("x-gateway-forward-headers", text).forwardHeaders).toEqual(["a", "b"]);
  });
  test("what is no JSON is refused with what it must be", () => {
    expect(refusal(METADATA, "{")).toMatchObject({
      message: expect.stringMatching(/^The header x-gateway-metadata is not valid: it must be a JSON value, and is none: .+\.$/),
    });
    expect(refusal(METADATA, `{${" ".repeat(20_000)}`)).toMatchObject({
      message: expect.stringContaining("it must be a JSON value, and is none: "),
    });
  });
});

describe("a header of ours that there is not", () => {
  test.each([
    ["x-gateway-confg", "config"],
    ["x-gateway-customhost", "custom-host"],
    ["x-gateway-meta-data", "metadata"],
    ["x-gateway-providers", "provider"],
  ])("is refused when another was probably meant: %s", (name, meant) =>
    expect(refusal(name, "a")).toMatchObject({
      code: "HEADER_INVALID",
      message: expect.stringContaining(`x-gateway-${meant} was probably meant`),
    }),
  );
  test("may be a field of a provider's target when it is like none", () =>
    expect(read("x-gateway-aws-region", "eu")).toMatchObject({ rest: { "aws-region": "eu" } }));
});
