import { type GuardrailResult, isJson } from "#contract";
import type { BoundCheck, Feedback } from "./active.ts";

type Given = NonNullable<GuardrailResult["feedback"]>;
/** Which checks of a guardrail said what. */
interface Judged {
  readonly successful: readonly BoundCheck[];
  readonly failed: readonly BoundCheck[];
  readonly errored: readonly BoundCheck[];
}

/** A guardrail's feedback, with the ids of its checks. */
export const feedback = ({ value, weight, ...chosen }: Feedback, { successful, failed, errored }: Judged): Given => ({
  value,
  weight,
  metadata: { ...configured(chosen), successfulChecks: idsOf(successful), failedChecks: idsOf(failed), erroredChecks: idsOf(errored) },
});

/** The same where every check ran and passed: made once. */
export const praise = (chosen: Feedback | null, checks: readonly BoundCheck[]): Given | null =>
  chosen && feedback(chosen, { successful: checks, failed: [], errored: [] });

const idsOf = (checks: readonly BoundCheck[]): string => checks.map(({ id }) => id).join(",");

/** Feedback metadata is an object, or a string that may hold one. */
function configured({ metadata }: Pick<Feedback, "metadata">): object {
  if (isJson(metadata)) return metadata;
  if (metadata === "") return {};
  try {
    const parsed: unknown = JSON.parse(metadata);
    if (isJson(parsed)) return parsed;
  } catch {
    // not JSON: it is a plain note
  }
  return { metadata };
}
