import { describe, expect, test } from "bun:test";
import type { Json } from "#contract";
import { clientText, longClientText } from "./client-text.ts";

const RESULTS: Json = { before_request_hooks: [{ id: 'say "}"', verdict: true }], after_request_hooks: [] };
const hooks = JSON.stringify(RESULTS);
const shown = (text: string, withHooks = true): string => clientText({ body: JSON.parse(text) as Json, ...(withHooks && { hooks }) }, text);

describe("the results of guardrails stand in a whole answer as hook_results, behind all that the provider wrote:", () => {
  const bodies: readonly (readonly [what: string, text: string])[] = [
    ["one member", '{"id":"c"}'],
    ["no members", "{}"],
    ["no members, on two lines", "{\n}\n"],
    ["whitespace behind it", '{"id":"c"} \r\n\t'],
    ["whitespace before it", ' \n{"id":"c"}'],
    ["printed over several lines", JSON.stringify({ id: "c", choices: [{ message: { content: "Hi" } }] }, null, 2)],
    ["printed over several lines, the last one ended", `${JSON.stringify({ choices: [{ index: 0 }], usage: {} }, null, "\t")}\n`],
    ["braces in its texts", JSON.stringify({ content: 'a } b { c "}" \\"} ]', last: "}}}" })],
    ["a text that ends in a backslash", '{"a":"\\\\"}'],
    ["an empty object as its last member", '{"a":{"b":{}}}'],
    ["an array as its last member", '{"a":[{},{}]}'],
    ["a member inside that is called hook_results", '{"a":{"hook_results":1}}'],
    ["a text that names hook_results", '{"content":"\\"hook_results\\":{}"}'],
    ["members whose names are inherited ones", '{"toString":1,"constructor":{}}'],
    ["a member named __proto__ alone", '{"__proto__":{"a":1}}'],
    ["a member without a name", '{"":0}'],
    ["characters of every width", '{"a":"ü€😀\u2028"}'],
  ];
  test.each(bodies)("%s", (_, text) => {
    const answer = shown(text);
    const members = JSON.parse(text) as Json;
    expect(Object.entries(JSON.parse(answer) as Json)).toEqual([...Object.entries(members), ["hook_results", RESULTS]]);
  });
  test.each(bodies)("and nothing of what the provider wrote is written again: %s", (_, text) => {
    const written = text.slice(0, text.lastIndexOf("}"));
    expect(shown(text)).toStartWith(written);
    expect(shown(text)).toEndWith(`"hook_results":${hooks}}`);
  });
  test("numbers that JavaScript has no room for stay as they were written", () =>
    expect(shown('{"seed":12345678901234567890,"p":1.0,"e":1E400}')).toBe(
      `{"seed":12345678901234567890,"p":1.0,"e":1E400,"hook_results":${hooks}}`,
    ));
});

test.each([
  ["first", '{"hook_results":{"before_request_hooks":["theirs"]},"id":"c"}'],
  ["last", '{"id":"c","hook_results":null}'],
  ["alone", '{"hook_results":{}}'],
  ["by another spelling", '{"id":"c","hook\\u005fresults":["theirs"]}'],
])("an answer that has hook_results of a gateway before us (%s) has ours in its place, once", (_, text) => {
  const answer = shown(text);
  const { hook_results: theirs, ...rest } = JSON.parse(text) as Json;
  expect(JSON.parse(answer)).toEqual({ ...rest, hook_results: RESULTS });
  expect(answer.split("hook_results")).toHaveLength(2);
  expect(answer).not.toContain("theirs");
  expect(theirs).not.toEqual(RESULTS);
});

test("an answer without results is the provider's own, byte for byte", () => {
  for (const text of ['{ "id" : "c" }\n', "{}", "[1]", '"text"']) expect(shown(text, false)).toBe(text);
});
test("an answer that is no JSON object is left alone", () => expect(clientText({ body: null, hooks }, "plain }")).toBe("plain }"));
test("a long answer is put together from the same bytes", async () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  for (const text of ['{"id":"漢"} \n', "{}", '{"hook_results":1,"a":2}']) {
    const whole = { kind: "whole", text: bytes(text), body: JSON.parse(text) as Json, usage: null, hooks } as const;
    expect(await longClientText(whole)).toEqual(bytes(shown(text)));
  }
});
