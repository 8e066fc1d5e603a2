/** What of a request's credentials may come back, and in which spellings it is found. */
import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "bun:test";
import { headerClasses, type Json, type Provider } from "#contract";
import { secretsOf, secretsSent, toldError, withoutBegunSecret, withoutLongSecrets } from "./secrets-sent.ts";

const classes = headerClasses([]);
const target = Type.Object({ client_secret: Type.Optional(Type.String({ secret: true })), region: Type.Optional(Type.String()) });
const to = (apiKey: string, fields: Readonly<Record<string, string>> = {}, sign?: Provider["sign"]) => ({
  id: "acme",
  slug: null,
  adapter: {},
  kept: null,
  served: null,
  provider: { target, operations: {}, endpoint: () => ({ baseUrl: "", headers: {} }), ...(sign && { sign }) } satisfies Provider,
  target: { apiKey, fields, customHost: null, model: "m" },
});
const KEY = "key-of-acme/with+signs==";

describe("a credential that was sent is taken out", () => {
  test.each([KEY, JSON.stringify({ a: KEY }), JSON.stringify({ a: KEY }).replaceAll("/", "\\/"), `Bearer ${KEY}, twice: ${KEY}`])(
    "of %p",
    (text) => {
      const told = withoutLongSecrets(text, secretsOf(to(KEY)));
      expect(told).toContain("[redacted]");
      expect(told).not.toMatch(/key-of-acme|signs/);
    },
  );
  test("with its quotes and line ends escaped", () => {
    const secret = 'begin "key"\nline of it\nend';
    expect(withoutLongSecrets(JSON.stringify({ a: secret }), secretsOf(to("", { client_secret: secret })))).toBe('{"a":"[redacted]"}');
  });
  test("where one holds another, whole", () =>
    expect(withoutLongSecrets("x abcdefgh-ijklmnop x", secretsOf(to("abcdefgh", { client_secret: "abcdefgh-ijklmnop" })))).toBe(
      "x [redacted] x",
    ));
  test("where its provider signs requests, with what it signed this one", () => {
    const sent = {
      authorization: "Bearer minted-token-0123456789",
      "x-amz-security-token": "session-token-0123",
      accept: "text/event-stream",
    };
    const signs = secretsSent(
      to(KEY, {}, async (request) => request),
      sent,
      classes,
    );
    expect(withoutLongSecrets("minted-token-0123456789 session-token-0123 text/event-stream", signs)).toBe(
      "[redacted] [redacted] text/event-stream",
    );
  });
  test("of every member of an error", () =>
    expect(toldError({ message: KEY, type: KEY, param: `a.${KEY}`, code: KEY }, secretsOf(to(KEY)))).toEqual({
      message: "[redacted]",
      type: "[redacted]",
      param: "a.[redacted]",
      code: "[redacted]",
    }));
  test("where a text was cut off in its middle", () => {
    expect(withoutBegunSecret(`say ${KEY.slice(0, 12)}`, secretsOf(to(KEY)))).toBe("say [redacted]");
    expect(withoutBegunSecret("say key-of", secretsOf(to(KEY)))).toBe("say key-of");
  });
});

test("a field that is no secret, and a key that may be a word, stay in headers and logs", () =>
  expect(withoutLongSecrets("json in europe-west1", secretsOf(to("json", { region: "europe-west1" })))).toBe("json in europe-west1"));

test("what else a provider's error says is told without the credentials, and left out where it is endless", () => {
  const error = { message: "no", type: "t", param: null, code: null };
  const told = (extra: Json): Json | undefined => toldError({ ...error, extra }, ["sk-0123456789", "0123456789"]).extra;
  expect(told({ innererror: { code: "x" } })).toEqual({ innererror: { code: "x" } });
  expect(told({ raw: "key sk-0123456789", "sk-0123456789": [1] })).toEqual({ raw: "key [redacted]", "[redacted]": [1] });
  expect(told({ failed_generation: "a".repeat(70_000) })).toBeUndefined();
  expect(told({ account: 10123456789 })).toBeUndefined();
  expect("extra" in toldError(error, [])).toBeFalse();
});
