import { expect, test } from "bun:test";
import type { Route, RouteInput } from "#contract";
import { fakeHost } from "../../../tests/kit/host.ts";
import { logRow } from "../../../tests/kit/storage/logs.ts";
import { CALLERS, ORGANISATION, WORKSPACE } from "../../../tests/kit/tenants.ts";
import logs from "./index.ts";

const HOOKS = { before_request_hooks: [{ id: "g" }], after_request_hooks: [] };
const row = logRow({
  organisationId: ORGANISATION.ours,
  workspaceId: WORKSPACE.ours,
  request: '{"model":"m"}',
  sent: null,
  response: "data: [DONE]\n\n",
  hooks: JSON.stringify(HOOKS),
});
async function read(id: string, as: (typeof CALLERS)[keyof typeof CALLERS], query: object = {}, written = row): Promise<unknown> {
  const { host } = await fakeHost(["logs"]);
  await host.logs.write([written]);
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
  for (const as of [CALLERS.workspace, CALLERS.admin])
    expect(await read(row.id, as)).toMatchObject({
      _id: row.id,
      organisation_id: ORGANISATION.ours,
      request: { url: row.facts?.url, body: { model: "m" } },
      response: { status: 200, body: { text: "data: [DONE]\n\n" } },
      transformedRequest: { url: row.facts?.sentTo, body: { model: "m" } },
      gateway: { workspace_id: WORKSPACE.ours },
    });
  expect(await read(row.id, CALLERS.workspace, { type: "hooks" })).toEqual(HOOKS);
});
test("guardrail results that there are none of are an empty object", async () => {
  const bare = logRow({ ...row, id: crypto.randomUUID(), hooks: null });
  expect(await read(bare.id, CALLERS.workspace, { type: "hooks" }, bare)).toEqual({});
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
