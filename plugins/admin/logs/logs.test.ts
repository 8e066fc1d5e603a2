import { expect, test } from "bun:test";
import type { LogRow, Route, RouteInput } from "#contract";
import { fakeHost } from "../../../tests/kit/host.ts";
import { CALLERS, ORGANISATION, WORKSPACE } from "../../../tests/kit/tenants.ts";
import logs from "./index.ts";

const row: LogRow = {
  id: crypto.randomUUID(),
  organisationId: ORGANISATION.ours,
  workspaceId: WORKSPACE.ours,
  createdAt: 1,
  traceId: "t",
  provider: "openai",
  model: "m",
  status: 200,
  costCents: null,
  inputTokens: 1,
  outputTokens: 2,
  responseTimeMs: 3,
  apiKeyId: null,
  cacheStatus: "DISABLED",
  metadata: {},
  detail: { _id: "the record" },
  hooks: { before_request_hooks: [] },
};
async function read(id: string, as: (typeof CALLERS)[keyof typeof CALLERS], query: object = {}): Promise<unknown> {
  const { host } = await fakeHost(["logs"]);
  await host.logs.write([row]);
  const { provides } = await logs.setup(host, {});
  const [route] = provides.routes ?? [];
  return (route as Route).handle({
    params: { logId: id },
    caller: as,
    query,
    body: undefined,
    request: new Request("http://localhost"),
    now: 0,
  } as unknown as RouteInput<never, never>); // the route takes no body
}

test("a log is read whole, or as its guardrail results", async () => {
  for (const as of [CALLERS.workspace, CALLERS.admin]) expect(await read(row.id, as)).toEqual({ _id: "the record" });
  expect(await read(row.id, CALLERS.workspace, { type: "hooks" })).toEqual({ before_request_hooks: [] });
});
test("another tenant's log is as absent as one that never was", async () => {
  for (const [id, as] of [
    [row.id, CALLERS.second],
    [row.id, CALLERS.theirs],
    [row.id, CALLERS.theirAdmin],
    [crypto.randomUUID(), CALLERS.workspace],
    ["../x", CALLERS.workspace],
  ] as const) {
    expect(read(id, as)).rejects.toMatchObject({ code: "NOT_FOUND", message: "There is no log of this id." });
  }
});
