import { expect, test } from "bun:test";
import { inserting, insertingMissing, type Records, type RecordStore, removing, updating, Workspaces, BLANK_WORKSPACE } from "#contract";
import { type Thing, thing, Things } from "./sample.ts";
import { closedHandle, codeOf, expectUnavailable, handleOf, type Subject, unique } from "./subject.ts";

/** Writes that stand or fall together, and the conditions that lists have beside equality. */
export const togetherSuite = (subject: Subject): void => {
  const near = (): RecordStore => handleOf(subject.near(), "records");
  const things = (): Records<Thing> => near().in(Things);
  const elsewhere = (): Records<Thing> => handleOf(subject.far(), "records").in(Things);
  const listed = async (group: string): Promise<readonly Thing[]> =>
    (await elsewhere().list({ where: { group }, limit: 100, offset: 0 })).data;
  const workspace = (organisation_id: string) => ({
    ...{ id: crypto.randomUUID(), created_at: 1, last_updated_at: 1, organisation_id, name: "One", slug: "one" },
    ...BLANK_WORKSPACE,
  });

  test("writes to several collections are made together, in order", async () => {
    const group = unique("together");
    const [one, two, three] = [thing(group), thing(group, { body: { a: [1] }, active: true }), thing(group)];
    const space = workspace(crypto.randomUUID());
    await things().insert(one);
    const made = near().together([
      inserting(Things, two),
      updating(Things, two.id, { note: "written in the same transaction" }, { note: null }),
      inserting(Workspaces, space),
      insertingMissing(Things, [three, one]),
      removing(Things, one.id),
    ]);
    expect(await made).toBe(true);
    expect(await listed(group)).toEqual([{ ...two, note: "written in the same transaction" }, three]);
    expect(await handleOf(subject.far(), "records").in(Workspaces).get(space.id)).toEqual(space);
    expect(await near().together([])).toBe(true);
  });

  test.each<[string, (gone: Thing, there: Thing) => Parameters<RecordStore["together"]>[0][number]]>([
    ["an update that expects something else", (_, { id }) => updating(Things, id, { note: "x" }, { state: "done" })],
    ["an update of a record that is not there", ({ id }) => updating(Things, id, { note: "x" })],
    ["a removal of a record that is not there", ({ id }) => removing(Things, id)],
  ])("%s takes all others back", async (_, failing) => {
    const group = unique("undone");
    const [there, added, after] = [thing(group), thing(group), thing(group)];
    await things().insert(there);
    const space = workspace(crypto.randomUUID());
    const writes = [
      inserting(Workspaces, space),
      inserting(Things, added),
      updating(Things, there.id, { small: 7 }),
      failing(thing(group), there),
      inserting(Things, after),
    ];
    expect(await near().together(writes)).toBe(false);
    expect(await listed(group)).toEqual([there]);
    expect(await near().in(Workspaces).get(space.id)).toBeUndefined();
    await things().insert(added); // nothing is left behind that would be in the way
  });

  test("a unique member that is taken takes all others back, and says so", async () => {
    const group = unique("conflict");
    const there = thing(group, { slug: "taken" });
    await things().insert(there);
    const writes = [inserting(Things, thing(group)), removing(Things, there.id), inserting(Things, there), inserting(Things, there)];
    expect(await codeOf(near().together(writes))).toBe("CONFLICT");
    expect(await listed(group)).toEqual([there]);
    expect(
      await codeOf(near().together([updating(Things, there.id, { note: "y" }), inserting(Things, thing(group, { slug: "taken" }))])),
    ).toBe("CONFLICT");
    expect(await listed(group)).toEqual([there]);
  });

  test("a conflict is said of the collection in which it was", async () => {
    const group = unique("named-conflict");
    await things().insert(thing(group, { slug: "taken" }));
    const space = workspace(crypto.randomUUID());
    const writes = [inserting(Workspaces, space), inserting(Things, thing(group, { slug: "taken" })), updating(Workspaces, space.id, {})];
    const conflict = await near()
      .together(writes)
      .catch((thrown: Error) => thrown);
    expect(conflict).toMatchObject({ code: "CONFLICT", message: `A record of ${Things.name} with these values exists already.` });
  });

  test("of many who count on what they read, each adds one: none is lost and none is doubled", async () => {
    const group = unique("count");
    const counter = thing(group, { small: 0 });
    await things().insert(counter);
    const addOne = async (store: RecordStore): Promise<void> => {
      for (;;) {
        const { small = 0 } = (await store.in(Things).get(counter.id)) ?? {};
        const added = inserting(Things, thing(group, { small: small + 1 }));
        if (await store.together([updating(Things, counter.id, { small: small + 1 }, { small }), added])) return;
      }
    };
    const far = handleOf(subject.far(), "records");
    await Promise.all(Array.from({ length: 12 }, (_, i) => addOne(i % 2 === 0 ? near() : far)));
    const numbers = (await listed(group)).filter(({ id }) => id !== counter.id).map(({ small }) => small);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });

  test("a member that no column has is an error, and nothing is written", async () => {
    const group = unique("unknown");
    const there = thing(group);
    const writes = [inserting(Things, there), updating(Things, there.id, { nothing: 1 } as Partial<Thing>)];
    expect(await near().together(writes).then(String, String)).toContain('no member "nothing"');
    expect(await listed(group)).toEqual([]);
  });

  test("a backend that was closed writes nothing", async () => {
    const closed = await closedHandle(subject, "records");
    await expectUnavailable(() => closed.together([inserting(Things, thing(unique("closed")))]));
  });

  test("numbers are found within bounds: from one, and before another", async () => {
    const group = unique("bounds");
    for (const due_at of [null, 1, 5, Number.MAX_SAFE_INTEGER]) await things().insert(thing(group, { due_at }));
    const found = async (due_at: { from?: number; before?: number }): Promise<readonly (number | null)[]> =>
      (await things().list({ where: { group, due_at }, limit: 10, offset: 0 })).data.map((one) => one.due_at);
    expect(await found({ from: 1, before: 5 })).toEqual([1]);
    expect(await found({ from: 5 })).toEqual([5, Number.MAX_SAFE_INTEGER]);
    expect(await found({ before: 5 })).toEqual([1]);
    expect(await found({})).toEqual([1, 5, Number.MAX_SAFE_INTEGER]);
    expect(await things().first({ group, due_at: { from: 2 } })).toMatchObject({ due_at: 5 });
    expect(await things().update("nobody", { note: "x" }, { due_at: { from: 2 } })).toBe(false);
  });

  test("texts are found by what they contain, in the same case and letter by letter", async () => {
    const group = unique("contains");
    for (const note of ["/v2/api-keys", "/V2/API-KEYS", "100%_", null, ""]) await things().insert(thing(group, { note }));
    const found = async (contains: string): Promise<readonly (string | null)[]> =>
      (await things().list({ where: { group, note: { contains } }, limit: 10, offset: 0 })).data.map(({ note }) => note);
    expect(await found("api")).toEqual(["/v2/api-keys"]);
    expect(await found("%_")).toEqual(["100%_"]);
    expect(await found("'")).toEqual([]);
    expect(await found("")).toEqual(["/v2/api-keys", "/V2/API-KEYS", "100%_", ""]);
  });
};
