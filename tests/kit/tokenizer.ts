import { describe, expect, test } from "bun:test";
import type { ModelOfAnswer, Tokenizer } from "#contract";
import { forAll, frozen, type PluginCase } from "./set-up.ts";

export interface TokenizerCase extends PluginCase<"tokenizer"> {
  /** A model that it counts for. */
  readonly model?: ModelOfAnswer;
}
const ODD_TEXTS = ["", " ", "\u0000", "Grüße 😀", "\ud83d", "<|endoftext|>", "a".repeat(3_000), "\n".repeat(3_000)];
/** As long as texts get, without a space in it. */
const LONG = "x".repeat(100_000);

/** Conformance of a tokenizer: one whole count for each text, whatever it holds, and requests go on meanwhile. */
export function testTokenizer({ model, ...given }: TokenizerCase): void {
  describe(`tokenizer ${given.manifest.id}`, () => {
    const at = forAll(given);

    test("counts for a model or does not, whatever the model is called", async () => {
      for (const named of ["", "__proto__", "constructor", "x".repeat(5_000)])
        expect([undefined, 2]).toContain((await at().provides.count(["a", "b"], { providerId: named, model: named }))?.length);
    });
    if (model) testCounts(model, (texts) => at().provides.count(texts, frozen(model)));
  });
}

function testCounts(model: ModelOfAnswer, ask: (texts: readonly string[]) => ReturnType<Tokenizer["count"]>): void {
  const count = async (texts: readonly string[]): Promise<readonly number[]> => (await ask(frozen(texts))) ?? expect.unreachable();

  test(`counts each text for ${model.model}, whatever it holds, in whole tokens`, async () => {
    const counts = await count(ODD_TEXTS);
    expect(counts.length).toBe(ODD_TEXTS.length);
    expect(counts.filter((tokens) => !(Number.isSafeInteger(tokens) && tokens >= 0))).toEqual([]);
    expect(counts[0]).toBe(0);
  });
  test("counts nothing where there is nothing", async () => expect(await count([])).toEqual([]));
  test("answers each question with its own counts, however many are asked at once", async () => {
    const texts = Array.from({ length: 50 }, (_, words) => "word ".repeat(words));
    const together = await Promise.all(texts.map((text) => count([text])));
    expect(together.flat()).toEqual([...(await count(texts))]);
  });
  test("holds the thread that serves requests for a moment at most, however long the text", async () => {
    await count(["once"]); // what is loaded at the first use is loaded
    const startedAt = performance.now();
    const counting = ask([LONG]);
    expect(performance.now() - startedAt).toBeLessThan(200); // whoever counts here takes seconds
    expect((await counting)?.length).toBe(1);
  }, 20_000);
}
