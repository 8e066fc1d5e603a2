import { GatewayError, type Policy } from "#contract";
import type { Loaded } from "./generation.ts";
import type { Member } from "./member.ts";

/**
 * Does its failure leave a door open? A policy that names routing strategies under `provides` is missed by the configs that
 * ask for one, and those are refused. Any other one may have known callers, or have limited them.
 */
export const isGuard = ({ candidate: { manifest } }: Member): boolean =>
  manifest.kind === "policy" && (manifest.provides ?? []).length === 0;

/** What stands in the place of a guard that failed: nobody passes, and who cannot be known is not called unknown. */
export function closedPolicy({ candidate: { name, manifest } }: Member): Loaded<Policy> {
  const refuse = (): never => {
    throw new GatewayError("POLICY_DOWN", { plugin: name });
  };
  return { name, manifest, provides: { identify: refuse, admit: refuse } };
}
