import { describe, expect, test } from "bun:test";
import { withoutSecrets } from "./redaction.ts";

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
