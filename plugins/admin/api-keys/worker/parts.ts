import { ApiKeys, type Logger, nextTurn, type RecordsHandle, type Vault, type Where } from "#contract";
import type { ApiKey } from "../rotation.ts";
import type { Tell } from "./notice.ts";

/** What each phase of a run works with. */
export interface WorkerParts {
  readonly records: Pick<RecordsHandle, "in">;
  readonly vault: Vault;
  readonly log: Logger;
  /** Once it returns, the person will be reached. */
  readonly tell: Tell;
  readonly now: () => number;
  readonly signal: AbortSignal;
}
export type Phase = (parts: WorkerParts) => Promise<void>;

/** Keys whose moment has come. */
export interface Due {
  readonly by: "expires_at" | "next_rotation_at" | "key_transition_expires_at" | "secret_kept_until" | "untold_since";
  /** Milliseconds since the epoch; infinite for all that have such a moment. */
  readonly until: number;
  readonly where?: Where<ApiKey>;
}
/** Those that have not ended. */
export const LIVING: Where<ApiKey> = { status: ["active", "exhausted"] };
const PAGE = 100;

/** Does this with each key that is due, the longest first; it says whether the key has another moment now, and so is done. */
export async function eachDue(
  { by, until, where = LIVING }: Due,
  parts: WorkerParts,
  work: (record: ApiKey, at: number) => Promise<boolean>,
): Promise<void> {
  const due = { ...where, [by]: Number.isFinite(until) ? { before: until + 1 } : { from: 0 } }; // by its index: few of many keys
  for (let offset = 0; ; ) {
    const { data } = await parts.records.in(ApiKeys).list({ where: due, orderBy: { by, direction: "asc" }, limit: PAGE, offset });
    for (const record of data) {
      parts.signal.throwIfAborted();
      const at = record[by];
      if (at === null) return;
      if (!(await orSkipped(record, parts, () => work(record, at)))) offset += 1;
    }
    if (data.length < PAGE) return;
    await nextTurn();
  }
}

/** One key that cannot be dealt with keeps no other waiting: it is said, and tried again by the next run. */
export async function orSkipped(
  record: ApiKey,
  parts: WorkerParts,
  work: (record: ApiKey, parts: WorkerParts) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await work(record, parts);
  } catch (thrown) {
    parts.signal.throwIfAborted();
    parts.log("error", "api-key.skipped", { key: record.id, why: thrown });
    return false;
  }
}
