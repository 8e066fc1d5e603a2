import { SECRET_KEPT_MS } from "#contract";
import { keyRulesOf } from "../key-rules.ts";
import { type ApiKey, obstacle, rotated, writeRotation } from "../rotation.ts";
import { UNADOPTED } from "./adopt.ts";
import { eachDue, type Phase, type WorkerParts } from "./parts.ts";

/**
 * Keys whose day has come get a new secret, each in one write that holds only if nobody else has written it: whoever takes
 * over from a process that died in the middle finds those it did with another day, and the others as they were.
 */
export const rotateDue: Phase = (parts) =>
  eachDue({ by: "next_rotation_at", until: parts.now() }, parts, (record) => rotate(record, parts));

async function rotate(record: ApiKey, { records, vault, now }: WorkerParts): Promise<boolean> {
  if (record.next_rotation_at === UNADOPTED) return false; // it could not be given its day
  const at = Math.max(now(), record.last_updated_at + 1);
  if (obstacle(record, at) !== undefined) return false; // a secret that is still in transition ends first
  const { rotationDays } = await keyRulesOf(record, records);
  const { patch } = rotated(record, { vault, now: at, enforcedDays: rotationDays });
  return writeRotation(record, { ...patch, secret_kept_until: at + SECRET_KEPT_MS, untold_since: at, told: null }, records);
}
