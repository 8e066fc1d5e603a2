import type { Verdict } from "#contract";

/** What results show of a text: its first 100 characters. */
export const excerpt = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}...` : text);

/** The answer of a check that had nothing to look at. */
export const noText: Verdict = { verdict: "error", class: "malformed", message: "There is no text to check." };

/** What results show of a judgement; its explanation is the reason of a denial. */
type Shown = Readonly<Record<string, unknown>> & { readonly explanation: string };

/** Allow, or deny with the explanation as the reason; results show the same data either way. */
export const decided = (passed: boolean, data: Shown): Verdict =>
  passed ? { verdict: "allow", data } : { verdict: "deny", reason: data.explanation, data };
