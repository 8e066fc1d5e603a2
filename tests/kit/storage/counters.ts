import { expect, test } from "bun:test";
import type { Claim, Counters } from "#contract";
import { closedHandle, expectUnavailable, handleOf, type Subject, unique } from "./subject.ts";

export const countersSuite = (subject: Subject): void => {
  const near = (): Counters => handleOf(subject.near(), "counters");
  const far = (): Counters => handleOf(subject.far(), "counters");
  const expiresAt = Date.now() + 600_000;
  const claim = (key: string, by: number, limit: number): Claim => ({ key, by, limit, expiresAt });

  test("an unknown counter is zero", async () => {
    expect(await near().read([unique("none"), unique("none")])).toEqual([0, 0]);
    expect(await near().read([])).toEqual([]);
  });

  test("a claim is granted up to its limit and refused past it", async () => {
    const key = unique("limit");
    expect(await near().reserve([claim(key, 2, 3)])).toEqual({ granted: true, values: [2] });
    expect(await far().reserve([claim(key, 2, 3)])).toEqual({ granted: false, refused: 0, value: 2 });
    expect(await far().reserve([claim(key, 1, 3)])).toEqual({ granted: true, values: [3] });
    expect(await near().reserve([claim(key, 1, 3)])).toEqual({ granted: false, refused: 0, value: 3 });
    expect(await near().reserve([claim(unique("limit"), 4, 3)])).toEqual({ granted: false, refused: 0, value: 0 });
  });

  test("several claims are granted all or none", async () => {
    const [wide, tight] = [unique("wide"), unique("tight")];
    expect(await near().reserve([claim(wide, 1, 10), claim(tight, 1, 1)])).toEqual({ granted: true, values: [1, 1] });
    expect(await near().reserve([claim(wide, 1, 10), claim(tight, 1, 1)])).toEqual({ granted: false, refused: 1, value: 1 });
    expect(await far().read([wide, tight])).toEqual([1, 1]);
  });

  test("two claims on one counter are added up", async () => {
    const key = unique("twice");
    expect(await near().reserve([claim(key, 1, 1), claim(key, 1, 1)])).toMatchObject({ granted: false, refused: 1 });
    expect(await near().read([key])).toEqual([0]);
    expect(await near().reserve([claim(key, 1, 2), claim(key, 1, 2)])).toMatchObject({ granted: true });
    expect(await near().read([key])).toEqual([2]);
  });

  test("a claim of nothing asks whether the counter is below its limit", async () => {
    const key = unique("probe");
    expect(await near().reserve([claim(key, 0, 2)])).toEqual({ granted: true, values: [0] });
    await near().add([{ key, by: 2, expiresAt }]);
    expect(await near().reserve([claim(key, 0, 2)])).toEqual({ granted: false, refused: 0, value: 2 });
    expect(await near().reserve([claim(key, 0, 3)])).toEqual({ granted: true, values: [2] });
  });

  test("adding knows no limit and gives back with a negative amount", async () => {
    const [a, b] = [unique("add"), unique("add")];
    expect(
      await near().add([
        { key: a, by: 5, expiresAt },
        { key: b, by: 1, expiresAt },
      ]),
    ).toEqual([5, 1]);
    expect(await far().add([{ key: a, by: -2, expiresAt }])).toEqual([3]);
    expect(await near().read([a, b])).toEqual([3, 1]);
    expect(await near().reserve([claim(a, 1, 4)])).toEqual({ granted: true, values: [4] });
  });

  test("fractions are kept: a cost is not a whole number", async () => {
    const key = unique("cost");
    await near().add([{ key, by: 0.1, expiresAt }]);
    await far().add([{ key, by: 0.2, expiresAt }]);
    expect((await near().read([key]))[0]).toBeCloseTo(0.3, 9);
    expect(await near().reserve([claim(key, 0.25, 0.5)])).toMatchObject({ granted: false, refused: 0 });
  });

  test("large amounts stay exact", async () => {
    const key = unique("large");
    await near().add([{ key, by: 2 ** 52, expiresAt }]);
    expect(await far().add([{ key, by: 1, expiresAt }])).toEqual([2 ** 52 + 1]);
  });

  test("windows with keys of their own are independent", async () => {
    const key = unique("window");
    expect(await near().reserve([claim(`${key}:0`, 1, 1)])).toMatchObject({ granted: true });
    expect(await near().reserve([claim(`${key}:60000`, 1, 1)])).toMatchObject({ granted: true });
    expect(await near().reserve([claim(`${key}:0`, 1, 1)])).toMatchObject({ granted: false });
  });

  test("200 at once on two connections: exactly as many pass as the limit allows", async () => {
    const key = unique("rush");
    const rush = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? near() : far()).reserve([claim(key, 1, 10)]));
    expect((await Promise.all(rush)).filter(({ granted }) => granted).length).toBe(10);
    expect(await near().read([key])).toEqual([10]);
  });

  test("whatever is claimed in whatever order, no counter passes its limit and none loses what was granted", async () => {
    const random = mulberry(20_261_120);
    const limits = new Map(Array.from({ length: 5 }, (_, index) => [unique(`property-${index}`), 5 + Math.floor(random() * 40)]));
    const granted = new Map([...limits.keys()].map((key) => [key, 0]));
    const attempts = Array.from({ length: 150 }, async (_, index) => {
      const claims = [...limits].filter(() => random() < 0.5).map(([key, limit]) => claim(key, Math.floor(random() * 4), limit));
      const answer = await (index % 2 === 0 ? near() : far()).reserve(claims);
      if (!answer.granted) return;
      expect(answer.values.length).toBe(claims.length);
      for (const { key, by } of claims) granted.set(key, (granted.get(key) ?? 0) + by);
    });
    await Promise.all(attempts);
    const values = await near().read([...limits.keys()]);
    expect(values).toEqual([...granted.values()]);
    [...limits.values()].forEach((limit, index) => expect(values[index]).toBeLessThanOrEqual(limit));
  });

  test("a closed backend is STORAGE_UNAVAILABLE and never an answer", async () => {
    const closed = await closedHandle(subject, "counters");
    await expectUnavailable(() => closed.reserve([claim("x", 1, 1)]));
    await expectUnavailable(() => closed.add([{ key: "x", by: 1, expiresAt }]));
    await expectUnavailable(() => closed.read(["x"]));
  });
};

/** A small seeded generator: the same claims in each run. */
const mulberry = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};
