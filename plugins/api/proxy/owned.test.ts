import { describe, expect, test } from "bun:test";
import { ownedBy } from "./owned.ts";

const owned = ownedBy("POST");

describe("what may be an id", () => {
  test.each([
    ["file-68d7512d07848190b3e45da0", true],
    ["e85980c9-409e-4a46-9304-36588f6292b0", true],
    ["files/k3jd8f0s2l4x", true],
    ["call_8fK2mZ0qLx7RtY4wVb1Nc3Jd", false],
    ["toolu_01A09q90qw90lq917835lq9", false],
    ["claude-3-5-sonnet-20241022", false],
    ["models/gemini-2.0-flash", false],
    ["accounts/fireworks/models/llama-v3p1-405b-instruct", false],
    ["a1b2c3d4e5f6g7h8".repeat(65), false],
  ])("%s: %p", (text, is) => expect(owned.looksLikeId?.(text)).toBe(is));

  test("of a long text nothing but its length is looked at", async () => {
    const text = "a1b2c3d4/".repeat(4_000_000);
    const startedAt = performance.now();
    for (let times = 0; times < 1_000; times += 1) owned.looksLikeId?.(text);
    expect(await owned.namedInTurns?.({ data: text })).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(1_000); // a look at one of them takes longer than this for all
  });
  test("others have their turns while a long body is walked", async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const texts = Array.from({ length: 450_000 }, (_, at) => `words of no meaning, and number ${at}`);
    expect(await owned.namedInTurns?.({ texts, last: { file_id: "file-1" } })).toEqual(["file-1"]);
    isOver = true;
    expect(turns).toBeGreaterThan(20);
  });
});
