import { expect, test } from "bun:test";
import { GatewayError, Integrations, IntegrationWorkspaces, Providers, type RecordsHandle, Workspaces } from "#contract";
import { CALLERS, ORGANISATION, tenants } from "../../../tests/kit/tenants.ts";
import { integrations } from "./resource.ts";

const MANY = 450;
const PATH = "/integrations/many";

/** A world with many workspaces, and with one integration that is open to all. */
async function worldOfMany() {
  const world = await tenants([Integrations, IntegrationWorkspaces, Providers]);
  const { records } = world.handles;
  const [blank = expect.unreachable()] = (
    await records.in(Workspaces).list({ limit: 1, offset: 0, where: { organisation_id: ORGANISATION.ours } })
  ).data;
  const workspaces = Array.from({ length: MANY }, (_, i) => ({ ...blank, id: crypto.randomUUID(), slug: `many-${i}`, name: `Many ${i}` }));
  await records.in(Workspaces).insertMissing(workspaces);
  const body = { name: "Many", slug: "many", ai_provider_id: "openai", key: "sk-live-0123456789abcdef" };
  expect(await world.ask(integrations, "POST", "/integrations", CALLERS.admin, body)).toMatchObject({ status: 200 });
  const grant = (more: object = {}) =>
    world.ask(integrations, "PUT", `${PATH}/workspaces`, CALLERS.admin, {
      workspaces: workspaces.map(({ id }) => ({ id, enabled: true })),
      ...more,
    });
  const access = async () => (await records.in(Integrations).first({ slug: "many" }))?.global_workspace_access;
  const granted = async () => (await records.in(IntegrationWorkspaces).list({ limit: 1_000, offset: 0 })).total;
  return { ...world, records, grant, access, granted };
}
/** Every transaction goes by `together`; those after so many fail. */
function failingAfter(calls: number, records: RecordsHandle): () => number {
  const together = records.together.bind(records);
  let made = 0;
  Object.assign(records, {
    together: async (writes: Parameters<typeof together>[0]) => {
      if (made++ >= calls) throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "records" });
      return together(writes);
    },
  });
  return () => made;
}

test("a grant of many workspaces is few transactions, and so is one that overrides them", async () => {
  const { records, grant, granted, access } = await worldOfMany();
  const transactions = failingAfter(Number.POSITIVE_INFINITY, records);
  expect(await grant()).toMatchObject({ status: 200 });
  expect([transactions(), await granted(), await access()]).toEqual([3, MANY, { enabled: false }]);
  expect(await grant()).toMatchObject({ status: 200 });
  const others = { workspaces: [], global_workspace_access: { enabled: true }, override_existing_workspace_access: true };
  expect(await grant(others)).toMatchObject({ status: 200 });
  expect([transactions(), await granted(), await access()]).toEqual([9, 0, { enabled: true }]);
});
test("one that breaks off in the middle has closed the integration to nobody, and is made whole by being sent again", async () => {
  const { records, grant, granted, access } = await worldOfMany();
  const { together } = records;
  failingAfter(1, records);
  expect(await grant()).toMatchObject({ status: 503 });
  expect([await granted(), await access()]).toEqual([200, null]);
  Object.assign(records, { together });
  expect(await grant()).toMatchObject({ status: 200 });
  expect([await granted(), await access()]).toEqual([MANY, { enabled: false }]);
});
