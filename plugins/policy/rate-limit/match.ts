import type { Condition } from "#contract";
import type { Names } from "./names.ts";

type OneOrMany = Condition["value"];

/** Do all conditions hold for one target? An array means "one of"; `excludes` takes values out again. */
export const matches = (conditions: readonly Condition[], names: Names): boolean =>
  conditions.every(({ key, value, excludes }) => anyFits(value, names(key)) && !(excludes !== undefined && anyFits(excludes, names(key))));

const anyFits = (patterns: OneOrMany, names: readonly string[]): boolean =>
  typeof patterns === "string" ? fits(patterns, names) : patterns.some((pattern) => fits(pattern, names));

/**
 * `*` fits anything, also a request that says nothing under that key: a limit cannot be left by leaving something out.
 * `@slug/*` fits every model of that provider.
 */
function fits(pattern: string, names: readonly string[]): boolean {
  if (pattern === "*") return true;
  if (pattern.endsWith("/*")) return names.some((name) => name.startsWith(pattern.slice(0, -1)));
  return names.includes(pattern);
}
