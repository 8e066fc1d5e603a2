import type { Job } from "#contract";
import { adoptPolicies } from "./adopt.ts";
import { endTransitions, forgetSecrets, markExpired } from "./endings.ts";
import { enforcePeriods } from "./enforce.ts";
import type { Phase, WorkerParts } from "./parts.ts";
import { rotateDue } from "./rotate-due.ts";
import { tellOfRotated, tellOfRotations, tellOfTransitions } from "./tell.ts";

/** Keeps keys in their states, one process of the deployment at a time. Each phase may begin where one broke off. */
export function keyWorker(parts: Omit<WorkerParts, "signal">, everySec: number): Job {
  const phases: readonly Phase[] = [
    ...[endTransitions, forgetSecrets, markExpired],
    ...[adoptPolicies, enforcePeriods(), rotateDue],
    ...[tellOfRotated, tellOfTransitions, tellOfRotations],
  ];
  return {
    id: "api-keys",
    everyMs: everySec * 1_000,
    runs: "one",
    async run(signal) {
      for (const phase of phases) await phase({ ...parts, signal });
    },
  };
}
