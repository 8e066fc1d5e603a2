import type { ChatRequest, Json } from "#contract";

/** How each family is told how much to think, by `reasoning_effort`. The first match counts; others do not think. */
const FAMILIES: readonly (readonly [RegExp, Readonly<Record<string, Json>>])[] = [
  [/gemini-2\.5-pro/, budgets({ none: 128, minimal: 1024, low: 1024, medium: 8192, high: 24_576, xhigh: 24_576, max: 24_576 })], // cannot stop thinking
  [/gemini-2\.5/, budgets({ none: 0, minimal: 1024, low: 1024, medium: 8192, high: 24_576, xhigh: 24_576, max: 24_576 })],
  [/gemini-[3-9].*-pro/, levels({ none: "low", minimal: "low", low: "low", medium: "medium", high: "high", xhigh: "high", max: "high" })],
  [/gemini-[3-9]/, levels({ none: "minimal", minimal: "minimal", low: "low", medium: "medium", high: "high", xhigh: "high", max: "high" })],
];
function budgets(table: Readonly<Record<string, number>>): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(table).map(([effort, thinkingBudget]) => [effort, { thinkingBudget }]));
}
function levels(table: Readonly<Record<string, string>>): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(table).map(([effort, thinkingLevel]) => [effort, { thinkingLevel }]));
}
const byEffort = (model: string, effort: string): Json | undefined => FAMILIES.find(([name]) => name.test(model))?.[1][effort];

/** `generationConfig.thinkingConfig`. */
export function thinkingConfigOf({ model, thinking, reasoning_effort: effort }: ChatRequest): Json | undefined {
  const wanted = effort ? byEffort(model, effort) : undefined;
  if (!thinking) return wanted;
  const budget = thinking.budget_tokens;
  if (thinking.type === "disabled" || budget === 0) return byEffort(model, "none");
  return { includeThoughts: true, ...(budget === undefined ? wanted : { thinkingBudget: budget }) };
}
