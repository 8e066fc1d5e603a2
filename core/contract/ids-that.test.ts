import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { fakeHost } from "../../tests/kit/host.ts";
import { defineCollection } from "./storage.ts";
import { tagged } from "./tag-filter.ts";

const Things = defineCollection({
  name: "things",
  schema: Type.Object({ id: Type.String(), organisation_id: Type.String(), tags: Type.Record(Type.String(), Type.String()) }),
});
const MANY = 12_000;
const LAST = String(MANY - 1).padStart(6, "0");

test("a filter looks at all records, however many, and says so where too many fit", async () => {
  const { host } = await fakeHost(["records"], { collections: [Things] });
  for (let from = 0; from < MANY; from += 1_000)
    await host.records.in(Things).insertMissing(
      Array.from({ length: 1_000 }, (_, i) => {
        const id = String(from + i).padStart(6, "0");
        return { id, organisation_id: "ours", tags: { team: "all", number: id } };
      }),
    );
  const found = (tags: object) => tagged(Things, { query: { tags: JSON.stringify(tags) }, records: host.records, organisationId: "ours" });
  expect(await found({ number: LAST })).toEqual({ id: [LAST] });
  expect(await found({ number: "none" })).toEqual({ id: [] });
  await expect(found({ team: "all" })).rejects.toThrow("The filter tags finds more than 10000: say more, or list without it.");
});
