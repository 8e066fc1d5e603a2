import { expect, test } from "bun:test";
import type { Logger, Tokenizer } from "#contract";
import type { Provided } from "../../kernel/generation.ts";
import { estimating } from "./estimate.ts";

const OF = { providerId: "p", model: "m" };
const quiet: Logger = () => undefined;
const loaded = (...counts: readonly Tokenizer["count"][]): readonly Provided<Tokenizer>[] =>
  counts.map((count, at) => ({ name: `tokenizer/${at}`, provides: { count } }) as Provided<Tokenizer>); // no more is looked at
const words: Tokenizer["count"] = (texts) => texts.map((text) => text.split(" ").length);
const LONG = "word ".repeat(100_000); // 500,000 characters

test("texts of request and answer are counted by the first tokenizer that counts for the model", async () => {
  const own: Tokenizer["count"] = (texts, { model }) => (model === "m" ? words(texts, OF) : undefined);
  const estimate = estimating(
    loaded(own, (texts) => texts.map(() => 1)),
    quiet,
  );
  expect(await estimate("Hello there", "I am well", OF)).toEqual({ input: 2, output: 3, estimated: true });
  expect(await estimate("Hello there", "I am well", { ...OF, model: "other" })).toEqual({ input: 1, output: 1, estimated: true });
});
test("a very long text is counted by its beginning", async () => {
  const seen: number[] = [];
  const count: Tokenizer["count"] = async (texts) => {
    seen.push(...texts.map(({ length }) => length));
    return words(texts, OF);
  };
  const { input } = await estimating(loaded(count), quiet)(LONG, "", OF);
  expect(seen).toEqual([100_000, 0]);
  expect(input).toBeGreaterThan(99_000);
  expect(input).toBeLessThan(101_000);
});
test("where nobody counts, or what is counted is no count, a rule of thumb holds", async () => {
  const bad: readonly Tokenizer["count"][] = [
    () => undefined,
    () => [],
    () => [Number.NaN, Number.POSITIVE_INFINITY],
    () => [-7, -9],
    () => 5 as never,
    () => "23" as never,
    () => Promise.reject(new Error("no luck")),
    () => new Promise(() => undefined),
  ];
  for (const count of bad) {
    expect(await estimating(loaded(count), quiet, 5)("x".repeat(8), "x".repeat(9), OF)).toEqual({ input: 2, output: 3, estimated: true });
  }
});
test("a tokenizer that fails or gives no counts is named in the log, and the next one counts", async () => {
  const bad: readonly Tokenizer["count"][] = [
    () => {
      throw new Error("no luck");
    },
    () => 5 as never,
    async () => [-7, -9],
    () => [1],
  ];
  const lines: unknown[] = [];
  const log: Logger = (level, event, fields) => lines.push([level, event, fields?.["plugin"]]);
  const usage = await estimating(loaded(...bad, words), log)("Hello there", "I am well", OF);
  expect(usage).toEqual({ input: 2, output: 3, estimated: true });
  expect(lines).toEqual(bad.map((_, at) => ["error", "plugin did not answer", `tokenizer/${at}`]));
});
