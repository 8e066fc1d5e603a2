import { describe, expect, test } from "bun:test";
import { slowness } from "#kit";
import { Value } from "@sinclair/typebox/value";
import type { Check } from "#contract";
import { precisionOf, scored } from "../../../tests/bench/guardrail-cases.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import moderateContent from "../checks/moderateContent.ts";
import { CATEGORIES } from "./category.ts";
import { lexicon } from "./lexicon.ts";

const check = moderateContent({ dispatch: () => Promise.reject(new Error("nobody is asked")) });
const judged = (check: Check, text: string, params: object) =>
  check.run({ text, params: Value.Default(check.params, params), side: "input", now: 0 } as never); // what a pure check sees

describe("gateway.moderateContent", () => {
  test(verifies("2.6.moderation", "takes the eleven categories and no others, and waits 5000 ms"), () => {
    const takes = (categories: unknown): boolean => Value.Check(check.params, { categories, answers: "guard", not: false, timeout: 1 });
    expect([takes([...CATEGORIES]), takes(["spam"]), takes([]), takes(undefined)]).toEqual([true, false, false, false]);
    expect(CATEGORIES).toHaveLength(11);
    expect(Value.Default(check.params, { categories: ["hate"] })).toEqual({
      categories: ["hate"],
      answers: "moderation",
      not: false,
      timeout: 5000,
    });
  });
  test(
    verifies("2.3.moderation-found", "what it flags is right in 85 of 100 cases, over all categories and in each that it was written with"),
    async () => {
      const first = await scored("guardrails/gateway/cases/moderateContent/first.jsonl");
      for (const [label, figures] of first.byLabel) expect([label, precisionOf(figures) >= 0.85]).toEqual([label, true]);
      for (const set of ["second", "third"]) {
        const { byLabel } = await scored(`guardrails/gateway/cases/moderateContent/${set}.jsonl`);
        expect(precisionOf(byLabel.get("all") ?? expect.unreachable())).toBeGreaterThanOrEqual(0.85);
      }
    },
  );
  test("a narrower category says the wider one too", () => {
    expect([...lexicon.flagged("Kill all the Jews.")]).toEqual(expect.arrayContaining(["hate", "hate/threatening"]));
  });
  test("invisible letters and figures for letters hide nothing", () => {
    for (const text of ["I will k\u200bill you.", "I will k1ll you.", "Ｉ ｗｉｌｌ kill you."])
      expect([text, lexicon.flagged(text).has("violence")]).toEqual([text, true]);
  });
  test("not turns the verdict around", async () => {
    expect(await judged(check, "What a lovely day", { categories: ["hate"], not: true })).toMatchObject({ verdict: "deny" });
  });
  test.each([
    "i will ",
    "you are ",
    "jews are ",
    "sex a b c d ",
    "kill all the jews. police novel patient. ",
    "a",
    "a ",
    "i want to kill you. ",
  ])(
    "takes no longer than it says for a long text of %p",
    (piece) => {
      const text = piece.repeat(Math.ceil(50_000 / piece.length));
      const took = Array.from({ length: 3 }, () => {
        const before = process.cpuUsage(); // of the processor: the machine may be busy with something else
        lexicon.flagged(text);
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1_000;
      });
      expect(Math.min(...took)).toBeLessThan((check.cost?.({} as never, text.length) ?? 0) * slowness());
    },
    30_000,
  );
});
