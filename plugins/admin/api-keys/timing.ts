import { type ApiKeys, GatewayError, lastMoment, type RuleInput, scheduled, type UserKeyRules, type Written } from "#contract";
import { keyRulesOf } from "./key-rules.ts";
import { type ApiKey, refuseRotation } from "./rotation.ts";

type Policy = Written<(typeof ApiKeys)["fields"]>["rotation_policy"];

/** A user key ends when its organisation or workspace says so, if not before. */
export function expiring(expires_at: number | null, rules: UserKeyRules, now: number): Pick<ApiKey, "expires_at"> {
  const last = lastMoment(rules, now);
  if (last === null || (expires_at !== null && expires_at <= last)) return { expires_at };
  if (expires_at === null) return { expires_at: last };
  const what = `User keys live for ${rules.ttlSec} seconds at most here, as the organisation or the workspace says.`;
  throw new GatewayError("REQUEST_INVALID", { what }, { param: "expires_at" });
}

/** What a change says of when the key ends, and when it is rotated. One that had ended works again when it ends later. */
export async function timed(
  record: ApiKey,
  { body, records, now }: Pick<RuleInput<{ readonly rotation_policy?: Policy }>, "body" | "records" | "now">,
  { expires_at }: Partial<ApiKey>,
): Promise<Partial<ApiKey>> {
  const { rotation_policy: policy } = body;
  if (expires_at === undefined && policy === undefined) return {};
  if (policy && record.is_preset) refuseRotation(record, now);
  const rules = await keyRulesOf(record, records);
  return {
    ...(expires_at !== undefined && {
      ...expiring(expires_at, rules, now),
      ...(record.status === "expired" && { status: "active" as const }),
    }),
    ...(policy !== undefined && scheduled(policy, { now, enforcedDays: rules.rotationDays })),
  };
}
