import { describe, expect, test } from "bun:test";
import { BLANK_WORKSPACE, type Records, Workspaces } from "#contract";
import { type Thing, thing, Things } from "./sample.ts";
import { closedHandle, codeOf, expectUnavailable, handleOf, type Subject, unique } from "./subject.ts";

export const recordsSuite = (subject: Subject): void => {
  const things = (): Records<Thing> => handleOf(subject.near(), "records").in(Things);
  const elsewhere = (): Records<Thing> => handleOf(subject.far(), "records").in(Things);
  const insertAll = async (all: readonly Thing[]): Promise<void> => {
    for (const one of all) await things().insert(one);
  };

  test("a record comes back as it was written, of every type, on every connection", async () => {
    const written = thing(unique("types"), {
      note: "ünïcode 😀 \u2028 ' \" \\ %_",
      tag: "x",
      small: -100,
      due_at: Number.MAX_SAFE_INTEGER,
      amount: 0.1 + 0.2,
      active: true,
      body: { z: 1, a: { deep: [1, "two", null, true, 1.5e-9, { "": "" }] }, ключ: "значение" },
      list: [null, false, "0", [[]], {}],
      extra: { on: false },
    });
    await things().insert(written);
    expect(await elsewhere().get(written.id)).toEqual(written);
    expect(JSON.stringify((await elsewhere().get(written.id))?.body)).toBe(JSON.stringify(written.body));
  });

  test("null stays null and absent stays absent", async () => {
    const { tag: _, ...bare } = thing(unique("null"));
    await things().insert(bare);
    const read = await elsewhere().get(bare.id);
    expect(read).toStrictEqual(bare);
    expect(read).not.toHaveProperty("tag");
  });

  test("a record of an embedded collection works the same", async () => {
    const spaces = handleOf(subject.near(), "records").in(Workspaces);
    const space = {
      id: crypto.randomUUID(),
      created_at: 1,
      last_updated_at: 1,
      organisation_id: crypto.randomUUID(),
      name: "Default",
      slug: "default",
      ...BLANK_WORKSPACE,
      defaults: { metadata: { team: "a" } },
    };
    await spaces.insert(space);
    expect(await spaces.first({ organisation_id: space.organisation_id, slug: "default" })).toEqual(space);
    expect(await codeOf(spaces.insert({ ...space, id: crypto.randomUUID() }))).toBe("CONFLICT");
  });

  test("an unknown id is undefined, false to update and false to remove", async () => {
    expect(await things().get("nobody")).toBeUndefined();
    expect(await things().first({ group: unique("none") })).toBeUndefined();
    expect(await things().update("nobody", { note: "x" })).toBe(false);
    expect(await things().remove("nobody")).toBe(false);
  });

  test("a removed record is gone", async () => {
    const one = thing(unique("remove"));
    await things().insert(one);
    expect(await elsewhere().remove(one.id)).toBe(true);
    expect(await things().get(one.id)).toBeUndefined();
  });

  test("a taken id or unique member list is CONFLICT, on insert and on update", async () => {
    const group = unique("unique");
    const [first, second] = [thing(group, { slug: "a" }), thing(group, { slug: "b" })];
    await insertAll([first, second]);
    expect(await codeOf(things().insert(thing(group, { slug: "a" })))).toBe("CONFLICT");
    expect(await codeOf(things().insert({ ...first, slug: "c" }))).toBe("CONFLICT");
    expect(await codeOf(things().update(second.id, { slug: "a" }))).toBe("CONFLICT");
    expect((await things().get(second.id))?.slug).toBe("b");
    await things().insert(thing(unique("unique"), { slug: "a" }));
  });

  test("of many records those are written that are missing, all or none", async () => {
    const group = unique("missing");
    const [first, second, third] = [
      thing(group, { slug: "a", note: "as it was" }),
      thing(group, { slug: "b" }),
      thing(group, { slug: "c" }),
    ];
    await things().insert(first);
    await things().insertMissing([{ ...first, note: "another" }, second]);
    expect((await elsewhere().list({ where: { group }, limit: 10, offset: 0 })).data).toEqual([first, second]);
    expect(await codeOf(things().insertMissing([third, { ...third, id: crypto.randomUUID() }]))).toBe("CONFLICT");
    expect(await elsewhere().get(third.id)).toBeUndefined();
    await things().insertMissing([]);
    await Promise.all([things().insertMissing([second, third]), elsewhere().insertMissing([third])]);
    expect((await things().list({ where: { group }, limit: 10, offset: 0 })).total).toBe(3);
  });

  test("of two connections inserting the same unique members, one wins", async () => {
    const group = unique("race");
    const outcomes = await Promise.allSettled([
      things().insert(thing(group, { slug: "same" })),
      elsewhere().insert(thing(group, { slug: "same" })),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await things().list({ where: { group }, limit: 10, offset: 0 })).total).toBe(1);
  });

  test("an update writes the given members and leaves the others", async () => {
    const one = thing(unique("update"), { note: "before", body: { a: 1 } });
    await things().insert(one);
    expect(await things().update(one.id, { note: null, active: true, extra: { now: [1] } })).toBe(true);
    expect(await elsewhere().get(one.id)).toEqual({ ...one, note: null, active: true, extra: { now: [1] } });
  });

  test("a conditional update writes only when the record is as expected", async () => {
    const one = thing(unique("expect"), { small: 1 });
    await things().insert(one);
    expect(await things().update(one.id, { small: 2 }, { small: 7 })).toBe(false);
    expect(await things().update(one.id, { small: 2 }, { small: 1, note: null, state: ["new", "done"] })).toBe(true);
    expect((await things().get(one.id))?.small).toBe(2);
    expect(await things().update(one.id, {}, { small: 1 })).toBe(false);
    expect(await things().update(one.id, {}, { small: 2 })).toBe(true);
  });

  test("writers racing a conditional update count every success exactly once", async () => {
    const one = thing(unique("racers"), { small: 0 });
    await things().insert(one);
    const climb = async (records: Records<Thing>): Promise<number> => {
      let won = 0;
      for (let step = 0; step < 20; step += 1) {
        const seen = (await records.get(one.id))?.small ?? 0;
        if (await records.update(one.id, { small: seen + 1 }, { small: seen })) won += 1;
      }
      return won;
    };
    const wins = await Promise.all([climb(things()), climb(elsewhere()), climb(things()), climb(elsewhere())]);
    expect((await things().get(one.id))?.small).toBe(wins.reduce((sum, won) => sum + won, 0));
  });

  describe("conditions", () => {
    test("an array means one of, and null matches null", async () => {
      const group = unique("where");
      await insertAll([
        thing(group, { slug: "a", note: "x" }),
        thing(group, { slug: "b", note: "y" }),
        thing(group, { slug: "c", active: true }),
      ]);
      const slugs = async (where: Parameters<Records<Thing>["first"]>[0]): Promise<string[]> =>
        (await things().list({ where: { group, ...where }, limit: 10, offset: 0 })).data.map(({ slug }) => slug);
      expect(await slugs({ slug: ["a", "c", "zzz"] })).toEqual(["a", "c"]);
      expect(await slugs({ note: null })).toEqual(["c"]);
      expect(await slugs({ note: ["x", null] })).toEqual(["a", "c"]);
      expect(await slugs({ active: false, note: "y" })).toEqual(["b"]);
      expect(await slugs({ slug: [] })).toEqual([]);
      expect(await slugs({ slug: "A" })).toEqual([]);
    });

    test("the first match is the one that was made first", async () => {
      const group = unique("first");
      const made = Array.from({ length: 5 }, (_, index) => thing(group, { small: index }));
      await insertAll(made);
      await things().update(made[0]?.id ?? "", { note: "written last" });
      expect((await things().first({ group }))?.small).toBe(0);
      expect((await things().first({ group, small: [3, 2] }))?.small).toBe(2);
    });

    test("a member that does not exist, or has no value, is refused and never ignored", async () => {
      const nameless: object = { group: "g", no_such_member: 1 };
      const empty: object = { group: undefined };
      for (const where of [nameless, empty]) {
        expect(
          await things()
            .first(where)
            .then(
              () => "answered",
              () => "refused",
            ),
        ).toBe("refused");
        expect(
          await things()
            .list({ where, limit: 1, offset: 0 })
            .then(
              () => "answered",
              () => "refused",
            ),
        ).toBe("refused");
      }
    });
  });

  describe("lists", () => {
    test("pages follow the creation order and count the whole", async () => {
      const group = unique("pages");
      await insertAll(Array.from({ length: 7 }, (_, index) => thing(group, { small: index })));
      const page = async (offset: number) => await things().list({ where: { group }, limit: 3, offset });
      expect((await page(0)).data.map(({ small }) => small)).toEqual([0, 1, 2]);
      expect((await page(6)).data.map(({ small }) => small)).toEqual([6]);
      expect(await page(9)).toEqual({ data: [], total: 7 });
    });

    test("order is by value, upper case before lower, nulls last, and ties keep the creation order", async () => {
      const group = unique("order");
      await insertAll(
        [
          ["b", 1],
          ["a", 2],
          ["B", 3],
          [null, 4],
          ["é", 5],
          ["a", 6],
        ].map(([note, small]) => thing(group, { note: note as string | null, small: Number(small) })),
      );
      const sorted = async (by: "note" | "small", direction: "asc" | "desc") =>
        (await things().list({ where: { group }, orderBy: { by, direction }, limit: 10, offset: 0 })).data.map(({ small }) => small);
      expect(await sorted("note", "asc")).toEqual([3, 2, 6, 1, 5, 4]);
      expect(await sorted("note", "desc")).toEqual([5, 1, 6, 2, 3, 4]);
      expect(await sorted("small", "desc")).toEqual([6, 5, 4, 3, 2, 1]);
    });
  });

  test("a list leaves out the members it was asked to omit, and no others; what is stored keeps them", async () => {
    const written = thing(unique("omit"), { tag: "x", note: "n", body: { large: true } });
    await things().insert(written);
    const { data } = await things().list({ where: { group: written.group }, limit: 1, offset: 0, omit: ["body", "tag", "note"] });
    const { body: _, tag: __, note: ___, ...rest } = written;
    expect(data as readonly object[]).toStrictEqual([rest]);
    expect(await things().get(written.id)).toEqual(written);
  });

  test("migrating again, and from several connections at once, changes nothing", async () => {
    const one = thing(unique("again"));
    await things().insert(one);
    const migrate = (storage: ReturnType<Subject["near"]>) => handleOf(storage, "records").migrate([Workspaces, Things]);
    await Promise.all([migrate(subject.near()), migrate(subject.far()), migrate(subject.near())]);
    expect(await things().get(one.id)).toEqual(one);
  });

  test("a closed backend is STORAGE_UNAVAILABLE and never an answer", async () => {
    const closed = (await closedHandle(subject, "records")).in(Things);
    await expectUnavailable(() => closed.get("x"));
    await expectUnavailable(() => closed.first({ group: "x" }));
    await expectUnavailable(() => closed.list({ limit: 1, offset: 0 }));
    await expectUnavailable(() => closed.insert(thing("x")));
    await expectUnavailable(() => closed.update("x", { small: 1 }));
    await expectUnavailable(() => closed.remove("x"));
  });
};
