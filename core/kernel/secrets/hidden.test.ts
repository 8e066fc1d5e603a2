import { expect, test } from "bun:test";
import { hiddenSecrets } from "./hidden.ts";

test("a secret is taken out wherever it stands, as often as it stands", () => {
  const { hide, redact } = hiddenSecrets();
  hide("sk-secret-123");
  expect(redact("a sk-secret-123 b sk-secret-123sk-secret-123")).toBe("a [redacted] b [redacted][redacted]");
  expect(redact("sk-secret-12")).toBe("sk-secret-12");
});
test("of two secrets with one beginning the longer goes whole", () => {
  const { hide, redact } = hiddenSecrets();
  hide("prefix-secret");
  hide("prefix-secret-longer");
  expect(redact("x prefix-secret-longer y prefix-secret z")).toBe("x [redacted] y [redacted] z");
});
test("a secret with quotes is hidden as it looks in JSON too", () => {
  const { hide, redact } = hiddenSecrets();
  hide('pass"word"123');
  expect(redact(JSON.stringify({ a: 'pass"word"123' }))).toBe('{"a":"[redacted]"}');
});
test("short values hide nothing, and the oldest are forgotten first", () => {
  const { hide, redact } = hiddenSecrets(2);
  hide("short");
  for (const secret of ["first-secret", "second-secret", "third-secret"]) hide(secret);
  expect(redact("short first-secret second-secret third-secret")).toBe("short first-secret [redacted] [redacted]");
});
test("a secret that is given again and again stays, however many others come", () => {
  const { hide, redact } = hiddenSecrets(2);
  for (const secret of ["first-secret", "second-secret", "first-secret", "third-secret"]) hide(secret);
  expect(redact("first-secret second-secret third-secret")).toBe("[redacted] second-secret [redacted]");
});
test("agrees with plain replacement on random texts", () => {
  const secrets = Array.from({ length: 300 }, (_, i) => `key-${(i * 7919).toString(36)}-${i % 7}abcdefgh`);
  const { hide, redact } = hiddenSecrets();
  for (const secret of secrets) hide(secret);
  for (let i = 0; i < 200; i += 1) {
    const text = `head ${secrets[i]} middle ${i} ${secrets[(i * 13) % 300]?.slice(0, -1)} ${secrets[(i * 31) % 300]} tail ké`;
    expect(redact(text)).toBe(
      [...secrets].sort((a, b) => b.length - a.length).reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text),
    );
  }
});
test("ten thousand secrets cost a text no more than ten do", () => {
  const text = "an ordinary line of a log, with words and numbers 12345 and nothing secret in it. ".repeat(20);
  const timeWith = (count: number): number => {
    const { hide, redact } = hiddenSecrets();
    for (let i = 0; i < count; i += 1) hide(`sk-${i.toString(36)}-${"x".repeat(20)}`);
    const startedAt = performance.now();
    for (let i = 0; i < 300; i += 1) redact(text);
    return performance.now() - startedAt;
  };
  timeWith(10);
  expect(timeWith(10_000)).toBeLessThan(Math.max(timeWith(10), 5) * 10);
});
test("secrets that begin alike are kept as fast as others, and the longest of them is hidden whole", () => {
  const timeOf = (beginning: string): number => {
    const { hide, redact } = hiddenSecrets(2_000);
    const startedAt = performance.now();
    for (let i = 0; i < 6_000; i += 1)
      hide(`${beginning || i.toString(36).padStart(12, "k")}-${i.toString(36).padStart(8, "0")}${"x".repeat(i % 20)}`);
    const took = performance.now() - startedAt;
    hide(`${beginning}-0123456789`);
    hide(`${beginning}-0123456789-and-more`);
    expect(redact(`a ${beginning}-0123456789-and-more b ${beginning}-0123456789`)).toBe("a [redacted] b [redacted]");
    return took;
  };
  timeOf("");
  expect(timeOf("sk-proj-")).toBeLessThan(Math.max(timeOf(""), 10) * 10);
});
