import type { CheckCall, Verdict } from "#contract";

/** The model as the request names it, or as its path or config does. */
export function requestedModelOf({ request, model }: CheckCall): string | null {
  const asked = request?.["model"];
  return typeof asked === "string" ? asked : model;
}
export const noModel: Verdict = { verdict: "error", class: "malformed", message: "The request names no model." };
