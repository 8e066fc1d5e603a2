import type { Condition } from "#contract";
import type { Names } from "./names.ts";

type OneOrMany = Condition["value"];

/** Do all conditions hold for one target? An array means "one of"; `excludes` takes values out again. */
export function matches(conditions: readonly Condition[], names: Names): boolean {
  for (const condition of conditions) if (!holds(condition, names(condition.key))) return false;
  return true;
}

const holds = ({ value, excludes }: Condition, names: readonly string[]): boolean =>
  anyFits(value, names) && !(excludes !== undefined && anyFits(excludes, names));

/** Whatever a request says, and if it says nothing. */
export const holdsAlways = ({ value, excludes }: Condition): boolean =>
  excludes === undefined && (typeof value === "string" ? value === ANYTHING : value.includes(ANYTHING));

const anyFits = (patterns: OneOrMany, names: readonly string[]): boolean =>
  typeof patterns === "string" ? fits(patterns, names) : patterns.some((pattern) => fits(pattern, names));

const ANYTHING = "*";
/**
 * `*` fits anything, also a request that says nothing under that key: a limit cannot be left by leaving something out.
 * `@slug/*` fits every model of that provider.
 */
function fits(pattern: string, names: readonly string[]): boolean {
  if (pattern === ANYTHING) return true;
  if (pattern.endsWith("/*")) return names.some((name) => name.startsWith(pattern.slice(0, -1)));
  return names.includes(pattern);
}
