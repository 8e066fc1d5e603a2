import { type Host, type RecordOf, RateLimitPolicies } from "#contract";

export type RateLimitPolicy = RecordOf<typeof RateLimitPolicies>;
/** Active LLM policies of a workspace; without a promise when they are warm. The same list means that none was written. */
export type PolicyReader = (workspaceId: string) => readonly RateLimitPolicy[] | Promise<readonly RateLimitPolicy[]>;

export const policyReader = ({ records }: Pick<Host<"records">, "records">): PolicyReader =>
  records.lookupAll(RateLimitPolicies, ["workspace_id"], { status: "active", target: "llm" });
