import { expect, test } from "bun:test";
import { type Example, testPack } from "../../tests/kit/check.ts";
import { Vendor } from "../../tests/kit/vendor.ts";
import webhook from "./checks/webhook.ts";
import regexMatch from "./checks/regexMatch.ts";
import { fences, jsonIn } from "./json.ts";
import defaultPack from "./index.ts";
import manifest from "./manifest.json";
import { patternOf } from "./pattern.ts";
import { problemsOf } from "../../tests/kit/bound-check.ts";

const fenced = (tag: string, content: string): string => `Here:\n\`\`\`${tag}\n${content}\n\`\`\`\nDone.`;
const person = { type: "object", required: ["name"], properties: { name: { type: "string", pattern: "^(a+)+$" } } };
const hook = { webhookURL: "https://hooks.example.com/judge?token=abc" };

const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  "default.wordCount": [
    {
      text: "one",
      params: { minWords: 2 },
      verdict: "deny",
      data: { wordCount: 1, minWords: 2, maxWords: 99_999, not: false, verdict: false, textExcerpt: "one" },
    },
    { text: "one", params: { minWords: 2, not: true }, verdict: "allow" },
    { text: "", verdict: "error" },
  ],
  "default.sentenceCount": [
    {
      text: "One. Two! Three?",
      params: { minSentences: 3, maxSentences: 3 },
      verdict: "allow",
      data: { sentenceCount: 3, minCount: 3, maxCount: 3 },
    },
    { text: "", params: { minSentences: 1 }, verdict: "deny", data: { sentenceCount: 0 } },
  ],
  "default.characterCount": [
    { text: "😀", params: { minCharacters: 2, maxCharacters: 2 }, verdict: "allow", data: { characterCount: 2 } },
    { text: "abc", params: { maxCharacters: 2 }, verdict: "deny" },
  ],
  "default.contains": [
    { text: "a b", params: { words: ["a", "z"] }, verdict: "allow", data: { foundWords: ["a"], missingWords: ["z"], operator: "any" } },
    { text: "a b", params: { words: ["a", "z"], operator: "all" }, verdict: "deny" },
    { text: "A b", params: { words: ["a"], operator: "none" }, verdict: "allow" },
  ],
  "default.endsWith": [
    { text: "the end.", params: { suffix: "end" }, verdict: "allow", data: { suffix: "end", not: false, verdict: true } },
    { text: "the end!", params: { suffix: "end" }, verdict: "deny" },
    { text: "the end!", params: { suffix: "end", not: true }, verdict: "allow" },
  ],
  "default.alluppercase": [
    { text: "ABC 123", verdict: "allow" },
    { text: "ABc", verdict: "deny" },
    { text: "123", verdict: "allow" },
  ],
  "default.isAllLowerCase": [
    { text: "abc é", verdict: "allow" },
    { text: "aBc", verdict: "deny" },
  ],
  "default.alllowercase": [{ text: "abc", verdict: "allow" }],
  "default.regexMatch": [
    {
      text: "call 555-12-1234",
      params: { rule: "\\d{3}-\\d{2}-(\\d{4})" },
      verdict: "allow",
      data: { matchDetails: { matchedText: "555-12-1234", index: 5, captures: ["1234"] } },
    },
    { text: "key=abc", params: { rule: "(?<key>[a-z]+)=" }, verdict: "allow", data: { matchDetails: { groups: { key: "key" } } } },
    { text: "nothing", params: { rule: "(?i)SECRET|password", not: true }, verdict: "allow", data: { matchDetails: null } },
    { text: `${"a".repeat(30_000)}!`, params: { rule: "^(a+)+$" }, verdict: "deny" },
    { text: "a".repeat(2_000_001), params: { rule: "secret", not: true }, verdict: "allow" },
  ],
  "default.jsonSchema": [
    {
      text: fenced("json", '{"name":"aa"}'),
      params: { schema: person },
      verdict: "allow",
      data: { matchedJson: { name: "aa" }, not: false, validationErrors: [] },
    },
    {
      text: 'It is {"name": 5, "inner": {"a": "}"}} here',
      params: { schema: person },
      verdict: "deny",
      data: { validationErrors: [{ path: "/name" }] },
    },
    { text: `{"name":"${"a".repeat(30_000)}!"}`, params: { schema: person }, verdict: "deny" },
    {
      text: '{"a":"xx","b":"yy"}',
      params: { schema: { properties: { a: { pattern: "^x+$" }, b: { pattern: "^x+$|^y+$" } } } },
      verdict: "allow",
    },
    { text: "no json", params: { schema: person, not: true }, verdict: "deny" },
    {
      text: '{"a":1}',
      params: { schema: { $schema: "http://json-schema.org/draft-07/schema#", $id: "https://x.example/a", required: ["a"] } },
      verdict: "allow",
    },
    { text: '{"b":1}', params: { schema: { $id: "https://x.example/a", required: ["a"] }, not: true }, verdict: "allow" },
  ],
  "default.jsonKeys": [
    {
      text: '{"a":{"x":1},"b":2}',
      params: { keys: ["a", "c"] },
      verdict: "allow",
      data: { presentKeys: ["a"], missingKeys: ["c"], operator: "any" },
    },
    { text: '{"a":1}', params: { keys: ["a", "c"], operator: "all" }, verdict: "deny" },
    { text: '{"a":1}', params: { keys: ["toString"], operator: "none" }, verdict: "allow" },
    { text: "none", params: { keys: ["a"], operator: "none" }, verdict: "deny" },
  ],
  "default.containsCode": [
    {
      text: fenced("py", "print(1)"),
      params: { format: "Python" },
      verdict: "allow",
      data: { foundFormats: ["Python"], searchedFormat: "Python" },
    },
    { text: fenced("yaml", "a: 1"), params: { format: "YAML" }, verdict: "allow" },
    { text: fenced("py", "print(1)"), params: { format: "SQL" }, verdict: "deny" },
    { text: "no code", params: { format: "SQL", not: true }, verdict: "allow" },
  ],
  "default.modelWhitelist": [
    { text: "x", params: { models: ["kit-model"] }, verdict: "allow", data: { requestedModel: "kit-model", allowedModels: ["kit-model"] } },
    { text: "x", params: { models: ["other"] }, verdict: "deny" },
    { text: "x", params: { models: ["kit-model"], not: true }, verdict: "deny" },
  ],
  "default.modelwhitelist": [{ text: "x", params: { models: ["kit-model"] }, verdict: "allow" }],
  "default.requiredMetadataKeys": [
    {
      text: "x",
      params: { metadataKeys: ["team"] },
      metadata: { team: "a" },
      verdict: "allow",
      data: { found_metadata_keys: ["team"], missing_metadata_keys: [], operator: "all" },
    },
    { text: "x", params: { metadataKeys: ["team", "user"] }, metadata: { team: "a" }, verdict: "deny" },
    { text: "x", params: { metadataKeys: ["toString"], operator: "any" }, verdict: "deny" },
  ],
  "default.allowedRequestTypes": [
    {
      text: "x",
      verdict: "allow",
      data: { mode: "unrestricted", source: "default", allowedTypes: ["all"], currentRequestType: "chatComplete" },
    },
    { text: "x", params: { allowedTypes: ["embed"] }, verdict: "deny", data: { mode: "allowlist", source: "parameters" } },
    { text: "x", params: { allowedTypes: "embed, chatComplete", blockedTypes: ["rerank"] }, verdict: "allow", data: { mode: "combined" } },
    { text: "x", params: { blockedTypes: ["chatComplete"] }, verdict: "deny", data: { mode: "blocklist" } },
    { text: "x", metadata: { supported_endpoints: "embed" }, verdict: "deny", data: { source: "metadata" } },
    { text: "x", metadata: { supported_endpoints: "embed", blocked_endpoints: "embed" }, verdict: "error" },
    { text: "x", metadata: { supported_endpoints: "embed", blocked_endpoints: "a,".repeat(100_000) }, verdict: "error" },
  ],
  "default.webhook": [
    {
      text: "hi",
      params: { ...hook, headers: '{"X-Key":"k"}' },
      verdict: "allow",
      data: { verdict: true, webhookUrl: "https://hooks.example.com/judge", responseData: { seen: 1 }, requestContext: { timeout: 3000 } },
      vendor: {
        url: hook.webhookURL,
        headers: { "x-key": "k", "content-type": "application/json" },
        body: { verdict: true, data: { seen: 1 } },
        request: JSON.stringify({
          request: {
            json: { model: "kit-model", messages: [{ role: "user", content: "hi" }] },
            text: "hi",
            isStreamingRequest: false,
            isTransformed: false,
          },
          response: { json: {}, text: "", statusCode: null, isTransformed: false },
          provider: "kit",
          requestType: "chatComplete",
          metadata: {},
          eventType: "beforeRequestHook",
        }),
      },
    },
    {
      text: "hi",
      params: hook,
      verdict: "transform",
      vendor: { body: { verdict: true, transformedData: { request: { json: { messages: [] } } } } },
    },
    {
      text: "hi",
      params: hook,
      verdict: "deny",
      vendor: { body: { verdict: false, transformedData: { request: { json: { messages: [] } } } } },
    },
    { text: "hi", params: hook, verdict: "error", vendor: { body: { verdict: "yes" } } },
  ],
};

await testPack(defaultPack, manifest, EXAMPLES);

test("a pattern that could hang or does not compile is refused when it is saved", () => {
  for (const rule of ["(", "(?=a)b", "(a)\\1"]) expect(problemsOf(regexMatch, { rule })).toHaveLength(1);
  for (const rule of ["(?i)abc", "(a+)+$", "a{2}", "[^x]*", "\\bword\\b"]) expect(problemsOf(regexMatch, { rule })).toEqual([]);
});

test("both engines find the same, and neither takes more than linear time", () => {
  for (const [rule, text] of [
    ["(?i)secret|pass", "my SeCrEt"],
    ["\\d{3}-\\d{2}", "a 123-45"],
    ["^abc$", "abc"],
    ["[a-z]\\.", "x."],
    ["forbidden-\\d+", "is forbidden-, and forbidden-1234x"],
    ["ab*|cd{2,}", "b cd cdddd abbb"],
    ["cd{2,3}|z+", "cddddd"],
    ["x[0-9a-f]*", "a x00ffg"],
    ["(?i)\\bkey=\\w+", "no monkey=a, my KEY=b_9!"],
  ] as const) {
    const { matchedText, index } = patternOf(rule).find(text) ?? {};
    expect([matchedText, index]).toEqual([patternOf(`(?:${rule})`).find(text)?.matchedText, patternOf(`(?:${rule})`).find(text)?.index]);
  }
  for (const rule of [
    "(a|a)*b",
    "(a|aa)+$",
    "(.*)*x",
    "a*a*a*a*b",
    "(x+x+)+y",
    "(a?){30}a{30}b",
    "b|a+",
    "ba+|ba*",
    "[ab]{40}c+",
    "a{99}b{2,}",
  ]) {
    const startedAt = performance.now();
    patternOf(rule).test("a".repeat(20_000));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  }
});

test("webhook headers must be an object, and what is forwarded has names", () => {
  const check = webhook(new Vendor(["net:*"]).host);
  expect(problemsOf(check, { ...hook, headers: "[1]" })).toHaveLength(1);
  expect(problemsOf(check, { ...hook, headers: "{" })).toHaveLength(1);
  expect(problemsOf(check, { ...hook, forwardHeaders: ["X-Upper"] })).toHaveLength(1);
  expect(problemsOf(check, { ...hook, forwardHeaders: ["x-tenant", "x-gateway-trace-id", "traceparent"] })).toEqual([]);
});

test("JSON is found whole, fenced, or in braces, nested braces included", () => {
  expect(jsonIn("[1]")).toEqual([[1]]);
  expect(jsonIn('a {"x":{"y":1}} b {"z":2}')).toEqual([{ x: { y: 1 } }, { z: 2 }]);
  expect(jsonIn('{ stray {"x":1}')).toEqual([{ x: 1 }]);
  expect(jsonIn('a "b\\"}" {"x":"}"} and {}')).toEqual([{ x: "}" }, {}]);
  expect(jsonIn('6" {} and \\"{ {}')).toEqual([{}, {}]); // a quote that is never closed is none
  expect(jsonIn(`{"no":1} ${fenced("json", '{"yes":1}')}`)).toEqual([{ yes: 1 }]);
  expect(fences("``` open").length).toBe(0);
});
test("a text of quotes that never close is read once: four times the text takes no more than about four times as long", () => {
  const took = (size: number): number => {
    const texts = [`{"${'\\"'.repeat(size)}`, `{"${"a".repeat(2 * size)}\\`, `{${'"'.repeat(size + 1)}`, "{".repeat(size)];
    const startedAt = performance.now();
    for (const text of texts) expect(jsonIn(text)).toEqual([]);
    return performance.now() - startedAt;
  };
  took(50_000); // warm
  expect(took(400_000)).toBeLessThan(12 * took(100_000) + 50);
});
