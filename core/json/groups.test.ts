import { describe, expect, test } from "bun:test";
import { parsedInGroups } from "./groups.ts";
import { JsonScan } from "./scan.ts";

const LIMITS = { maxDepth: 64, maxValues: 10_000_000, maxContainers: 1_000_000, maxWorkMs: 10_000 };
function listIn(text: string) {
  const scan = new JsonScan(text, LIMITS);
  while (!scan.read(100_000));
  return scan.longList;
}
const read = (text: string) => parsedInGroups(text, listIn(text));
const ROW = `{"a":"${"x, ]".repeat(10_000)}","b":[1,[2]],"c":{}}`;
const rows = (count: number) => Array.from({ length: count }, () => ROW).join(" ,\n");

describe("a list of megabytes", () => {
  test.each([
    ["the only member", `{"data":[${rows(80)}]}`],
    ["between others", `{"object":"list", "data" : [ ${rows(80)} ] ,"usage":{"n":[1,2]},"model":"m"}`],
    ["with a name of quotes and backslashes", `{"x":[1],"a\\\\\\"b\\\\":[${rows(80)}]}`],
    ["two of them", `{"small":[${rows(40)}],"large":[${rows(90)}]}`],
    ["of the name __proto__", `{"__proto__":[${rows(80)}]}`],
    ["in a list", `[[${rows(80)}],1]`],
    ["deeper", `{"a":{"data":[${rows(80)}]}}`],
  ])("is read as the parser reads it: %s", async (_, text) => expect(await read(text)).toEqual(JSON.parse(text)));

  test("is cut into groups", () => expect(listIn(`{"data":[${rows(80)}]}`)?.cuts.length).toBeGreaterThan(1));

  test.each([
    ["a comma at the end", `{"data":[${rows(80)},]}`],
    ["another bracket at the end", `{"data":[${rows(80)}}}`],
    ["no end", `{"data":[${rows(80)}`],
    ["two commas", `{"data":[${rows(40)},,${rows(40)}]}`],
    ["something behind it", `{"data":[${rows(80)}]} x`],
    ["a name without quotes", `{data:[${rows(80)}]}`],
  ])("is refused as the parser refuses it: %s", async (_, text) => {
    expect(() => JSON.parse(text) as unknown).toThrow();
    const failed = await read(text).catch((thrown: unknown) => thrown);
    expect(failed).toBeInstanceOf(SyntaxError);
  });
});
