import { expect, test } from "bun:test";
import { headerClasses } from "#contract";
import { createLog, hideEnvironment } from "./log.ts";

function logging() {
  const lines: string[] = [];
  return { lines, log: createLog({ level: "info", now: () => 0, write: (line) => void lines.push(line) }) };
}

test("a known secret is not shown, wherever it appears", () => {
  const { lines, log } = logging();
  log.hide('s3cret-"value"');
  log.named("guardrail/acme")("warn", "called", {
    url: 'https://x/?k=s3cret-"value"',
    deep: [{ text: 'a s3cret-"value" b' }],
    error: new Error('with s3cret-"value"'),
  });
  expect(lines.join()).not.toContain("s3cret");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "warn",
    event: "called",
    plugin: "guardrail/acme",
    url: "https://x/?k=[redacted]",
  });
});

test("members called like a credential lose their text; counts keep theirs", () => {
  const { lines, log } = logging();
  log.log("info", "sent", {
    headers: new Headers({ authorization: "Bearer abc", "x-api-key": "abc", accept: "json" }),
    input_tokens: 5,
    apiKey: "k",
    client_secret: "c",
  });
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    headers: { authorization: "[redacted]", "x-api-key": "[redacted]", accept: "json" },
    input_tokens: 5,
    apiKey: "[redacted]",
    client_secret: "[redacted]",
  });
});

test("a credential header is one under an alias too, however the alias ends", () => {
  const lines: string[] = [];
  const headers = headerClasses(["x-acme", "X-Other-"]);
  const { log } = createLog({ level: "info", now: () => 0, write: (line) => void lines.push(line), headers });
  log("info", "sent", { headers: new Headers({ "x-acmeapi-key": "abc", "x-other-api-key": "abc", "ocp-apim-subscription-key": "abc" }) });
  expect(lines.join()).not.toContain("abc");
});

test("what cannot be written as JSON is still a line", () => {
  const { lines, log } = logging();
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  log.log("error", "odd", { cycle });
  log.log("error", "big", { n: 10n });
  log.log("debug", "hidden");
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(["odd", "big"]);
});

test("the environment's secrets and the passwords in its URLs are hidden", () => {
  const { log } = logging();
  hideEnvironment(
    { ACME_KEY: "acme-key-value", DATABASE_URL: "postgres://u:p%40ssw0rd!@db/x", PATH: "/usr/bin:/bin", NODE_ENV: "production" },
    log.hide,
  );
  expect(log.redact("acme-key-value p%40ssw0rd! p@ssw0rd! production /usr/bin:/bin")).toBe(
    "[redacted] [redacted] [redacted] production /usr/bin:/bin",
  );
});

test("data of a check is redacted within, and a value that contains itself ends", () => {
  const { log } = logging();
  log.hide("a-long-secret");
  const cycle: Record<string, unknown> = { text: "has a-long-secret" };
  cycle["self"] = cycle;
  expect(log.redactValue(cycle)).toMatchObject({ text: "has [redacted]", self: { text: "has [redacted]" } });
  expect(log.redactValue({ list: ["a-long-secret", 3], token: "t" })).toEqual({ list: ["[redacted]", 3], token: "[redacted]" });
});

test("names that are longer than any real one are judged, and not kept", () => {
  const { redactValue } = createLog({ level: "info", now: () => 0, write: () => undefined });
  const names = 500;
  const chars = 100_000;
  Bun.gc(true);
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < names; at += 1) {
    const name = `${at}${"n".repeat(chars)}.password`;
    expect(redactValue({ [name]: "text" })).toEqual({ [name]: "[redacted]" });
  }
  Bun.gc(true);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan((names * chars) / 4);
});
