import { type Caller, CallerRole, GatewayError, type KeyType } from "#contract";
import type { ApiKey } from "./rotation.ts";

/** Is somebody asking who may care for their own keys only? Service keys are nobody's; managers and admins care for others'. */
export const keepsToOwn = (caller: Caller): boolean => caller.userId !== null && CallerRole.of(caller) === "member";

/** Whose the new key is: that of the person named, or who asks; keys for others are made by those who may. */
export function ownerOf(type: KeyType, userId: string | undefined, caller: Caller): string | null {
  if (type !== "workspace-user") return null;
  const owner = userId ?? caller.userId;
  if (owner === null)
    throw new GatewayError("REQUEST_INVALID", { what: "The member user_id is missing; a user key needs it." }, { param: "user_id" });
  if (owner !== caller.userId && keepsToOwn(caller)) throw others("create");
  return owner;
}

export function refuseOthersKey({ user_id }: ApiKey, { caller }: { readonly caller: Caller }, deed: string): void {
  if (keepsToOwn(caller) && user_id !== caller.userId) throw others(deed);
}

const others = (deed: string): GatewayError =>
  new GatewayError(
    "KEY_TOO_WIDE",
    { deed, why: "it is somebody else's, and whoever is a member of a workspace cares for their own keys" },
    { param: "user_id" },
  );
