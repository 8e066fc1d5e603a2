import { expect, test } from "bun:test";
import type { Branch, Call, Leaf, Plan, TargetNode } from "#contract";
import { loadbalance } from "./loadbalance.ts";

const leaf = (name: string, weight: number): Leaf => ({ kind: "leaf", name, weight }) as Leaf; // a strategy looks at no more
const drawn = (targets: readonly TargetNode[], random: () => number): readonly (string | null)[] =>
  [
    ...(loadbalance(random).try(
      { kind: "branch", targets, settings: {} } as unknown as Branch,
      {} as Call,
      {} as Plan,
    ) as Iterable<TargetNode>),
  ].map(({ name }) => name);

test("weights are shares of their sum", () => {
  const targets = [leaf("a", 1), leaf("b", 3)];
  expect([0, 0.2499, 0.25, 0.9999].map((random) => drawn(targets, () => random))).toEqual([["a"], ["a"], ["b"], ["b"]]);
  expect([0, 0.2499, 0.25, 0.9999].map((random) => drawn([leaf("a", 0.1), leaf("b", 0.3)], () => random))).toEqual([
    ["a"],
    ["a"],
    ["b"],
    ["b"],
  ]);
});
test("one draw per request, and no failover", () => {
  let draws = 0;
  expect(
    drawn([leaf("a", 1), leaf("b", 1)], () => {
      draws += 1;
      return 0.7;
    }),
  ).toEqual(["b"]);
  expect(draws).toBe(1);
});
test("a weight of 0 gets nothing, at either end of the range", () => {
  for (const random of [0, 0.5, 1 - Number.EPSILON])
    expect(drawn([leaf("zero", 0), leaf("a", 1), leaf("none", 0)], () => random)).toEqual(["a"]);
});
test("when every weight is 0 nothing is tried", () => expect(drawn([leaf("a", 0), leaf("b", 0)], () => 0.5)).toEqual([]));
test("over many draws each target gets its share", () => {
  let seed = 7;
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const targets = [leaf("a", 5), leaf("b", 3), leaf("c", 2)];
  const counts = new Map<string | null | undefined, number>();
  for (let index = 0; index < 10_000; index += 1) {
    const [name] = drawn(targets, random);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const { name, weight } of targets) expect(Math.abs((counts.get(name) ?? 0) - weight * 1_000)).toBeLessThan(200);
});
