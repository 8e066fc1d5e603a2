import { expect, test } from "bun:test";
import { AuditEntries, AuditHeads, inserting, NO_HASH, updating, Workspaces } from "#contract";
import { verifyAudit } from "../../core/cli/verify-audit.ts";
import { auditRetention } from "../../core/kernel/audit/retention.ts";
import { emptyData } from "../../storage/memory/data.ts";
import { verifies } from "../requirements/verifies.ts";
import { auditing, workspace } from "./setting.ts";

type Setting = Awaited<ReturnType<typeof auditing>>;
const verified = async ({ store }: Setting) => {
  const found = [];
  for await (const log of verifyAudit(store, undefined, () => undefined)) found.push(log);
  return found;
};
/** An organisation with six entries. */
async function written() {
  const at = await auditing();
  const organisation = crypto.randomUUID();
  const spaces = at.records.in(Workspaces);
  for (let i = 0; i < 5; i += 1) await spaces.insert(workspace(organisation));
  await spaces.insert(workspace(crypto.randomUUID()));
  const [first] = await at.entries(organisation);
  expect(await spaces.update(String(first?.resource_id), { name: "Two" }, { name: "One" })).toBe(true);
  return { ...at, organisation };
}

test(verifies("AUD.chain", "each organisation has a chain of its own, from the first entry to the last"), async () => {
  const at = await written();
  const entries = await at.entries(at.organisation);
  expect(entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(entries.map(({ previous_hash }) => previous_hash)).toEqual([NO_HASH, ...entries.slice(0, 5).map(({ hash }) => hash)]);
  expect((await verified(at)).map(({ entries: count, broken }) => [count, broken])).toEqual([
    [6, undefined],
    [1, undefined],
  ]);
});

test(verifies("AUD.chain", "processes that write at the same time make one chain, and lose none"), async () => {
  const data = emptyData();
  const [near, far] = [await auditing(data), await auditing(data)];
  const organisation = crypto.randomUUID();
  await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 ? near : far).records.in(Workspaces).insert(workspace(organisation))));
  expect(await verified(near)).toEqual([{ organisation, entries: 40 }]);
});

test.each<[string, RegExp, (at: Setting & { organisation: string }) => Promise<unknown>]>([
  [
    "changed",
    /entry 3 .*changed after it was written/,
    async ({ store, entries, organisation }) =>
      store.in(AuditEntries).update((await entries(organisation))[2]?.id ?? "", { actor_name: "somebody else" }),
  ],
  [
    "changed inside",
    /entry 6 .*changed after it was written/,
    async ({ store, entries, organisation }) =>
      store.in(AuditEntries).update((await entries(organisation))[5]?.id ?? "", { after: { name: "Three" } }),
  ],
  [
    "removed",
    /entry 2 is missing/,
    async ({ store, entries, organisation }) => store.in(AuditEntries).remove((await entries(organisation))[1]?.id ?? ""),
  ],
  [
    "removed at the end",
    /entries 5 to 6 are missing/,
    async ({ store, entries, organisation }) => {
      for (const { id } of (await entries(organisation)).slice(4)) await store.in(AuditEntries).remove(id);
    },
  ],
  [
    "put in the place of another, with a hash of its own",
    /entry 2 .*does not follow|entry 1 .*changed/,
    async ({ store, entries, organisation }) =>
      store.in(AuditEntries).update((await entries(organisation))[0]?.id ?? "", { hash: "f".repeat(64) }),
  ],
  [
    "begun anew",
    /not the one that the log ended with/,
    ({ store, organisation }) => store.in(AuditHeads).update(organisation, { hash: NO_HASH }),
  ],
])(verifies("AUD.tampered", "an entry that was %s is found"), async (_, sentence, tamper) => {
  const at = await written();
  await tamper(at);
  const [broken, other] = await verified(at);
  expect(broken?.broken).toMatch(sentence);
  expect(other).toMatchObject({ entries: 1 });
});

test(verifies("AUD.retention", "old entries go, and what is left is a chain from a kept anchor"), async () => {
  const at = await written();
  const { store, clock, organisation } = at;
  clock.now += 10 * 86_400_000;
  for (let i = 0; i < 3; i += 1) await at.records.in(Workspaces).insert(workspace(organisation));
  const job = auditRetention({ store, days: 7, log: () => undefined, now: () => clock.now });
  await job.run(new AbortController().signal);
  expect((await at.entries(organisation)).map(({ sequence }) => sequence)).toEqual([7, 8, 9]);
  expect(await store.in(AuditHeads).get(organisation)).toMatchObject({ anchor_sequence: 6, sequence: 9, anchored_at: clock.now });
  expect((await verified(at)).map(({ entries, broken }) => [entries, broken])).toEqual([
    [3, undefined],
    [0, undefined],
  ]);
  await at.records.in(Workspaces).insert(workspace(organisation));
  expect((await at.entries(organisation)).at(-1)?.sequence).toBe(10);
  await store.in(AuditEntries).remove((await at.entries(organisation))[0]?.id ?? "");
  expect((await verified(at))[0]?.broken).toBe("entry 7 is missing");
});

test(verifies("AUD.together", "writes that are made together have an entry each, or none of them has"), async () => {
  const { records, entries } = await auditing();
  const organisation = crypto.randomUUID();
  const [one, two] = [workspace(organisation), workspace(organisation)];
  const writes = [inserting(Workspaces, one), inserting(Workspaces, two)];
  expect(await records.together([...writes, updating(Workspaces, crypto.randomUUID(), { name: "x" })])).toBe(false);
  expect(await records.in(Workspaces).get(one.id)).toBeUndefined();
  expect(await entries(organisation)).toEqual([]);
  expect(await records.together([...writes, updating(Workspaces, one.id, { name: "y" })])).toBe(true);
  expect((await entries(organisation)).map(({ resource_id }) => resource_id)).toEqual([one.id, two.id, one.id]);
  expect((await entries(organisation))[2]).toMatchObject({ action: "update", before: { name: "One" }, after: { name: "y" } });
  expect(
    await records
      .in(Workspaces)
      .insert({ ...one, id: crypto.randomUUID() })
      .catch(({ code }) => code),
  ).toBe("CONFLICT");
  expect(await records.in(Workspaces).update(one.id, { name: "z" }, { name: "other" })).toBe(false);
  expect(await entries(organisation)).toHaveLength(3);
});

test(verifies("AUD.append", "no plugin can write entries, though it may read them"), async () => {
  const { records, entries } = await written();
  const log = records.in(AuditEntries);
  const [{ data: [entry] = [] }] = [await log.list({ limit: 1, offset: 0 })];
  if (!entry) throw new Error("there are entries");
  const refused = "are written by the gateway alone";
  expect(await log.remove(entry.id).then(String, String)).toContain(refused);
  expect(await log.update(entry.id, { status: 1 }).then(String, String)).toContain(refused);
  expect(await log.insert(entry).then(String, String)).toContain(refused);
  expect(() => records.together([inserting(AuditEntries, entry)])).toThrow(refused);
  expect(await entries(entry.organisation_id)).toContainEqual(entry);
});

test(verifies("AUD.stamps", "a stamp leaves no entry, alone or beside a change, and holds only for what it expects"), async () => {
  const { records, entries, audit } = await auditing();
  const organisation = crypto.randomUUID();
  const one = workspace(organisation);
  const spaces = records.in(Workspaces);
  await spaces.insert(one);
  const told: number[] = [];
  audit.listen((some) => told.push(some.length));
  expect(await spaces.update(one.id, { last_updated_at: 2, name: one.name }, { last_updated_at: 1 })).toBe(true);
  expect(await spaces.update(one.id, { last_updated_at: 3 }, { last_updated_at: 1 })).toBe(false);
  expect((await entries(organisation)).map(({ action }) => action)).toEqual(["create"]);
  await records.together([updating(Workspaces, one.id, { last_updated_at: 4 }), updating(Workspaces, one.id, { name: "Two" })]);
  expect((await entries(organisation)).map(({ action, after }) => [action, after?.["name"]])).toEqual([
    ["create", "One"],
    ["update", "Two"],
  ]);
  expect([told, (await spaces.get(one.id))?.last_updated_at]).toEqual([[1], 4]);
});
