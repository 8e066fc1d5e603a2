import { describe, expect, test } from "bun:test";
import { testPack } from "../../tests/kit/check.ts";
import manifest from "./manifest.json";
import { masked, type Span } from "./mask.ts";
import pack from "./index.ts";

await testPack(pack, manifest);

describe("a text is masked", () => {
  test.each<[string, readonly Span[], string]>([
    ["all but first and last of a long piece", [[0, 10]], "A********h is"],
    ["all of a short one", [[0, 4]], "**** Smith is"],
    [
      "twice where pieces overlap",
      [
        [0, 10],
        [5, 10],
      ],
      "A********h is",
    ],
    ["to its end where a piece goes beyond it", [[5, 99]], "Anna S******s"],
  ])("%s", (_, spans, expected) => expect(masked("Anna Smith is", spans)).toBe(expected));
  test("in both places where characters may be counted in two ways", () => {
    expect(masked("😀 Anna B.", [[2, 6]])).not.toContain("Anna");
    expect(masked("😀 Anna B.", [[3, 7]])).not.toContain("Anna");
  });
});
