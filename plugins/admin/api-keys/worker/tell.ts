import { ApiKeys, DAY_MS } from "#contract";
import type { ApiKey } from "../rotation.ts";
import { type KeyNotice, noticeOf } from "./notice.ts";
import { eachDue, type Phase, type WorkerParts } from "./parts.ts";

/* Who cares for a key hears of its rotations: at least once, for what was told is written down after. */

const tell = async (kind: KeyNotice["kind"], record: ApiKey, at: number, { records, tell: hand }: WorkerParts): Promise<boolean> =>
  hand(await noticeOf(kind, record, at, records));

/** Written where nobody has told more meanwhile. */
const remember = ({ id, last_updated_at }: ApiKey, told: ApiKey["told"], { records }: WorkerParts): Promise<boolean> =>
  records.in(ApiKeys).update(id, { told }, { last_updated_at });

/** Keys with two secrets: that there is a new one, and, a day before, that the other one ends. */
export const tellOfTransitions: Phase = (parts) =>
  eachDue({ by: "key_transition_expires_at", until: Number.POSITIVE_INFINITY }, parts, async (record, ends) => {
    const { untold, ...told } = { ...record.told };
    const isTold = untold !== true || (await tell("key_rotated", record, ends, parts));
    const warns = ends - DAY_MS <= parts.now() && (record.rotated_at ?? ends) < ends - DAY_MS && told["transition"] !== ends;
    const isWarned = warns && (await tell("key_transition_soon", record, ends, parts));
    const left = { ...told, ...(!isTold && { untold: true }), ...(isWarned && { transition: ends }) };
    if ((untold === true && isTold) || isWarned) await remember(record, left, parts);
    return false;
  });

/** A day before a key is rotated by its schedule; of keys that are rotated daily that would be always. */
export const tellOfRotations: Phase = (parts) =>
  eachDue({ by: "next_rotation_at", until: parts.now() + DAY_MS }, parts, async (record, next) => {
    const since = record.rotated_at ?? record.created_at;
    if (next <= parts.now() || since >= next - DAY_MS || record.told?.["rotation"] === next) return false;
    if (await tell("key_rotation_soon", record, next, parts)) await remember(record, { ...record.told, rotation: next }, parts);
    return false;
  });
