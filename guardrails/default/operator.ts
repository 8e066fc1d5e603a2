import { OneOf } from "#contract";

export const OPERATORS = ["any", "all", "none"] as const;
export type Operator = (typeof OPERATORS)[number];

export const OperatorOf = (what: string, value: Operator) =>
  OneOf(OPERATORS, { default: value, description: `Whether any, all or none of the ${what} must be there.` });

/** Does it satisfy the operator that `found` of `total` are there? */
export const ACCEPTS: Readonly<Record<Operator, (found: number, total: number) => boolean>> = {
  any: (found) => found > 0,
  all: (found, total) => found === total,
  none: (found) => found === 0,
};
