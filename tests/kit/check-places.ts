import { expect, test } from "bun:test";
import type { Check } from "#contract";
import type { Example } from "./check.ts";
import { type JudgedExample, judgedExample, type Running, saidOf } from "./judged-example.ts";
import { BY_ROLE, type Surface, SURFACES, WITHOUT_TEXT } from "./surfaces.ts";
import { type Vendor, vendorAnswer } from "./vendor.ts";

/* Cases that the kit makes of every check: where a text can stand, what it can consist of, and how long it can be. */

/** What came of an example, and what its service was asked meanwhile. */
interface Served extends JudgedExample {
  readonly asked: string;
}
type Judge = (example: Example, running?: Partial<Running>) => Promise<Served>;
const looksAtTexts = ({ wants }: Check): boolean => wants === undefined || wants.includes("text");

/** The examples' verdicts hold wherever their texts stand. */
export function testPlaces(check: Check, examples: readonly Example[], vendor: Vendor | undefined): void {
  const judge: Judge = async (example, running) => {
    if (example.vendor) vendor?.answers(() => vendorAnswer(example.vendor));
    const before = vendor?.requests.length ?? 0;
    const outcome = await judgedExample(check, example, running);
    const bodies = vendor?.requests.slice(before).map(({ body }) => body) ?? [];
    return { ...outcome, asked: bodies.join("\n") };
  };
  const [typical] = [...examples.filter(({ verdict }) => verdict === "deny" || verdict === "transform"), ...examples];
  if (typical === undefined) return;
  const sides = check.on.filter((side) => typical.side === undefined || side === typical.side);

  test("judges a text in the same way on every surface it claims", async () => {
    for (const side of sides) await sameOn(SURFACES[side], { ...typical, side }, judge);
  });
  if (sides.includes("input") && looksAtTexts(check))
    test("judges a text in the same way whoever says it, where all messages are looked at", async () => {
      await sameOn(BY_ROLE, { ...typical, side: "input" }, judge, { scope: "all_messages" });
    });
  test("judges what is streamed as it judges what is whole", async () => {
    if (check.on.includes("output")) expect([check.id, check.stream ?? "final"]).not.toEqual([check.id, "none"]);
    for (const side of sides) {
      const [whole, streamed] = [await judge({ ...typical, side }), await judge({ ...typical, side }, { streamed: true })];
      expect(["streamed", ...saidOf(streamed)]).toEqual(["streamed", ...saidOf(whole)]);
    }
  });
  testWindows(check, typical, judge);
  test("judges a body that holds no text, and does not break", async () => {
    for (const side of sides) for (const body of WITHOUT_TEXT[side]) expect(await judge({ ...typical, side }, { body })).toSatisfy(isSound);
  });
  if (looksAtTexts(check)) testUnicode(typical, judge);
}
/** Whatever it says, it did not break and did not hang. */
const isSound = ({ failure }: JudgedExample): boolean => failure !== "crash" && failure !== "timeout" && failure !== "bad_transform";

/** The first of them says what is right; where a check looks at the body itself, only that it judges at all. */
async function sameOn(surfaces: readonly Surface[], example: Example, judge: Judge, running: Partial<Running> = {}): Promise<void> {
  const [first, ...others] = surfaces;
  if (first === undefined) return;
  const expected = await judge(example, { ...running, surface: first });
  for (const surface of others) {
    const outcome = await judge(example, { ...running, surface });
    expect([surface.name, isSound(outcome), outcome.message]).toEqual([surface.name, true, outcome.message]);
    if (!outcome.suits || !expected.suits || expected.readsCall) continue;
    if (outcome.asked === expected.asked) expectSame(surface.name, outcome, expected);
    else expectAsked(surface.name, outcome, { ...expected, text: example.text });
  }
}
/** Its service is told more than the text (who says it), and what that would answer is not known: the text it is told. */
function expectAsked(place: string, outcome: Served, { asked, text }: Served & { readonly text: string }): void {
  const written = JSON.stringify(text).slice(1, -1);
  if (asked.includes(written)) expect([place, outcome.asked]).toEqual([place, expect.stringContaining(written)]);
}
function expectSame(place: string, outcome: JudgedExample, expected: JudgedExample): void {
  expect([place, ...saidOf(outcome)]).toEqual([place, ...saidOf(expected)]);
  const texts = ({ after }: JudgedExample): readonly string[] => after.map(({ text }) => text);
  if (expected.kind === "transform") expect([place, texts(outcome)]).toEqual([place, texts(expected)]);
}

/** What stands across the border of two windows is seen whole in one of them, as far as the overlap reaches. */
function testWindows({ stream }: Check, typical: Example, judge: Judge): void {
  if (typeof stream !== "object" || typical.text.length > stream.window.overlap) return;
  const { chars, overlap } = stream.window;
  test("finds across the border of its windows what it finds in the whole", async () => {
    const whole = `${"x ".repeat(chars).slice(0, chars - Math.ceil(typical.text.length / 2))}${typical.text}`;
    const expected = await judge({ ...typical, text: whole, side: "output" });
    const kinds: string[] = [];
    for (let from = 0; from < whole.length; from += chars - overlap)
      kinds.push((await judge({ ...typical, text: whole.slice(from, from + chars), side: "output" }, { streamed: true })).kind);
    expect(kinds).toContain(expected.kind);
  });
}

/** Composed and decomposed letters, scripts from both sides, a flag, a family of one sign: what is not ASCII goes unharmed. */
const UNICODE = "Zürich Zu\u0308rich 東京 שלום नमस्ते 🇨🇭 👩‍👩‍👧";
const ASCII = "Zurich and Tokyo";

function testUnicode(typical: Example, judge: Judge): void {
  const beginning = (words: string): Example => ({ ...typical, text: `${words} ${typical.text}` });
  if (!typical.vendor) {
    test("leaves what is not ASCII as it leaves the rest", async () => {
      const [plain, unicode] = [await judge(beginning(ASCII)), await judge(beginning(UNICODE))];
      expect([isSound(unicode), unicode.message]).toEqual([true, unicode.message]);
      if (holds(plain, ASCII)) expect(unicode.after.map(({ text }) => text).join("\n")).toContain(UNICODE);
    });
    return;
  }
  test("asks its service with a text as it is, whatever letters it consists of", async () => {
    const asked = async (example: Example): Promise<string> => {
      const outcome = await judge(example);
      expect([isSound(outcome), outcome.message]).toEqual([true, outcome.message]);
      return outcome.asked;
    };
    const [plain, unicode] = [await asked(beginning(ASCII)), await asked(beginning(UNICODE))];
    if (plain.includes(ASCII)) expect(readable(unicode)).toContain(UNICODE);
  });
}
const holds = ({ after }: JudgedExample, words: string): boolean => after.some(({ text }) => text.includes(words));
/** A body of JSON with its escapes undone. */
const readable = (body: string): string =>
  body.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Texts of the given length that work which grows faster than they do cannot bear. */
const LONG: Readonly<Record<string, (chars: number, text: string) => string>> = {
  "of sentences": (chars, text) => `${text || "A sentence."} `.repeat(Math.ceil(chars / (text.length + 1 || 12))).slice(0, chars),
  "of one letter": (chars) => "a".repeat(chars),
  "of blanks": (chars) => " ".repeat(chars),
  "of digits and signs": (chars) => "1@-.a".repeat(chars / 5),
};
/** Each is so many times the one before: what is quadratic is found at a size that can still be waited for. */
const SIZES = [62_500, 250_000, 1_000_000] as const;
/** Milliseconds of the processor. A linear check takes a small part of them; a quadratic one sixteen times as many from size to size. */
const LONGEST_MS = 2_000;

/** A megabyte is judged in a time that people wait for. */
export function testLongTexts(check: Check, usual: Example, vendor: Vendor | undefined): void {
  if (!looksAtTexts(check)) return;
  test("judges a text of 1 MB in time", async () => {
    if (usual.vendor) vendor?.answers(() => vendorAnswer(usual.vendor));
    for (const [kind, made] of Object.entries(LONG)) {
      for (const chars of SIZES) {
        const before = process.cpuUsage();
        const outcome = await judgedExample(check, { ...usual, text: made(chars, usual.text) });
        const { user, system } = process.cpuUsage(before); // of the processor: what a busy machine makes it wait is not its fault
        const tookMs = (user + system) / 1000;
        const what = `${chars} characters ${kind}`;
        expect([what, isSound(outcome), outcome.message]).toEqual([what, true, outcome.message]);
        expect([what, tookMs < LONGEST_MS || `${Math.round(tookMs)} ms`]).toEqual([what, true]);
      }
    }
  }, 20_000);
}
