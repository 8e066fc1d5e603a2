import { expect, test } from "bun:test";
import { verifies } from "../../tests/requirements/verifies.ts";
import type { Segment, TextFinding } from "./guardrail.ts";
import { CheckFault } from "./vendor.ts";
import { judgedEach } from "./text-findings.ts";

const said = (...texts: readonly string[]): { readonly segments: readonly Segment[] } => ({
  segments: texts.map((text, at) => ({ path: `messages[${at}]`, role: "user", kind: "text", text })),
});
/** Judges texts of ten characters at most: "bad" is found, and taken out where it may be. */
async function judged(redacts: boolean, ...texts: readonly string[]) {
  const asked: string[] = [];
  const finding = (text: string): TextFinding => {
    if (!text.includes("bad")) return { reason: null, data: "clean" };
    return { reason: "bad", data: "found", ...(redacts && { redacted: text.replaceAll("bad", "***") }) };
  };
  const judge = async ({ text }: Segment) => {
    asked.push(text);
    return finding(text);
  };
  return { verdict: await judgedEach(said(...texts), judge, 10), asked };
}

test(verifies("G.partners.pieces", "a long text is judged in pieces that end where a word does, and a short one as it is"), async () => {
  expect((await judged(false, "one two three four", "short")).asked).toEqual(["one two ", "three four", "short"]);
  expect((await judged(false, "a".repeat(25))).asked).toEqual(["a".repeat(10), "a".repeat(10), "aaaaa"]);
  expect((await judged(false, `${"a".repeat(9)}😀b`)).asked).toEqual(["a".repeat(9), "😀b"]);
});
test(verifies("G.partners.pieces", "what is found in any piece denies the text"), async () => {
  expect((await judged(false, "one two three bad")).verdict).toMatchObject({ verdict: "deny", reason: "bad" });
  expect((await judged(false, "one two three four")).verdict).toEqual({ verdict: "allow", data: "clean" });
});
test(verifies("G.partners.pieces", "what is redacted in pieces is put together again, and the rest stays as it was"), async () => {
  expect((await judged(true, "a bad one two bad", "fine", "bad")).verdict).toMatchObject({
    verdict: "transform",
    patches: [
      { path: "messages[0]", text: "a *** one two ***" },
      { path: "messages[2]", text: "***" },
    ],
  });
});
test(verifies("G.partners.pieces", "one piece that cannot be redacted denies the whole"), async () => {
  const judge = async ({ text }: Segment): Promise<TextFinding> => ({ reason: "bad", ...(text.includes("a") && { redacted: "*" }) });
  expect(await judgedEach(said("aaaa bbbb"), judge, 5)).toEqual({ verdict: "deny", reason: "bad" });
});
test(
  verifies(
    "G.partners.pieces",
    "more than 128 pieces are asked about by nobody: it is an error of class budget, which lets nothing through",
  ),
  async () => {
    const asked: string[] = [];
    const judge = async ({ text }: Segment): Promise<TextFinding> => {
      asked.push(text);
      return { reason: null };
    };
    expect(await judgedEach(said("a".repeat(1_280)), judge, 10)).toEqual({ verdict: "allow" });
    expect(asked.length).toBe(128);
    const thrown: unknown = await judgedEach(said("a".repeat(1_281)), judge, 10).catch((error: unknown) => error);
    expect(CheckFault.is(thrown) && [thrown.errorClass, thrown.message]).toEqual([
      "budget",
      "the texts are 129 questions to the service; 128 are asked",
    ]);
    expect(asked.length).toBe(128);
  },
);
