import { GatewayError, type Manifest, type Policy } from "#contract";
import type { Loaded } from "./generation.ts";
import type { Member } from "./member.ts";

/**
 * Does the plugin judge every request? Then it runs where the profile names it, being no stowaway of a folder or a build, and
 * its failure must open no door: it may have known callers, or have limited them. A policy that names routing strategies
 * under `provides` is missed by the configs that ask for one, and those are refused.
 */
export const isGuard = ({ kind, provides = [] }: Manifest): boolean => kind === "policy" && provides.length === 0;

/** What stands in the place of a guard that failed: nobody passes, and who cannot be known is not called unknown. */
export function closedPolicy({ candidate: { name, manifest } }: Member): Loaded<Policy> {
  const refuse = (): never => {
    throw new GatewayError("POLICY_DOWN", { plugin: name });
  };
  return { name, manifest, provides: { identify: refuse, admit: refuse } };
}
