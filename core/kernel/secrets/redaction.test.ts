import { describe, expect, test } from "bun:test";
import { redactedError, withoutSecrets } from "./redaction.ts";

const KEY = "sk-0123456789abcdef";
const inBase64 = (text: string): string => Buffer.from(text).toString("base64");

describe("a credential that stands in base64", () => {
  test.each(["", "u", "us", "use", "user"])("is taken out with all that its word holds, behind %j", (user) =>
    expect(withoutSecrets(`it was ${inBase64(`${user}:${KEY}:more`)} here, ${inBase64(KEY)}.`, [KEY])).toBe(
      "it was [redacted] here, [redacted].",
    ),
  );
  test("leaves a text without it as it was", () => {
    const text = `${inBase64("another, long enough to be one")} ${"A".repeat(1_000)}`;
    expect(withoutSecrets(text, [KEY])).toBe(text);
  });
  test("is found in a text of one long word in the time that one look takes", () => {
    const text = `${inBase64(`user:${KEY}`)} ${"A".repeat(200_000)} ${inBase64(KEY)}`;
    const startedAt = process.cpuUsage().user;
    expect(withoutSecrets(text, [KEY])).toBe(`[redacted] ${"A".repeat(200_000)} [redacted]`);
    expect(process.cpuUsage().user - startedAt).toBeLessThan(200_000); // microseconds; a pattern took a minute
  });
});

describe("a short credential", () => {
  test.each(["a", "sk", "key"])("of a few letters leaves the words of an error as they are: %j", (key) => {
    const text = "a key that is not valid was given: ask for another key (sk-…)";
    expect(withoutSecrets(text, [key])).toBe(text);
    expect(redactedError({ message: text, type: "auth_error", param: null, code: null }, [key]).message).toBe(text);
  });
  test("is taken out where it stands alone, and left where it is part of another word", () => {
    const text = "t0ken is not valid (t0ken, Bearer t0ken, key=t0ken): at0ken, t0kens and t0ken_1 are other words";
    expect(withoutSecrets(text, ["t0ken"])).toBe(
      "[redacted] is not valid ([redacted], Bearer [redacted], key=[redacted]): at0ken, t0kens and t0ken_1 are other words",
    );
  });
});
