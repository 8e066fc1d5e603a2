import { type Call, type HeaderClasses, headerList, HOLDS_OWN_KEY, unacceptableUrl } from "#contract";
import type { KeyHeaders } from "../../kernel/secrets/caller-key.ts";
import type { OwnKeys } from "../../kernel/secrets/own-keys.ts";

/* Which values of a request may be in a target. */

export interface TargetRules {
  readonly ownKeys: Pick<OwnKeys, "foundIn">;
  readonly headers: HeaderClasses;
  readonly keyHeaders: KeyHeaders;
}

/** A key of the gateway is no provider's credential, whichever field holds it: the caller's, or another that is known, counts as not given. */
export const notOwn = (key: string, call: Call, rules: TargetRules): string => (isOwn(key, call, rules) ? "" : key);
export const isOwn = (text: string, { control }: Call, { ownKeys }: TargetRules): boolean =>
  text !== "" && (text === control.apiKey || ownKeys.foundIn(text));

/** In the path or the query of what is called it would leave as well. */
export function refuseOwnKey(address: string, ownKeys: TargetRules["ownKeys"]): void {
  if (ownKeys.foundIn(address)) throw unacceptableUrl(HOLDS_OWN_KEY);
}

/** What a vendor's own client says in a plain header of its own. What the request's `Connection` names was for us alone. */
export function saidByClient(name: string | null, { headers }: Call, { headers: classes }: TargetRules): string | undefined {
  const value = name === null ? null : headers.get(name);
  if (name === null || value === null || value === "" || classes.of(name).class !== "plain") return undefined;
  return headerList(headers.get("connection")?.toLowerCase() ?? "").includes(name) ? undefined : value;
}
