import { isJson } from "#contract";

/** What stands at a dotted path; digits index lists: `detail.0.msg`. */
export function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((inner, step) => (Array.isArray(inner) ? inner[Number(step)] : isJson(inner) ? inner[step] : undefined), value);
}
