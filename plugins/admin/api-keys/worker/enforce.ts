import { ApiKeys, mayOverride, nextRotation, nextTurn, Organisations, type RecordOf, underPeriod } from "#contract";
import { keyRulesOf } from "../key-rules.ts";
import { type ApiKey, policyOf } from "../rotation.ts";
import { LIVING, orSkipped, type Phase, type WorkerParts } from "./parts.ts";

type Organisation = RecordOf<typeof Organisations>;
const PAGE = 100;
/** A workspace may have said something, too: organisations that nobody wrote are looked at again so often. */
const AGAIN_MS = 3_600_000;

/**
 * User keys that are rotated by nobody get the period that is enforced now: those made before it was. Keys with a period of
 * their own take it over when they are next rotated. An organisation is looked at when it was written, and hourly.
 */
export function enforcePeriods(): Phase {
  const seen = new Map<string, { readonly written: number; readonly at: number }>();
  return async (parts) => {
    for await (const organisation of enforcing(parts)) {
      const { id, last_updated_at: written } = organisation;
      const before = seen.get(id);
      if (before?.written === written && parts.now() < before.at + AGAIN_MS) continue;
      await scheduleKeys(organisation, parts);
      seen.set(id, { written, at: parts.now() });
    }
  };
}

/** Organisations that say a period, or let their workspaces say one. */
async function* enforcing({ records, signal }: WorkerParts): AsyncGenerator<Organisation> {
  for (let offset = 0; ; offset += PAGE) {
    const { data } = await records.in(Organisations).list({ limit: PAGE, offset });
    for (const organisation of data) {
      signal.throwIfAborted();
      const { settings } = organisation;
      if (typeof settings["user_api_key_rotation_period"] === "number" || mayOverride(settings)) yield organisation;
    }
    if (data.length < PAGE) return;
  }
}

async function scheduleKeys({ id: organisation_id }: Organisation, parts: WorkerParts): Promise<void> {
  const where = { ...LIVING, organisation_id, type: "workspace-user" as const, next_rotation_at: null };
  for (let offset = 0; ; ) {
    const { data } = await parts.records.in(ApiKeys).list({ where, limit: PAGE, offset });
    for (const record of data) {
      parts.signal.throwIfAborted();
      if (!(await orSkipped(record, parts, schedule))) offset += 1;
    }
    if (data.length < PAGE) return;
    await nextTurn();
  }
}

async function schedule(record: ApiKey, { records, now }: WorkerParts): Promise<boolean> {
  const { rotationDays } = await keyRulesOf(record, records);
  if (rotationDays === null) return false;
  const rotation_policy = underPeriod(policyOf(record), rotationDays);
  const change = { rotation_policy, next_rotation_at: nextRotation(rotation_policy, now()) };
  return records.in(ApiKeys).update(record.id, change, { next_rotation_at: null, last_updated_at: record.last_updated_at });
}
