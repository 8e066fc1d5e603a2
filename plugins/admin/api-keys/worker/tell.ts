import { ApiKeys, DAY_MS, isoTime } from "#contract";
import type { ApiKey } from "../rotation.ts";
import { eachDue, type Phase, type WorkerParts } from "./parts.ts";

/* Who cares for a key hears of its rotations: at least once, for what was told is written down after. */

/** What is told of a key. */
type Notice = "rotated" | "transition-soon" | "rotation-soon";
/** Of the moment it is about: when the secret before ends, or when the key is rotated. */
const tell = (notice: Notice, { id, name }: ApiKey, at: number, { log }: WorkerParts): void =>
  log(notice === "rotated" ? "info" : "warn", `api-key.${notice}`, { key: id, name, at: isoTime(at) });

/** Written where nobody has told more meanwhile. */
const remember = ({ id, last_updated_at }: ApiKey, told: ApiKey["told"], { records }: WorkerParts): Promise<boolean> =>
  records.in(ApiKeys).update(id, { told }, { last_updated_at });

/** Keys with two secrets: that there is a new one, and, a day before, that the other one ends. */
export const tellOfTransitions: Phase = (parts) =>
  eachDue({ by: "key_transition_expires_at", until: Number.POSITIVE_INFINITY }, parts, async (record, ends) => {
    const { untold, ...told } = { ...record.told };
    if (untold === true) tell("rotated", record, ends, parts);
    const warns = ends - DAY_MS <= parts.now() && (record.rotated_at ?? ends) < ends - DAY_MS && told["transition"] !== ends;
    if (warns) tell("transition-soon", record, ends, parts);
    if (untold === true || warns) await remember(record, { ...told, ...(warns && { transition: ends }) }, parts);
    return false;
  });

/** A day before a key is rotated by its schedule; of keys that are rotated daily that would be always. */
export const tellOfRotations: Phase = (parts) =>
  eachDue({ by: "next_rotation_at", until: parts.now() + DAY_MS }, parts, async (record, next) => {
    const since = record.rotated_at ?? record.created_at;
    if (next <= parts.now() || since >= next - DAY_MS || record.told?.["rotation"] === next) return false;
    tell("rotation-soon", record, next, parts);
    await remember(record, { ...record.told, rotation: next }, parts);
    return false;
  });
