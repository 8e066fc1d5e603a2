import { GatewayError, hasTooManyKeys, type RuleInput, type UserKeyRules } from "#contract";
import { keyRulesOf } from "./key-rules.ts";
import type { ApiKey } from "./rotation.ts";

/** What was made at the same moment counts as well; a throw takes the key back. */
export async function recount(record: ApiKey, input: RuleInput): Promise<void> {
  if (record.workspace_id !== null) await refuseTooMany(record.workspace_id, await keyRulesOf(record, input.records), input, 0);
}
/** A workspace has no more user keys than it may. */
export async function refuseTooMany(
  workspaceId: string,
  rules: UserKeyRules,
  { records }: Pick<RuleInput, "records">,
  more: 0 | 1,
): Promise<void> {
  if (!(await hasTooManyKeys(workspaceId, rules, { records, more }))) return;
  const what = `The workspace may have ${rules.limit} user keys, and has them. Delete one, or raise user_api_key_limit.`;
  throw new GatewayError("REQUEST_INVALID", { what }, { param: "workspace_id" });
}
