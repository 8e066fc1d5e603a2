import { describe, expect, test } from "bun:test";
import type { Check, CheckInput, Segment, Verdict } from "#contract";
import { verifies } from "../../../tests/requirements/verifies.ts";
import pii from "../checks/pii.ts";
import { CATEGORIES } from "./entity.ts";

const judged = async (
  segments: readonly Partial<Segment>[],
): Promise<Verdict & { readonly patches?: readonly { readonly text: string }[] }> =>
  (await (pii as Check).run({
    params: { categories: CATEGORIES, redact: true, not: false, timeout: 60_000 },
    segments: segments.map((segment) => ({ role: "user", kind: "text", ...segment })),
    side: "input",
    signal: new AbortController().signal,
    now: 0,
  } as unknown as CheckInput<never>)) as never; // what it reads of a request, and what it answers
const redacted = async (text: string): Promise<string> =>
  (await judged([{ path: "messages[0].content", text }])).patches?.[0]?.text ?? text;
const redactedParts = async (...texts: readonly string[]): Promise<readonly string[]> => {
  const { patches = [] } = await judged(texts.map((text, at) => ({ path: `messages[0].content[${at}].text`, text })));
  const changed = new Map(patches.map((patch) => [(patch as unknown as { path: string }).path, patch.text]));
  return texts.map((text, at) => changed.get(`messages[0].content[${at}].text`) ?? text);
};
const wide = (text: string): string => text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));
const bold = (text: string): string => text.replace(/[a-z]/g, (letter) => String.fromCodePoint(0x1d41a + letter.charCodeAt(0) - 97));
const tags = (text: string): string => [...text].map((sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0))).join("");

describe("a value in disguise is found, and what is cut out is what stands in the text", () => {
  test.each([
    ["zero-width signs", "Write to j\u200bo\u200de@exam\u2060ple.c\ufeffom now", "Write to {{EMAIL_ADDRESS_1}} now"],
    ["soft hyphens", "Card 4111\u00ad1111\u00ad1111\u00ad1111.", "Card {{CREDIT_CARD_1}}."],
    ["wide letters and signs", `Mail ${wide("joe@example.com")}!`, "Mail {{EMAIL_ADDRESS_1}}!"],
    ["wide digits", `SSN ${wide("123-45-6789")} ok`, "SSN {{SSN_1}} ok"],
    ["a small at sign", "joe\ufe6bexample.com", "{{EMAIL_ADDRESS_1}}"],
    ["bold letters", `Mail ${bold("joe")}@${bold("example")}.com`, "Mail {{EMAIL_ADDRESS_1}}"],
    ["tags that no screen shows", `Hello${tags(" joe@example.com ")}there`, "Hello\u{e0020}{{EMAIL_ADDRESS_1}}\u{e0020}there"],
    ["digits of other scripts", "هاتف tel +٤٤ ٢٠ ٧٩٤٦ ٠٩٥٨", "هاتف tel {{PHONE_NUMBER_1}}"],
    ["letters of other scripts", "My name is Jоhn Smith", "My name is {{NAME_1}}"],
    ["other hyphens", "SSN 123‑45‑6789", "SSN {{SSN_1}}"],
    ["dots of other scripts", "joe@example。com", "{{EMAIL_ADDRESS_1}}"],
    ["middle dots", "call 415·555·0132", "call {{PHONE_NUMBER_1}}"],
    ["wide spaces", "card 4111\u20031111\u20031111\u20031111", "card {{CREDIT_CARD_1}}"],
    ["escapes of addresses", "https://a.example/?email=joe%40example.com", "https://a.example/?email={{EMAIL_ADDRESS_1}}"],
    ["escapes of addresses, numbers", "tel=%2B442079460958", "tel={{PHONE_NUMBER_1}}"],
    ["escapes of HTML", "joe&#64;example&#x2e;com or joe&commat;example&period;com", "{{EMAIL_ADDRESS_1}} or {{EMAIL_ADDRESS_1}}"],
    ["escapes of JSON", String.raw`{"mail":"joe\u0040example.com"}`, '{"mail":"{{EMAIL_ADDRESS_1}}"}'],
    ["signs in brackets", "joe[@]example[.]com from 203[.]0[.]113[.]7", "{{EMAIL_ADDRESS_1}} from {{IP_ADDRESS_1}}"],
    ["words in brackets", "joe (at) example (dot) com", "{{EMAIL_ADDRESS_1}}"],
    ["words", "my email is joe at example dot com, thanks", "my email is {{EMAIL_ADDRESS_1}}, thanks"],
    ["words, with a mailbox's provider", "ping maria.lopez at gmail dot com", "ping {{EMAIL_ADDRESS_1}}"],
    ["words of other languages", "escríbeme a maria arroba ejemplo punto es", "escríbeme a {{EMAIL_ADDRESS_1}}"],
    ["blanks around the sign", "email: joe @ example.com", "email: {{EMAIL_ADDRESS_1}}"],
  ])("%s", async (_, text, expected) => expect(await redacted(text)).toBe(expected));

  test(verifies("2.6.pii-disguise", "one value has one placeholder, disguised or not"), async () => {
    expect(await redacted(`joe@example.com, ${wide("joe@example.com")}, j\u200boe@example.com`)).toBe(
      "{{EMAIL_ADDRESS_1}}, {{EMAIL_ADDRESS_1}}, {{EMAIL_ADDRESS_1}}",
    );
  });
  test("a value that thousands of invisible signs stretch over pieces of the text is found", async () => {
    const stretched = [..."joe@example.com"].join("\u200b".repeat(900));
    expect(await redacted(`${"calm sea, ".repeat(300)}${stretched} end`)).toBe(`${"calm sea, ".repeat(300)}{{EMAIL_ADDRESS_1}} end`);
  });
  test.each([
    "Look at example dot com for more.",
    "We meet at noon, at the dot on the map.",
    "Saldo: 100% des Betrags, 5%20 Rabatt; 50&#37; off",
    "Версия 1.2.3 вышла в марте, цена 4 500 руб.",
    "a[.] b (.) c {@} &amp; &lt;b&gt; \\u0041nd \\x41",
    "See you @ the park, 3·4 = 12, 第１２章。",
  ])("nothing is found in %s", async (text) => expect(await redacted(text)).toBe(text));
});

describe("a value that goes on in the next part of a message", () => {
  test.each([
    ["a card", ["card 4111 1111 ", "1111 1111 is mine"], ["card {{CREDIT_CARD_1}}", " is mine"]],
    ["a card in four parts", ["4111", "1111", "1111", "1111"], ["{{CREDIT_CARD_1}}", "", "", ""]],
    ["an address", ["Write to joe@exam", "ple.com today"], ["Write to {{EMAIL_ADDRESS_1}}", " today"]],
    ["an SSN", ["SSN 123-", "45-6789"], ["SSN {{SSN_1}}", ""]],
    [
      "the ends of long parts",
      [`${"x".repeat(5_000)} joe@`, `example.com ${"y".repeat(5_000)}`],
      [`${"x".repeat(5_000)} {{EMAIL_ADDRESS_1}}`, ` ${"y".repeat(5_000)}`],
    ],
  ])("%s", async (_, parts, expected) => expect(await redactedParts(...parts)).toEqual(expected));
  test(verifies("2.6.pii-split", "what parts say by themselves stays as it was"), async () => {
    expect(await redactedParts("Mail joe@example.com", " and ann@example.com")).toEqual([
      "Mail {{EMAIL_ADDRESS_1}}",
      " and {{EMAIL_ADDRESS_2}}",
    ]);
  });
  test("different messages are different texts", async () => {
    expect(
      (
        await judged([
          { path: "messages[0].content", text: "4111 1111 " },
          { path: "messages[1].content", text: "1111 1111" },
        ])
      ).verdict,
    ).toBe("allow");
  });
});

test("the name of a tool's parameter says what its value is", async () => {
  const text = JSON.stringify({
    name: "save",
    arguments: { phone_number: "4155550132", ssn: 123456789, fullName: "Zorblax Quux", name: "Weather Report", order: "4155550132" },
  });
  const { patches } = await judged([{ kind: "tool_call", path: "messages[0].tool_calls[0]", text }]);
  expect(JSON.parse(patches?.[0]?.text ?? "{}")).toEqual({
    name: "save",
    arguments: {
      phone_number: "{{PHONE_NUMBER_1}}",
      ssn: "{{SSN_1}}",
      fullName: "{{NAME_1}}",
      name: "Weather Report",
      order: "4155550132",
    },
  });
});

describe("many values", () => {
  test(verifies("2.6.pii-many", "more than 20,000 values are denied, not replaced, and nobody waits for it"), async () => {
    const verdict = await judged([{ path: "messages[0].content", text: "joe@example.com ".repeat(40_000) }]);
    expect(verdict).toMatchObject({ verdict: "deny", reason: "There are more than 20000 values, and so many are not replaced." });
  }, 60_000);
  test("20,000 are replaced, each by its own", async () => {
    const text = Array.from({ length: 20_000 }, (_, at) => `u${at}@example.com`).join(" ");
    const { patches } = await judged([{ path: "messages[0].content", text }]);
    expect(patches?.[0]?.text.split(" ").slice(-1)).toEqual(["{{EMAIL_ADDRESS_20000}}"]);
  }, 60_000);
});
