import { type RecordsHandle, type UserKeyRules, userKeyRulesIn } from "#contract";
import type { ApiKey } from "./rotation.ts";

/** Service keys are bound by none. */
const NO_RULES: UserKeyRules = { autoCreate: false, autoScopes: null, rotationDays: null, ttlSec: null, limit: null };

/** What organisation and workspace say of this key. */
export const keyRulesOf = async (
  { type, organisation_id, workspace_id }: Pick<ApiKey, "type" | "organisation_id" | "workspace_id">,
  records: Pick<RecordsHandle, "in">,
): Promise<UserKeyRules> =>
  type === "workspace-user" && workspace_id !== null
    ? userKeyRulesIn({ organisationId: organisation_id, workspaceId: workspace_id }, records)
    : NO_RULES;
