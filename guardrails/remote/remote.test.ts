import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { testPack } from "../../tests/kit/check.ts";
import manifest from "./manifest.json";
import pack from "./index.ts";
import { PUBLISHED } from "./schema.ts";
import { secretProblems, signedHeaders, verify } from "./signing.ts";

await testPack(pack, manifest);

test("the published schema is the one that is used", () => {
  const file = join(import.meta.dirname, "../../docs/remote-guardrails.schema.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(PUBLISHED)));
});

describe("signatures", () => {
  const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1614265330, body: '{"test": 2432232314}' };

  test("are those of Standard Webhooks, by its own example", () => {
    expect(signedHeaders(message, SECRET)["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });
  const asked = { id: message.id, nowSec: message.timestamp + 10, secret: SECRET };
  const given = (more: Record<string, string> = {}) => new Headers({ ...signedHeaders(message, SECRET), ...more });
  test("are taken from a list of them, as a service sends that changes its secret", () => {
    const own = signedHeaders(message, SECRET)["webhook-signature"] ?? "";
    expect(() => verify(given({ "webhook-signature": `v1,b3RoZXI= ${own}` }), message.body, asked, "it")).not.toThrow();
  });
  test.each([
    ["of another secret", new Headers(signedHeaders(message, "another-secret-0123456789")), message.body, asked],
    ["of another body", given(), '{"test": 1}', asked],
    ["of another question", given(), message.body, { ...asked, id: "msg_other" }],
    ["of long ago", given(), message.body, { ...asked, nowSec: message.timestamp + 301 }],
    ["without a time", given({ "webhook-timestamp": "soon" }), message.body, asked],
    ["that is missing", new Headers(), message.body, asked],
  ] as const)("%s are refused", (_, headers, body, question) => {
    expect(() => verify(headers, body, question, "it")).toThrow("the service's answer");
  });
  test("need a secret that nobody guesses", () => {
    expect([secretProblems("whsec_YWJj"), secretProblems(SECRET)]).toEqual([[expect.stringContaining("16 bytes")], []]);
  });
});
