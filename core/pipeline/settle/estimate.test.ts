import { expect, test } from "bun:test";
import { estimatedUsage } from "./estimate.ts";

test("tokens of prompt and answer are counted by a tokenizer, away from the main thread", async () => {
  const usage = await estimatedUsage("Hello there, how are you?\nFine", "I am well.");
  expect(usage).toMatchObject({ estimated: true, output: 4 });
  expect(usage.input).toBeGreaterThan(6);
  expect(usage.input).toBeLessThan(14);
});
test("a very long text is counted by its beginning", async () => {
  const usage = await estimatedUsage("word ".repeat(100_000), "");
  expect(usage.input).toBeGreaterThan(90_000);
  expect(usage.input).toBeLessThan(110_000);
});

test("a word without an end is counted in no time, near enough", async () => {
  const startedAt = performance.now();
  const { output = 0 } = await estimatedUsage("", "x".repeat(50_000)); // 20 s, were it counted as one word
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  expect(output).toBeGreaterThan(50_000 / 8 - 10);
  expect(output).toBeLessThan((50_000 / 8) * 1.1);
});
