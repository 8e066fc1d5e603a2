import type { Verdict } from "#contract";
import { Type } from "@sinclair/typebox";

/** Parameters that every check of this pack has. */
export const Timeout = Type.Number({ default: 5000, minimum: 1, description: "Milliseconds that the check may take." });
export const Not = Type.Boolean({ default: false, description: "Turn the verdict around." });

/** The answer of a check that had nothing to look at. */
export const noText: Verdict = { verdict: "error", class: "malformed", message: "There is no text to check." };

/** What results show of a judgement; its explanation is the reason of a denial. */
type Shown = Readonly<Record<string, unknown>> & { readonly explanation: string };

/** Allow, or deny with the explanation as the reason; results show the same data either way. */
export const decided = (passed: boolean, data: Shown): Verdict =>
  passed ? { verdict: "allow", data } : { verdict: "deny", reason: data.explanation, data };
