/** What a service answers a check that asks it is bounded: while it is parsed, others wait. */
import { afterAll, describe, expect, test } from "bun:test";
import { at, forAll } from "./endpoints/api.ts";

const MB = 1024 * 1024;
let answer = "{}";
const service = Bun.serve({
  ...{ hostname: "127.0.0.1", port: 0 },
  async fetch(request) {
    await request.arrayBuffer();
    return new Response(answer, { headers: { "content-type": "application/json" } });
  },
});
afterAll(() => service.stop(true));
const api = forAll({ GATEWAY_TRUSTED_HOSTS: `127.0.0.1:${service.port}` });
const answered = (data: string): string => JSON.stringify({ verdict: true, data });

async function judged(failOnError: boolean) {
  const webhook = { webhookURL: service.url.href, failOnError };
  const config = { provider: "sandbox", input_guardrails: [{ deny: true, "default.webhook": webhook }] };
  const headers = { "x-gateway-config": JSON.stringify(config) };
  const body = { model: "echo", messages: [{ role: "user", content: "Hello" }] };
  const { status, json } = await api.data("POST", "/v1/chat/completions", headers, body);
  return { status, check: at(json, "hook_results", "before_request_hooks", 0, "checks", 0) };
}

describe("a webhook's answer", () => {
  test("of less than 1 MB is read", async () => {
    answer = answered("x".repeat(0.9 * MB));
    expect(await judged(true)).toMatchObject({ status: 200 });
  });
  test.each([
    ["one text", () => answered("x".repeat(2 * MB))],
    ["15 MB of lists", () => `{"verdict":true,"data":[${"[],".repeat(5 * MB)}[]]}`],
  ])("of more is an error of the check that says so: %s", async (_, make) => {
    answer = make();
    const { status, check } = await judged(true);
    expect([status, at(check, "verdict"), at(check, "error", "message")]).toEqual([
      446,
      false,
      expect.stringContaining("larger than 1 MB"),
    ]);
    expect((await judged(false)).status).toBe(200);
  });
});
