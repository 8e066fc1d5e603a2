import { ApiKeys, fitting, isJson, type KeptRotationPolicy, nextRotation, nextTurn } from "#contract";
import type { ApiKey } from "../rotation.ts";
import { LIVING, orSkipped, type Phase, type WorkerParts } from "./parts.ts";

const PAGE = 100;

/**
 * Policies that an earlier build kept, and did not obey: they said the next rotation themselves. Looked for once in each
 * process, for it is a look at every key that has no day.
 */
export function adoptPolicies(): Phase {
  let isDone = false;
  return async (parts) => {
    if (isDone) return;
    const where = { ...LIVING, next_rotation_at: null };
    for (let offset = 0; ; ) {
      const { data } = await parts.records.in(ApiKeys).list({ where, limit: PAGE, offset });
      for (const record of data) {
        parts.signal.throwIfAborted();
        if (!(await orSkipped(record, parts, adopt))) offset += 1;
      }
      if (data.length < PAGE) break;
      await nextTurn();
    }
    isDone = true;
  };
}

async function adopt(record: ApiKey, { records, now }: WorkerParts): Promise<boolean> {
  if (!isJson(record.rotation_policy)) return false;
  const { next_rotation_at: said, ...policy } = record.rotation_policy;
  const kept: KeptRotationPolicy = fitting(policy); // as its schema let it in: nobody judged it
  const next = typeof said === "string" ? Date.parse(said) : nextRotation(kept, now());
  if (next === null) return false;
  const change = { rotation_policy: kept, next_rotation_at: Math.max(next, now()) };
  return records.in(ApiKeys).update(record.id, change, { next_rotation_at: null, last_updated_at: record.last_updated_at });
}
