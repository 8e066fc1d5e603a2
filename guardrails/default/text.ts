import type { Verdict } from "#contract";

/** What results show of a text: its first 100 characters. */
export const excerpt = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}...` : text);

/** The answer of a check that had nothing to look at. */
export const noText: Verdict = { verdict: "error", class: "malformed", message: "There is no text to check." };

/** Allow, or deny with the explanation as the reason; results show the same data either way. */
export const decided = (passed: boolean, explanation: string, data: Readonly<Record<string, unknown>>): Verdict =>
  passed ? { verdict: "allow", data: { ...data, explanation } } : { verdict: "deny", reason: explanation, data: { ...data, explanation } };
