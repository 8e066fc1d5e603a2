import { inputTokens, outputTokens, PAGE_PARTS, tokens, type Usage, USAGE_PARTS, type UsagePart } from "#contract";

const PARTS = [...USAGE_PARTS, ...PAGE_PARTS];

/** Of several answers. */
export function sum(before: Usage | null, more: Usage): Usage {
  if (before === null) return more;
  const added: Record<string, number> = {};
  const estimated = before.estimated === true || more.estimated === true;
  for (const part of PARTS) {
    const count = (before[part] ?? 0) + (more[part] ?? 0);
    if (count > 0) added[part] = count;
  }
  return estimated ? { ...added, estimated } : added;
}

/** What of it was not counted before: of no part less than nothing. */
export function remainder(all: Usage, before: Usage): Usage {
  const counted = { input: inputTokens(before), output: outputTokens(before) };
  if (counted.input + counted.output === 0) return all;
  const left: Partial<Record<UsagePart, number>> = {};
  for (const part of USAGE_PARTS) {
    const side = isOutput(part) ? "output" : "input";
    const taken = Math.min(counted[side], tokens(all[part]));
    counted[side] -= taken;
    if (all[part] !== undefined) left[part] = tokens(all[part]) - taken;
  }
  return { ...all, ...left };
}
const isOutput = (part: UsagePart): boolean => outputTokens({ [part]: 1 }) > 0;
