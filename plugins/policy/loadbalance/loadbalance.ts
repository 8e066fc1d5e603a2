import { Type } from "@sinclair/typebox";
import { defineStrategy, type Strategy, type TargetNode } from "#contract";

/**
 * Draws one target by its share of the weights and leaves it at that: another one is `fallback`'s business.
 * A weight of 0 gets nothing; when all are 0, nothing may be tried. `random` gives numbers in [0, 1).
 */
export const loadbalance = (random: () => number): Strategy =>
  defineStrategy({
    settings: Type.Object({}),
    *try({ targets }) {
      const drawn = draw(targets, random);
      if (drawn) yield drawn;
    },
  });

function draw(targets: readonly TargetNode[], random: () => number): TargetNode | undefined {
  const open = targets.filter(({ weight }) => weight > 0);
  let left = random() * open.reduce((sum, { weight }) => sum + weight, 0);
  for (const target of open) {
    left -= target.weight;
    if (left < 0) return target;
  }
  return open.at(-1); // the sum of fractions may round to just below the draw
}
