import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Manifest } from "#contract";
import { atWork, testTokenizer } from "#kit";
import plugin from "./index.ts";
import manifest from "./manifest.json";

const given = { plugin, manifest: manifest as Manifest };
const ANY = { providerId: "any", model: "any" };
testTokenizer({ ...given, model: ANY });

let at: Awaited<ReturnType<typeof atWork<"tokenizer">>>;
beforeAll(async () => {
  at = await atWork(given);
});
afterAll(() => at.close());
const count = async (text: string): Promise<number> => (await at.provides.count([text], ANY))?.[0] ?? expect.unreachable();

test("tokens are counted, not words", async () => {
  expect(await count("I am well.")).toBe(4);
  expect(await count("Donaudampfschifffahrtsgesellschaft")).toBeGreaterThan(5);
});
test("a word without an end is counted in no time, near enough", async () => {
  const startedAt = performance.now();
  const tokens = await count("x".repeat(50_000)); // 20 s, were it counted as one word
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  expect(tokens).toBeGreaterThan(50_000 / 8 - 10);
  expect(tokens).toBeLessThan((50_000 / 8) * 1.1);
});
test.each<[string, number, string]>([
  ["texts", 1_000, "word"],
  ["characters", 50, "word ".repeat(20_000)],
])(
  "beyond so many %s at once nobody waits: they are not counted here, and those before and after them are",
  async (_, most, text) => {
    const own = await atWork(given);
    const counting = Array.from({ length: most }, () => own.provides.count([text], ANY));
    const beyond = Array.from({ length: 500 }, () => own.provides.count([text], ANY));
    expect(beyond.at(-1)).toBeUndefined(); // at once, without a promise
    expect(counting[0]).toBeInstanceOf(Promise);
    expect((await counting[0])?.[0]).toBeGreaterThan(0);
    await Promise.all(counting);
    expect((await own.provides.count([text], ANY))?.[0]).toBeGreaterThan(0);
    await own.close();
  },
  20_000,
);
test("who waits when it is closed is told so", async () => {
  const own = await atWork(given);
  const counting = own.provides.count(["Hello"], ANY);
  await own.close();
  await expect(counting).rejects.toThrow("closed");
});
