/** What a first start prints of its keys: those it made, and of those it was given only where they came from. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { ADMIN_KEY, GATEWAY_KEY, startGateway, until } from "./process.ts";

/** The first words of a gateway that was started with these keys, and the keys it has. */
async function firstWords(env: Readonly<Record<string, string>>): Promise<{ words: string; admin: string; gateway: string }> {
  const started = await startGateway({ env });
  try {
    const words = await until("the line to copy is printed", () => /First start[\s\S]*chat\/completions.*\n/.exec(started.output())?.[0]);
    const [admin = "", gateway = ""] = ["admin.key", "gateway.key"].map((name) => readFileSync(join(started.dataDir, name), "utf8").trim());
    return { words, admin, gateway };
  } finally {
    await started.stop();
    started.remove();
  }
}
const times = (words: string, key: string): number => words.split(key).length - 1;

test("keys that were made are printed once, and once more in the line to copy", async () => {
  const { words, admin, gateway } = await firstWords({ GATEWAY_ADMIN_KEY: "", GATEWAY_API_KEY: "" });
  expect([times(words, admin), times(words, gateway)]).toEqual([1, 2]);
  expect(words).toContain("made for you");
  expect(words).not.toContain("taken from");
}, 30_000);

test("keys that were set are not printed: where they came from is said, and the line to copy takes them from there", async () => {
  const { words, admin, gateway } = await firstWords({});
  expect([admin, gateway]).toEqual([ADMIN_KEY, GATEWAY_KEY]);
  expect([times(words, admin), times(words, gateway)]).toEqual([0, 0]);
  expect(words).toContain("taken from GATEWAY_ADMIN_KEY");
  expect(words).toContain("taken from GATEWAY_API_KEY");
  expect(words).toContain('-H "x-gateway-api-key: $GATEWAY_API_KEY"');
  expect(words).not.toContain("made for you");
}, 30_000);

test("of one that was made and one that was set, each is told for what it is", async () => {
  const { words, admin, gateway } = await firstWords({ GATEWAY_ADMIN_KEY: "" });
  expect([times(words, admin), times(words, gateway)]).toEqual([1, 0]);
  expect(words).toContain("made for you");
  expect(words).toContain("taken from GATEWAY_API_KEY");
}, 30_000);
