import type { Call, Caller, Plan } from "#contract";
import type { OwnKeys } from "../../kernel/secrets/own-keys.ts";
import { retried } from "./compile.ts";
import { metadataOf } from "./metadata.ts";
import type { Prepared } from "./prepare.ts";

/** What will be done for a request: what is prepared for such requests, and what this one says. Frozen. */
export function planOf(call: Call, caller: Caller, prepared: Prepared, ownKeys: Pick<OwnKeys, "foundIn">): Plan {
  const model = call.body.kind === "json" && typeof call.body.value["model"] === "string" ? call.body.value["model"] : null;
  return Object.freeze({
    root: rootOf(call, prepared),
    metadata: Object.assign(metadataIn(call, ownKeys), caller.metadata, prepared.metadata),
    configSlug: prepared.configSlug,
    model,
  });
}

/** A saved config says all of its targets itself. */
function rootOf({ control: { retryCount } }: Call, { root, configSlug }: Prepared): Plan["root"] {
  return retryCount === undefined || configSlug !== null ? root : retried(root, retryCount);
}

/** Later wins: body `user`, request, and then key and workspace. It goes to whom checks ask: a key of the gateway in it counts as not given. */
function metadataIn(call: Call, ownKeys: Pick<OwnKeys, "foundIn">): Record<string, string> {
  const user = call.body.kind === "json" ? call.body.value["user"] : undefined;
  const metadata: Record<string, string> = {};
  if (typeof user === "string" && user.length <= 128 && !ownKeys.foundIn(user)) metadata["_user"] = user;
  if (call.control.metadata === undefined) return metadata;
  const given = metadataOf(call.control.metadata);
  for (const name in given) if (!ownKeys.foundIn(name) && !ownKeys.foundIn(given[name] ?? "")) metadata[name] = given[name] ?? "";
  return metadata;
}
