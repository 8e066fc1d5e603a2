import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { turnsDuring } from "#kit";
import { parsedInGroups } from "./groups.ts";
import { JsonScan } from "./scan.ts";

const LIMITS = { maxDepth: 64, maxValues: 10_000_000, maxContainers: 1_000_000, maxWorkMs: 10_000 };

/** Reads a text as a long one is read: scanned in slices, parsed in groups and parts of so many bytes. */
async function read(text: string, sizes: { readonly slice: number; readonly group?: number; readonly part?: number } = { slice: 100_000 }) {
  const bytes = new TextEncoder().encode(text);
  const { slice, part, group } = sizes;
  const scan = new JsonScan(LIMITS, group === undefined ? {} : { group });
  for (let at = 0; at < bytes.length; at += slice) scan.read(Buffer.from(bytes).toString("latin1", at, at + slice));
  const longValues = scan.end();
  return { value: await parsedInGroups(bytes, longValues, part), longValues };
}
const parse = (text: string): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
};
const readOrNull = (text: string, sizes?: Parameters<typeof read>[1]) =>
  read(text, sizes).then(
    ({ value }) => ({ value }),
    (thrown: unknown) => {
      expect(thrown).toBeInstanceOf(SyntaxError);
      return null;
    },
  );
const ROW = `{"a":"${"x, ]".repeat(10_000)}","b":[1,[2]],"c":{}}`;
const rows = (count: number) => Array.from({ length: count }, () => ROW).join(" ,\n");
const long = (text: string) => JSON.stringify(text.repeat(Math.ceil(700_000 / text.length)));

describe("a text of megabytes", () => {
  test.each([
    ["a list as the only member", `{"data":[${rows(80)}]}`],
    ["a list between others", `{"object":"list", "data" : [ ${rows(80)} ] ,"usage":{"n":[1,2]},"model":"m"}`],
    ["a name of quotes and backslashes", `{"x":[1],"a\\\\\\"b\\\\":[${rows(80)}]}`],
    ["two lists", `{"small":[${rows(40)}],"large":[${rows(90)}]}`],
    ["the name __proto__", `{"__proto__":[${rows(80)}],"b":{"__proto__":${long("x")}}}`],
    ["a list in a list", `[[${rows(80)}],1]`],
    ["deep lists", `{"a":{"data":[${rows(80)}]}}`],
    ["a member twice", `{"a":${long("x")},"a":1,"b":2,"b":${long("y")},"1":${long("z")},"0":3}`],
    ["a long text of its own", ` ${long("漢")} `],
    ["texts of every width", `[${["a", "é", "漢", "😀", '"\\\n\u2028', "\ud800"].map(long).join(",")}]`],
    ["texts of escapes", `[${["\\\\\\\\", "\\u6f22", "\\ud83d\\ude00", '\\"\\n'].map((text) => `"${text.repeat(150_001)}"`).join(",")}]`],
    ["very many members", `{${Array.from({ length: 90_000 }, (_, at) => `"n${at}":${at}`).join(",")}}`],
    ["white space", `{"a":${" ".repeat(2_000_000)}1${"\n".repeat(2_000_000)},"b":[${" ".repeat(900_000)}]}`],
  ])("is read as the parser reads it: %s", async (_, text) => expect((await read(text)).value).toEqual(JSON.parse(text)));

  test("is cut into groups, with turns for others between them", async () => {
    expect((await read(`{"data":[${rows(80)}]}`)).longValues[0]?.inner[0]?.cuts.length).toBeGreaterThan(4);
    expect(await turnsDuring(() => read(`{"data":[${rows(80)}]}`))).toBeGreaterThan(6);
    expect(await turnsDuring(() => read(long("a".repeat(4_000_000))))).toBeGreaterThan(14);
  });

  test.each([
    ["a comma at the end", `{"data":[${rows(80)},]}`],
    ["another bracket at the end", `{"data":[${rows(80)}}}`],
    ["another bracket within", `{"data":[{"a":[${long("x")}},${long("x")}]}`],
    ["no end", `{"data":[${rows(80)}`],
    ["two commas", `{"data":[${rows(40)},,${rows(40)}]}`],
    ["a colon for a comma", `{"data":[${rows(40)}:${rows(40)}]}`],
    ["something behind it", `{"data":[${rows(80)}]} x`],
    ["two values", `${long("x")}${long("x")}`],
    ["a name without quotes", `{data:[${rows(80)}]}`],
    ["a text beside another", `["a"${long("x")}]`],
    ["a number beside a text", `[1${long("x")}]`],
    ["a text without a name", `{${long("x")}}`],
    ["a list as a name", `{"a":1,[${long("x")}]:1}`],
    ["an object as a name", `{"a":1,{"a":${long("x")}}:1,"b":2}`],
    ["a list as a name of a long object", `{"a":${long("x")},[${long("x")}]:${long("y")}}`],
    ["a value behind another", `{"a":${long("x")} 1,"b":2}`],
    ["a colon behind a value", `{"a":${long("x")}:1}`],
    ["no colon before a value", `{"a" ${long("x")}}`],
    ["a line break in a text", `["${`${"a".repeat(100_000)}\n`.repeat(8)}"]`],
    ["an escape that is none", `["${"a".repeat(700_000)}\\x"]`],
  ])("is refused as the parser refuses it: %s", async (_, text) => {
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect(await readOrNull(text)).toBeNull();
  });
});

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 500);
describe("cut small, any text is read as the parser reads it", () => {
  const sizes = fc.record({
    slice: fc.integer({ min: 1, max: 40 }),
    group: fc.integer({ min: 1, max: 40 }),
    part: fc.integer({ min: 12, max: 40 }),
  });
  const unit = fc.constantFrom(...'ab"\\/\n\u0001é漢😀\ud83d\ude00 ,:[]{}');
  const text = fc.string({ unit, maxLength: 60 });
  const name = fc.oneof(fc.constantFrom("__proto__", "a", "0", "1", ""), text);
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
      fc.array(tie("value"), { maxLength: 8 }),
      fc.array(fc.tuple(name, tie("value")), { maxLength: 8 }).map((members) => new Map(members)),
    ),
  }));
  const space = fc.constantFrom("", " ", "\n \t");
  /** Written by hand: names may come twice, and white space anywhere. `name` may write something else in a name's place. */
  const texts = (name: (key: string, write: (one: unknown) => string) => string) =>
    fc.tuple(value, space).map(([of, gap]) => {
      const write = (one: unknown): string => {
        if (one instanceof Map)
          return `{${[...one].map(([key, member]) => `${gap}${name(String(key), write)}${gap}:${write(member)}`).join(`${gap},`)}}`;
        return Array.isArray(one) ? `[${one.map(write).join(`,${gap}`)}${gap}]` : JSON.stringify(one);
      };
      return gap + write(of) + gap;
    });
  const written = texts((key) => JSON.stringify(key));
  const oddlyNamed = texts((key, write) => (key.length % 3 === 0 ? write([key, [key]]) : JSON.stringify(key)));

  test(
    "what is JSON",
    () =>
      fc.assert(
        fc.asyncProperty(written, sizes, async (json, cut) => {
          const { value: got } = await read(json, cut);
          expect(JSON.stringify(got)).toBe(JSON.stringify(JSON.parse(json)));
        }),
        { numRuns: RUNS },
      ),
    60_000,
  );
  test("and what is nearly JSON is refused when the parser refuses it", () => {
    const broken = fc
      .tuple(fc.oneof(written, oddlyNamed), fc.nat(), fc.constantFrom("", "", ",", ":", '"', "]", "}", "[", "{", "\\", "1"))
      .map(([json, place, by]) => {
        const at = place % (json.length + 1);
        return json.slice(0, at) + by + json.slice(by === "" ? at + 1 : at);
      });
    return fc.assert(
      fc.asyncProperty(broken, sizes, async (json, cut) => {
        const expected = parse(Buffer.from(json).toString());
        const got = await readOrNull(json, cut);
        expect(JSON.stringify(got)).toBe(JSON.stringify(expected));
      }),
      { numRuns: 2 * RUNS },
    );
  }, 60_000);
});
