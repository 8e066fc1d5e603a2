import { expect, test } from "bun:test";
import { OwnedIdRecords, UNCOUNTED } from "#contract";
import { fakeHost } from "#kit";
import { forgetUncountedWork } from "./uncounted-work.ts";

const DAY_MS = 86_400_000;

test("what nobody asked the end of is forgotten after its days; owners of ids are left alone", async () => {
  const { host, clock, lines } = await fakeHost(["records"], { collections: [OwnedIdRecords] });
  const records = host.records.in(OwnedIdRecords);
  const whose = { organisation_id: "o", workspace_id: "w", tenant: "w", credential: "c", integration_id: null };
  const note = (id: string, daysAgo: number, keeping: string | null) =>
    records.insert({
      ...whose,
      id,
      object: id,
      created_at: clock.now - daysAgo * DAY_MS,
      keeping,
      counted_input: null,
      counted_output: null,
    });
  for (let count = 0; count < 501; count += 1) await note(`old ${count}`, 91, UNCOUNTED);
  await note("young", 89, UNCOUNTED);
  await note("a response", 91, "temporary");
  await note("a file", 4_000, null);
  const job = forgetUncountedWork({ records: host.records, log: host.log, now: host.now });
  await job.run(new AbortController().signal);
  const { data } = await records.list({ limit: 5_000, offset: 0 });
  expect(data.map(({ id }) => id).sort()).toEqual(["a file", "a response", "young"]);
  expect(lines.filter(({ event }) => event === "old notes of uncounted work deleted")).toMatchObject([{ notes: 501 }]);
});
