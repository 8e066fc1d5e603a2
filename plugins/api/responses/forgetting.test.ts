import { beforeEach, expect, test } from "bun:test";
import { OwnedIdRecords, type RecordOf, UNCOUNTED } from "#contract";
import { fakeHost, type FakeHost } from "#kit";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { forgetting } from "./forgetting.ts";

const DAY_MS = 86_400_000;
let fake: FakeHost<"records">;
beforeEach(async () => {
  fake = await fakeHost(["records"], { collections: [OwnedIdRecords] });
});
const records = () => fake.host.records.in(OwnedIdRecords);
async function own(id: string, daysAgo: number, more: Partial<RecordOf<typeof OwnedIdRecords>> = {}): Promise<void> {
  const whose = {
    organisation_id: "o",
    workspace_id: "w",
    tenant: "w",
    credential: "c",
    integration_id: null,
    counted_input: null,
    counted_output: null,
  };
  await records().insert({ id, ...whose, object: id, created_at: fake.clock.now - daysAgo * DAY_MS, keeping: "temporary", ...more });
}
const run = (): Promise<void> =>
  forgetting({ records: records(), log: fake.host.log, now: fake.host.now, days: 90 }).run(new AbortController().signal);
const left = async () => (await records().list({ limit: 5_000, offset: 0 })).data;

test(
  verifies("D7.owned.retention", "owners of what providers forget are deleted after their days, and those of what lasts never"),
  async () => {
    await own("old", 91);
    await own("young", 89);
    await own("a file", 4_000, { keeping: null });
    await run();
    const kept = await left();
    expect(kept.filter(({ object }) => object !== "forgotten").map(({ id }) => id)).toEqual(["young", "a file"]);
    expect(fake.lines.filter(({ event }) => event === "old owners of ids deleted")).toHaveLength(1);
  },
);
test("that there were such owners is noted, once for each tenant of a credential", async () => {
  for (let count = 0; count < 1_001; count += 1) await own(`old ${count}`, 100);
  await own("of another", 100, { tenant: "v", workspace_id: "v" });
  await run();
  await own("again", 100);
  await run();
  const leftRecords = await left();
  expect(leftRecords.map(({ object, tenant, credential }) => [object, tenant, credential])).toEqual([
    ["forgotten", "w", "c"],
    ["forgotten", "v", "c"],
  ]);
});
test("what is not counted yet is no owner, and is left to whoever notes it", async () => {
  await own("a run", 91, { keeping: UNCOUNTED });
  await run();
  expect((await left()).map(({ id }) => id)).toEqual(["a run"]);
});
