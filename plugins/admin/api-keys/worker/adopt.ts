import { ApiKeys, fitting, isJson, type KeptRotationPolicy, nextRotation } from "#contract";
import type { ApiKey } from "../rotation.ts";
import { eachDue, type Phase, type WorkerParts } from "./parts.ts";

/** The day that the migration which brought rotation gave to policies that stood there before: nobody obeyed them. */
export const UNADOPTED = 0;

/** Policies that an earlier build kept, and did not obey: they said the next rotation themselves. */
export const adoptPolicies: Phase = (parts) =>
  eachDue({ by: "next_rotation_at", until: UNADOPTED }, parts, (record) => adopt(record, parts));

async function adopt(record: ApiKey, { records, now }: WorkerParts): Promise<boolean> {
  const { next_rotation_at: said, ...policy } = isJson(record.rotation_policy) ? record.rotation_policy : {};
  const kept: KeptRotationPolicy = fitting(policy); // as its schema let it in: nobody judged it
  const next = typeof said === "string" ? Date.parse(said) : nextRotation(kept, now());
  const change = { rotation_policy: kept, next_rotation_at: next === null ? null : Math.max(next, now()) };
  return records.in(ApiKeys).update(record.id, change, { next_rotation_at: UNADOPTED, last_updated_at: record.last_updated_at });
}
