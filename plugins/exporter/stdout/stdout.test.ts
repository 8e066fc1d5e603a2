import { expect, test } from "bun:test";
import { type Caller, type Call, OPERATIONS, type Outcome } from "#contract";
import { exportTo } from "../../../tests/kit/exporter.ts";
import stdout from "./index.ts";

test("one line per request, with neither headers nor bodies", async () => {
  const lines: { level: string; event: string; fields: unknown }[] = [];
  const running = await stdout.setup({ now: () => 0, log: (level, event, fields) => lines.push({ level, event, fields }) }, {});
  const call = {
    id: "req-1",
    traceId: "t",
    operation: "chatComplete",
    row: OPERATIONS.chatComplete,
    method: "POST",
    path: "/chat/completions",
    search: "?key=canary",
    headers: new Headers({ authorization: "canary" }),
    body: { kind: "json", text: "canary", value: {} },
    startedAt: 0,
  } as unknown as Call; // the line looks at no more
  const outcome: Outcome = {
    call,
    caller: { organisationId: "org", workspaceId: "ws", keyId: "key", keyName: "n" } as Caller,
    plan: null,
    status: 446,
    ended: "error",
    error: { message: "canary", type: "hooks_failed", param: null, code: null },
    provider: "openai",
    providerSlug: null,
    model: "m",
    lastUsedOption: "config",
    retries: 0,
    cacheStatus: "MISS",
    streamed: true,
    usage: { input: 2, output: 3 },
    costCents: null,
    guardrails: { input: [], output: [], text: "canary" },
    timing: { totalMs: 10.4, gatewayMs: 1, upstreamMs: 9, timeToFirstTokenMs: 5 },
    bodies: { request: "canary", upstreamUrl: "canary", upstreamRequest: "canary", response: "canary", truncated: false },
  };
  await exportTo(running.provides, [outcome, { ...outcome, caller: null, usage: null }]);
  expect(lines.length).toBe(2);
  expect(lines[0]).toMatchObject({
    level: "info",
    event: "request",
    fields: {
      at: "1970-01-01T00:00:00.000Z",
      id: "req-1",
      path: "/v1/chat/completions",
      status: 446,
      error: "hooks_failed",
      workspace_id: "ws",
      input_tokens: 2,
      output_tokens: 3,
      total_ms: 10,
      time_to_first_token_ms: 5,
    },
  });
  expect(lines[1]?.fields).toMatchObject({ workspace_id: null, input_tokens: null });
  expect(JSON.stringify(lines)).not.toContain("canary");
});
