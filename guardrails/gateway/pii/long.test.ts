import { describe, expect, test } from "bun:test";
import { slowness } from "#kit";
import type { Check, CheckInput, Segment, Verdict } from "#contract";
import { verifies } from "../../../tests/requirements/verifies.ts";
import pii from "../checks/pii.ts";
import { CATEGORIES } from "./entity.ts";

const MEGABYTE = 1_000_000;
/** Milliseconds of the processor for a megabyte: some three times what the slowest of these takes on a machine of 2020. */
const MOST_MS = 25_000;

const parts = (...texts: readonly string[]): readonly Partial<Segment>[] =>
  texts.map((text, at) => ({ path: `messages[0].content[${at}].text`, kind: "text", role: "user", text }));
const judged = (segments: readonly Partial<Segment>[]): Verdict | Promise<Verdict> =>
  (pii as Check).run({
    params: { categories: CATEGORIES, redact: true, not: false, timeout: 600_000 },
    segments,
    side: "input",
    signal: new AbortController().signal,
    now: 0,
  } as unknown as CheckInput<never>); // what it reads of a request

const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
};
/** Milliseconds of the processor of each turn of the event loop, the longest first. */
async function turnsOf(work: () => unknown): Promise<readonly number[]> {
  const turns: number[] = [];
  let last = process.cpuUsage();
  const count = (): void => {
    turns.push(cpuMs(last));
    last = process.cpuUsage();
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  await work();
  clearImmediate(timer);
  return turns.sort((one, other) => other - one);
}

describe("a megabyte", () => {
  const HOSTILE = ["1", "1 ", "@", "a@", "1-", "....", "a".repeat(100_000), "[(", "{{[[", "%40", "&#64;", "a\u200b", "\u{e0041}", "Aaaa "];
  test.each(HOSTILE.map((piece) => [JSON.stringify(piece.slice(0, 20)), piece]))(
    "of %s takes its time once, not for each of its pieces again",
    async (_, piece) => {
      const before = process.cpuUsage();
      await judged(parts(piece.repeat(Math.ceil(MEGABYTE / piece.length))));
      expect(cpuMs(before)).toBeLessThan(MOST_MS * slowness());
    },
    300_000,
  );
});

describe("nobody waits for", () => {
  /** But for one or two, which the collector may have made long. */
  const LONGEST = 2;
  const NOBODY_WAITS_MS = 50;
  test.each([
    ["twelve megabytes of addresses", parts("joe@example.com ".repeat(750_000))],
    ["as many values as are replaced", parts("joe@example.com is where the sea is calm and blue ".repeat(19_000))],
    ["fifty thousand parts of one message", parts(...Array.from({ length: 50_000 }, () => "4"))],
    ["a megabyte of capitals", parts("Aaaa ".repeat(MEGABYTE / 5))],
    ["a megabyte of pairs of capitals", parts("Aa Bb ".repeat(MEGABYTE / 6))],
    ["eleven million invisible signs", parts("\u200b".repeat(11_000_000))],
  ])(
    verifies("2.6.pii-turns", "%s: no turn takes 50 ms"),
    async (_, segments) => {
      await judged(parts("Maria Lopez, joe@example.com, +1 212 555 0186. ".repeat(200))); // compiled
      expect((await turnsOf(() => judged(segments)))[LONGEST] ?? 0).toBeLessThan(NOBODY_WAITS_MS * slowness());
    },
    120_000,
  );
});

describe("many checks of one request", () => {
  const LONGEST_MS = 50;
  const texts = parts("Aa Bb ".repeat(500));
  const manyJudged = (count: number, segments: () => readonly Partial<Segment>[]): Promise<readonly Verdict[]> =>
    Promise.all(Array.from({ length: count }, () => judged(segments())));

  test("sixty cost about as much as one", async () => {
    const before = process.cpuUsage();
    await judged([...texts]);
    const one = cpuMs(before);
    const since = process.cpuUsage();
    await manyJudged(60, () => texts);
    expect(cpuMs(since)).toBeLessThan(10 * one + LONGEST_MS * slowness());
  });
  test("thirty that share nothing share the turns, from the first on", async () => {
    await judged([...texts]); // compiled
    const turns = await turnsOf(() => manyJudged(30, () => [...texts]));
    expect(turns[0] ?? 0).toBeLessThan(2 * LONGEST_MS * slowness());
  }, 60_000);
});
