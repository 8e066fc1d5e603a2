import { expect, test } from "bun:test";
import { isLocal, operatorsOnly } from "./status.ts";

const from = (peer: string | null, headers: Readonly<Record<string, string>> = {}): boolean =>
  isLocal({ peer, headers: new Headers({ host: "localhost:8787", ...headers }) });

test.each(["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"])("%s is this machine", (peer) => expect(from(peer)).toBe(true));
test.each([
  null,
  "10.0.0.1",
  "192.168.1.1",
  "203.0.113.7",
  "2001:db8::1",
  "::ffff:10.0.0.1",
  "0.0.0.0",
  "",
  "127.0.0.1.example.com",
  "1127.0.0.1",
])("%p is not this machine", (peer) => expect(from(peer)).toBe(false));
test.each([
  { "x-forwarded-for": "203.0.113.7" },
  { "X-Forwarded-For": "127.0.0.1" },
  { "x-forwarded-proto": "https" },
  { forwarded: "for=127.0.0.1" },
  { "x-real-ip": "127.0.0.1" },
  { via: "1.1 proxy" },
  { "cf-connecting-ip": "203.0.113.7" },
  { "true-client-ip": "203.0.113.7" },
  { "x-envoy-external-address": "203.0.113.7" },
  { host: "status.example.com" },
  { host: "localhost.example.com" },
  { host: "203.0.113.7:8787" },
  { host: "" },
])("what a proxy forwarded, or what was asked by another name, is not this machine's: %p", (headers) => {
  expect(from("127.0.0.1", headers)).toBe(false);
});
test.each(["localhost", "127.0.0.1:8787", "[::1]:8787", "LOCALHOST:80"])("it is called %s", (host) =>
  expect(from("::1", { host })).toBe(true),
);

test("what fails inside while a part is asked how it is doing is logged, with the path", async () => {
  const lines: unknown[] = [];
  const access = { peer: "127.0.0.1", headers: new Headers({ host: "localhost" }), identify: () => expect.unreachable() };
  const boom = new Error("boom");
  const failing = (): never => {
    throw boom;
  };
  const answer = await operatorsOnly("/status", access, failing, (...line) => void lines.push(line));
  expect(answer.status).toBe(500);
  const [, , { traceId }] = lines[0] as [string, string, { traceId: string }]; // judged by the next line
  expect(await answer.text()).toContain(`under the trace id ${traceId}`);
  expect(lines).toEqual([["error", "request failed inside", { traceId: expect.any(String), path: "/status", why: boom }]]);
});
