/** Checks that may take long run in processes of their own: what those may do, and what becomes of a check that takes too much. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ADMIN_KEY, ask, GATEWAY_KEY, until } from "./process.ts";
import { startStuck, type StuckGateway } from "./stuck.ts";

let stuck: StuckGateway;
const folder = mkdtempSync(join(tmpdir(), "gateway-env-"));
beforeAll(async () => {
  writeFileSync(join(folder, ".env"), "MY_OTHER_SECRET_TOKEN=not-for-children-either\n");
  stuck = await startStuck({ cwd: folder, env: { GATEWAY_CHECK_DEADLINE_MS: "300", MY_SECRET_TOKEN: "not-for-children" } });
}, 30_000);
afterAll(async () => {
  await stuck.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Shown {
  readonly verdict: boolean;
  readonly data: { readonly pid: number; readonly came: unknown } | null;
  readonly error: { readonly name: string; readonly message: string } | null;
}
/** What a guardrail with the check says of a text. */
async function judged(text: string, more: object = {}): Promise<{ status: number; check: Shown }> {
  const { status, json } = await stuck.judged({ "stuck.dear": {} }, text, more);
  const results = json["hook_results"] as unknown as { before_request_hooks: readonly { checks: readonly Shown[] }[] };
  const check = results.before_request_hooks[0]?.checks[0];
  return { status, check: check ?? expect.unreachable() };
}
const isAlive = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

describe("a check that may take long", () => {
  test("runs in another process, whose environment is empty, and which goes on to the next", async () => {
    const first = await judged("fine");
    expect(first).toMatchObject({ status: 200, check: { verdict: true, error: null } });
    expect(first.check.data?.pid).not.toBe(stuck.gateway.pid);
    const second = await judged("environment");
    expect(second.check.data).toEqual({ pid: first.check.data?.pid ?? 0, came: 0 });
  }, 30_000);

  test.each([
    ["hang", /longer than 300 ms/],
    ["grow", /more than 256 MB|longer than 300 ms/],
    ["deepen", /call stack/],
    ["exit", /ended/],
  ])(
    "that does `%s` is the error budget, and closes where the guardrail denies",
    async (does, message) => {
      expect(await judged(does)).toMatchObject({
        status: 446,
        check: { verdict: false, error: { name: "Budget error", message: expect.stringMatching(message) } },
      });
      expect(await judged(does, { deny: false })).toMatchObject({ status: 200 });
      expect(await judged("fine")).toMatchObject({ status: 200, check: { verdict: true } });
    },
    30_000,
  );

  test("that fails by itself is the same crash as on the main thread", async () => {
    expect(await judged("fail")).toMatchObject({
      status: 200,
      check: { verdict: false, error: { name: "Check error", message: expect.stringContaining("it does not work") } },
    });
  }, 30_000);

  test("cannot be switched off for its budget by `failOnError: false`", async () => {
    const { status } = await stuck.judged({ "stuck.dear": { failOnError: false } }, "hang");
    expect(status).toBe(446);
  }, 30_000);

  test("leaves no process behind that was stopped", async () => {
    const { check } = await judged("fine");
    const pid = check.data?.pid ?? 0;
    expect(isAlive(pid)).toBe(true);
    expect((await judged("hang")).status).toBe(446);
    await until("the process is gone", () => !isAlive(pid));
  }, 30_000);

  test("of a client that left does not keep the next one waiting", async () => {
    const controller = new AbortController();
    const config = JSON.stringify({ provider: "sandbox", input_guardrails: [{ "stuck.dear": {}, deny: true }] });
    const left = fetch(`${stuck.gateway.base}/v1/chat/completions`, {
      method: "POST",
      signal: controller.signal,
      headers: { "x-gateway-api-key": GATEWAY_KEY, "content-type": "application/json", "x-gateway-config": config },
      body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: "hang" }] }),
    }).catch(() => "left");
    const inFlight = async (): Promise<boolean> =>
      /gateway_in_flight_requests 1/.test((await ask(`${stuck.gateway.base}/metrics`, "GET", null)).text);
    await until("it is under way", inFlight);
    controller.abort();
    expect(await left).toBe("left");
    expect((await judged("fine")).status).toBe(200);
  }, 30_000);
});

describe("parameters that take long to judge", () => {
  const save = (rule: string) =>
    ask(`${stuck.gateway.base}/v2/guardrails`, "POST", ADMIN_KEY, {
      name: "Heavy",
      checks: [{ id: "default.regexMatch", parameters: { rule } }],
      actions: {
        deny: true,
        async: false,
        on_success: { feedback: { value: 1, weight: 1, metadata: "" } },
        on_fail: { feedback: { value: 1, weight: 1, metadata: "" } },
      },
    });
  test("are refused with a sentence when they exceed the budget, and saved when they do not", async () => {
    const heavy = await save("\\d{1000}".repeat(1_200));
    expect([heavy.status, heavy.text]).toEqual([
      400,
      expect.stringMatching(/could not be judged: it took (longer than 300 ms|more than 256 MB)/),
    ]);
    expect((await save("(a{20}){20}")).status).toBe(200);
    const wrong = await save(`${"(?i)[^x]".repeat(60)}(`);
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("The pattern is not valid")]);
  }, 30_000);
});

test("the pool tells how it is doing, and what it did", async () => {
  const { text } = await ask(`${stuck.gateway.base}/metrics`, "GET", null);
  for (const what of ["done", "budget", "started"]) expect(Number(new RegExp(`what="${what}"} (\\d+)`).exec(text)?.[1])).toBeGreaterThan(0);
});
