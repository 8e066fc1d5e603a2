import {
  type Caller,
  GatewayError,
  isPermitted,
  permissionOf,
  type Policy,
  type RecordsHandle,
  type ScopeTable,
  Workspaces,
} from "#contract";
import type { Provided } from "../kernel/generation.ts";
import { PLUGIN_LIMITS, pluginAnswer } from "../kernel/process/plugin-answer.ts";
import { blaming } from "../kernel/process/plugin-failure.ts";
import { entering } from "../kernel/process/watchdog/marks.ts";

/** The caller as policies bind it. */
export type Authorize = (caller: Caller) => Promise<Caller>;

/** Asks each policy that binds callers, in the order of the profile. Where none runs, a user key is bound like anybody's. */
export function authorizer(policies: readonly Provided<Policy>[], table: ScopeTable, limitMs = PLUGIN_LIMITS.identify): Authorize {
  const binding = policies.filter(({ provides }) => provides.authorize);
  if (binding.length === 0) return async (caller) => boundToLeast(caller, table);
  return async (caller) => {
    let bound = caller;
    for (const policy of binding) bound = await boundBy(policy, bound, limitMs);
    return bound;
  };
}

async function boundBy({ name, provides, mark }: Provided<Policy>, caller: Caller, limitMs: number): Promise<Caller> {
  entering(mark);
  try {
    return (await pluginAnswer(provides.authorize?.(caller), limitMs, name, mark ?? 0)) ?? caller;
  } catch (thrown) {
    throw blaming(thrown, name);
  }
}

/** A key that outlived its workspace opens nothing on the control plane either; the data plane asks when it prepares a request. */
export function refusingArchived(authorize: Authorize, records: Pick<RecordsHandle, "lookup">): Authorize {
  const isArchived = records.lookup(Workspaces, ["id"], ({ status }) => status === "archived");
  return async (caller) => {
    if (caller.workspaceId !== null && (await isArchived(caller.workspaceId)))
      throw new GatewayError("KEY_UNKNOWN", { why: "its workspace was deleted" });
    return authorize(caller);
  };
}

/** A deployment whose profile leaves the roles of people out: nobody can say what this one is, so the least. */
function boundToLeast(caller: Caller, table: ScopeTable): Caller {
  if (caller.keyType !== "workspace-user") return caller;
  const least = permissionOf("member", "member", {}, table);
  return { ...caller, scopes: new Set([...caller.scopes].filter((scope) => isPermitted(scope, least))) };
}
