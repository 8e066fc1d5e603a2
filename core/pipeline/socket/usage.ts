import { type Usage, USAGE_PARTS } from "#contract";

/** Of several answers. */
export function sum(before: Usage | null, more: Usage): Usage {
  if (before === null) return more;
  const added: Record<string, number> = {};
  for (const part of USAGE_PARTS) {
    const count = (before[part] ?? 0) + (more[part] ?? 0);
    if (count > 0) added[part] = count;
  }
  return added;
}
