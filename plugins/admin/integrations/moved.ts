import type { TObject } from "@sinclair/typebox";
import { isBound, type Json, refuseMovedInRecord } from "#contract";

export interface Update {
  readonly before: Json;
  /** The configurations as they would be stored; a secret that is kept has its sealed text of `before`. */
  readonly next: Json;
  readonly keepsKey: boolean;
  /** A mapping of the key or of a secret stays, and was not given again: what it gives counts like what is stored. */
  readonly keepsMapped?: boolean;
  readonly target: TObject | undefined;
}

/** While a credential is kept, it stays in its field, and the custom host and the fields that the provider marks `bound` stay as they are. */
export function refuseMoved({ before, next, keepsKey, keepsMapped = false, target }: Update): void {
  const marked = Object.entries(target?.properties ?? {}).flatMap(([field, schema]) => (isBound(schema) ? field : []));
  refuseMovedInRecord({
    before,
    next,
    bound: [...new Set(["custom_host", "oauth_token_endpoint", "oauth_client_id", ...marked])],
    kept: [...(keepsKey ? ["key"] : []), ...(keepsMapped ? ["secret_mappings"] : [])],
  });
}
