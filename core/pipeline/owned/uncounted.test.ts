import { Type } from "@sinclair/typebox";
import { beforeEach, expect, test } from "bun:test";
import { type Caller, OwnedIdRecords, type RecordsHandle } from "#contract";
import { fakeHost } from "#kit";
import type { Resolved } from "../plan/targets.ts";
import { type Asker, type Uncounted, uncounted } from "./uncounted.ts";

const provider = { target: Type.Object({}), endpoint: () => ({ baseUrl: "", headers: {} }), operations: {} };
const asker = (apiKey: string): Asker => ({
  caller: { organisationId: "o", workspaceId: "w" } as Caller,
  to: {
    id: "p",
    slug: null,
    provider,
    adapter: {},
    served: null,
    target: { fields: {}, apiKey, customHost: null, model: "m" },
    kept: { integrationId: "i" },
  } as unknown as Resolved,
});
const IDS = Array.from({ length: 100 }, (_, index) => `run_${index}`);
const NONE = { input: 0, output: 0 };

let asked: string[];
let runs: Uncounted;
beforeEach(async () => {
  const { host } = await fakeHost(["records", "vault"], { collections: [OwnedIdRecords] });
  asked = [];
  const watched: Pick<RecordsHandle, "in"> = {
    in: (collection) =>
      new Proxy(host.records.in(collection), {
        get(records, name: "list" | "first" | "remove") {
          asked.push(name);
          return records[name].bind(records);
        },
      }),
  };
  runs = uncounted({ records: watched as RecordsHandle, vault: host.vault as never, now: () => 1 });
});

test("a page of runs is looked up together, and what is not there is not asked for one by one", async () => {
  await runs.note(["run_3", "run_7"], asker("k"));
  asked.length = 0;
  expect([...(await runs.take(IDS, asker("k")))]).toEqual([
    ["run_3", NONE],
    ["run_7", NONE],
  ]);
  expect(asked).toEqual(["list", "list", "remove", "remove"]);
  expect((await runs.take(IDS, asker("k"))).size).toBe(0);
});
test("one whose integration has another key by now is found", async () => {
  await runs.note(["run_3"], asker("before"));
  expect([...(await runs.take(["run_3"], asker("after"))).keys()]).toEqual(["run_3"]);
});
test("one that is asked for twice at once is taken by one", async () => {
  await runs.note(["run_3"], asker("k"));
  const taken = await Promise.all([runs.take(["run_3"], asker("k")), runs.take(["run_3"], asker("k"))]);
  expect(taken.map(({ size }) => size).sort()).toEqual([0, 1]);
});
test("one that was counted in part says so when it is taken again", async () => {
  await runs.noteCounted("run_3", { input: 3, cacheRead: 1, output: 2 }, asker("k"));
  expect([...(await runs.take(["run_3"], asker("k")))]).toEqual([["run_3", { input: 4, output: 2 }]]);
});
