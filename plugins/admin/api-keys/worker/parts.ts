import { ApiKeys, type Logger, nextTurn, type RecordsHandle, type Vault, type Where } from "#contract";
import type { ApiKey } from "../rotation.ts";
import type { Tell } from "./notice.ts";

/** What each phase of a run works with. */
export interface WorkerParts {
  readonly records: Pick<RecordsHandle, "in">;
  readonly vault: Vault;
  readonly log: Logger;
  /** Once it returns, the notice will reach people. */
  readonly tell: Tell;
  readonly now: () => number;
  readonly signal: AbortSignal;
}
export type Phase = (parts: WorkerParts) => Promise<void>;

/** Keys whose moment has come. */
export interface Due {
  readonly by: "expires_at" | "next_rotation_at" | "key_transition_expires_at" | "secret_kept_until";
  readonly until: number;
  readonly where?: Where<ApiKey>;
}
/** Those that have not ended. */
export const LIVING: Where<ApiKey> = { status: ["active", "exhausted"] };
const PAGE = 100;

/** Does this with each key that is due, the longest first; it says whether the key has another moment now, and so is done. */
export async function eachDue(
  { by, until, where = LIVING }: Due,
  { records, signal }: Pick<WorkerParts, "records" | "signal">,
  work: (record: ApiKey, at: number) => Promise<boolean>,
): Promise<void> {
  for (let offset = 0; ; ) {
    const { data } = await records.in(ApiKeys).list({ where, orderBy: { by, direction: "asc" }, limit: PAGE, offset });
    for (const record of data) {
      signal.throwIfAborted();
      const at = record[by];
      if (at === null || at > until) return;
      if (!(await work(record, at))) offset += 1;
    }
    if (data.length < PAGE) return;
    await nextTurn();
  }
}
