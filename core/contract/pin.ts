import { GatewayError } from "./errors.ts";
import type { Caller } from "./request.ts";

/** A key that may use its own config and no other (`allow_config_override: false`). */
export const isPinned = ({ allowConfigOverride, configId }: Pick<Caller, "allowConfigOverride" | "configId">): boolean =>
  !allowConfigOverride && configId !== null;

/** Throws PINNED for a caller that is pinned: by writing what decides where requests go, it would move its own pin. */
export function refusePinned(caller: Caller, what: string): void {
  if (isPinned(caller)) throw new GatewayError("PINNED", { what });
}
