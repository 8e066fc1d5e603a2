import { describe, expect, test } from "bun:test";
import { slowness } from "#kit";
import { Value } from "@sinclair/typebox/value";
import type { Check, CheckInput, Segment, Side, Verdict } from "#contract";
import { f1Of, type Figures, precisionOf, scored } from "../../../tests/bench/guardrail-cases.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import pii from "../checks/pii.ts";
import { CATEGORIES, type Category } from "./entity.ts";
import { entitiesIn } from "./find.ts";
import names from "./names.json";
import { entitiesByPiece } from "./pieces.ts";
import { namesOf } from "./written-names.ts";

const ALL: ReadonlySet<Category> = new Set(CATEGORIES);
const EXACT = ["EMAIL_ADDRESS", "IP_ADDRESS", "CREDIT_CARD", "SSN"];
const LANGUAGES = ["en", "es", "fr", "de", "pt", "it"];

const judged = (segments: readonly Partial<Segment>[], params: object, side: Side = "input"): Verdict | Promise<Verdict> =>
  (pii as Check).run({
    params: Value.Default(pii.params, params),
    segments: segments.map((segment, at) => ({ path: `messages[${at}].content`, role: "user", kind: "text", text: "", ...segment })),
    side,
    signal: new AbortController().signal,
    now: 0,
  } as unknown as CheckInput<never>); // what it reads of a request
const figures = (byLabel: ReadonlyMap<string, Figures>, label: string): Figures => byLabel.get(label) ?? expect.unreachable();

describe("what is found", () => {
  test(verifies("2.3.pii-found", "e-mail, IP, card and SSN with F1 0.99, phones 0.95, of the cases it was written with"), async () => {
    const { byLabel } = await scored("guardrails/gateway/cases/pii/first.jsonl");
    for (const label of EXACT) expect([label, f1Of(figures(byLabel, label)) >= 0.99]).toEqual([label, true]);
    expect(f1Of(figures(byLabel, "PHONE_NUMBER"))).toBeGreaterThanOrEqual(0.95);
  });
  test(
    verifies("2.3.pii-names", "names and addresses with a precision of 0.90 in English and five other languages, of the same cases"),
    async () => {
      const { byLabel } = await scored("guardrails/gateway/cases/pii/first.jsonl");
      for (const label of ["NAME", "LOCATION_ADDRESS"].flatMap((kind) => LANGUAGES.map((language) => `${kind} ${language}`)))
        expect([label, precisionOf(figures(byLabel, label)) >= 0.9]).toEqual([label, true]);
    },
  );
  test("of cases written when the code was done, and once more when it was mended: all together as well", async () => {
    const sets = await Promise.all(["second", "third", "fourth"].map((set) => scored(`guardrails/gateway/cases/pii/${set}.jsonl`)));
    const together = (label: string): Figures => {
      const all = sets.map(({ byLabel }) => figures(byLabel, label));
      const sum = (of: keyof Figures): number => all.reduce((total, each) => total + each[of], 0);
      return { found: sum("found"), expected: sum("expected"), right: sum("right") };
    };
    for (const label of ["EMAIL_ADDRESS", "IP_ADDRESS", "SSN"]) expect([label, f1Of(together(label)) >= 0.99]).toEqual([label, true]);
    for (const label of ["CREDIT_CARD", "PHONE_NUMBER"]) expect([label, f1Of(together(label)) >= 0.99]).toEqual([label, true]);
    for (const label of ["NAME", "LOCATION_ADDRESS"].flatMap((kind) => LANGUAGES.map((language) => `${kind} ${language}`)))
      expect([label, precisionOf(together(label)) >= 0.9]).toEqual([label, true]);
  });
  test("a value on the border of two pieces of a long text is found once, wherever it lies", () => {
    const filler = "the sea is calm and the ferry leaves at noon, ";
    for (let shift = 0; shift < 30; shift += 1) {
      const before = filler.repeat(100).slice(0, 2_030 + shift);
      const work = entitiesByPiece(`${before} joe@example.com ${filler.repeat(60)}`, ALL);
      let step = work.next();
      while (!step.done) step = work.next();
      expect(step.value).toMatchObject([{ category: "EMAIL_ADDRESS", start: before.length + 1, end: before.length + 16 }]);
    }
  });
  test("what another category has a better claim to is none of those that are asked for", () => {
    const text = "Card 4111 1111 1111 1111, 12 rue Victor Hugo, 75002 Paris";
    const search = entitiesIn(text, new Set<Category>(["PHONE_NUMBER", "NAME"]));
    let step = search.next();
    while (!step.done) step = search.next();
    expect(step.value).toEqual([]);
  });
  test("the names are those of the package", async () => {
    expect([names.given, names.family]).toEqual([await namesOf("first_name"), await namesOf("last_name")]);
  });
});

describe("how it is told", () => {
  test(verifies("2.6.pii", "takes the seven categories and no others; redact and not are false, and it waits 5000 ms"), () => {
    const takes = (categories: unknown): boolean => Value.Check(pii.params, { categories, redact: false, not: false, timeout: 1 });
    expect([takes([...CATEGORIES]), takes(["SHOE_SIZE"]), takes([]), takes(undefined)]).toEqual([true, false, false, false]);
    expect(CATEGORIES).toHaveLength(7);
    expect(Value.Default(pii.params, { categories: ["SSN"] })).toEqual({ categories: ["SSN"], redact: false, not: false, timeout: 5000 });
  });
  test("results name kinds and places, never values", async () => {
    const verdict = await judged([{ text: "I am joe@example.com" }], { categories: ["EMAIL_ADDRESS", "SSN"] });
    expect(verdict).toMatchObject({
      verdict: "deny",
      reason: "Found EMAIL_ADDRESS.",
      data: {
        entities: [{ category: "EMAIL_ADDRESS", path: "messages[0].content", start: 5, end: 20 }],
        restrictedCategories: ["EMAIL_ADDRESS", "SSN"],
      },
    });
    expect(JSON.stringify(verdict)).not.toContain("joe");
  });
  test("not turns the verdict around", async () => {
    expect(await judged([{ text: "I am joe@example.com" }], { categories: ["EMAIL_ADDRESS"], not: true })).toMatchObject({
      verdict: "allow",
    });
    expect(await judged([{ text: "I am nobody" }], { categories: ["EMAIL_ADDRESS"], not: true })).toMatchObject({ verdict: "deny" });
  });
  test("the same number with other separators has the same placeholder, another has the next", async () => {
    const texts = ["Call +1 212 555 0186.", "Again: +1-212-555-0186, or +1 212 555 0187."];
    expect(
      await judged(
        texts.map((text) => ({ text })),
        { categories: ["PHONE_NUMBER"], redact: true },
      ),
    ).toMatchObject({
      verdict: "transform",
      patches: [
        { path: "messages[0].content", text: "Call {{PHONE_NUMBER_1}}." },
        { path: "messages[1].content", text: "Again: {{PHONE_NUMBER_1}}, or {{PHONE_NUMBER_2}}." },
      ],
    });
  });
  test("of a tool's call its values and the names of its members are replaced, a number by a text, and a name that is no identifier", async () => {
    const text = JSON.stringify({
      name: "joe@example.com",
      arguments: { "joe@example.com": [4111111111111111, 5, true, null, { a: "b" }] },
    });
    const verdict = await judged([{ kind: "tool_call", text }], { categories: ["EMAIL_ADDRESS", "CREDIT_CARD"], redact: true });
    const [patch] = (verdict as unknown as { patches: { text: string }[] }).patches;
    expect(JSON.parse(patch?.text ?? "")).toEqual({
      name: "{{EMAIL_ADDRESS_1}}", // no name that a tool can have: the model wrote a text there
      arguments: { "{{EMAIL_ADDRESS_1}}": ["{{CREDIT_CARD_1}}", 5, true, null, { a: "b" }] },
    });
  });
});

describe("how long it takes", () => {
  const HOSTILE = ["1", "1 ", "12-", "a@", "a.a@a.", "Maria ", "O'A", "1 Aaaa Bbbb Street ", "Calle de la de la ", "Calle Aaa Bbb Ccc 1x ", "Via Aa-", "Am Aaaa 1 ", "+1 (415) 555-01 ", "tel 123 456 ", "name: ", "Dear Maria, ", "f:1:", "((((1", "a (at) "]; // biome-ignore format: a list
  test.each(HOSTILE)(
    "of a megabyte of %p, no piece takes long",
    (piece) => {
      const work = entitiesByPiece(piece.repeat(Math.ceil(1_000_000 / piece.length)), ALL);
      const took: number[] = [];
      for (let step = work.next(), at = 0; !step.done && at < 60; step = work.next(), at += 1) {
        const before = process.cpuUsage(); // of the processor: the machine may be busy with something else
        step = work.next();
        const { user, system } = process.cpuUsage(before);
        took.push((user + system) / 1_000);
      }
      expect(took.sort((one, other) => one - other)[Math.floor(took.length / 2)]).toBeLessThan(50 * slowness());
    },
    30_000,
  );
  test("others have their turn while a long text is looked through", async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const verdict = await judged([{ text: "Maria Lopez wrote to Peter. ".repeat(10_000) }], { categories: ["NAME"], timeout: 60_000 });
    clearImmediate(timer);
    expect(verdict.verdict).toBe("deny");
    expect(turns).toBeGreaterThan(3);
  }, 60_000);
  test("a text that would take longer than it has is out of budget, not silent", async () => {
    const verdict = await judged([{ text: "Maria Lopez wrote to Peter. ".repeat(50_000) }], { categories: ["NAME"], timeout: 20 });
    expect(verdict).toMatchObject({ verdict: "error", class: "budget" });
  });
});
