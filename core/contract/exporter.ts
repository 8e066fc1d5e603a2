import type { Outcome } from "./request.ts";
import type { AuditEntry } from "./schema/audit.ts";

/** Receives what happened, off the request path. */
export type Exporter = (OutcomeExporter | RecordExporter) & ChangeTaker;

/** Takes what is written to the audit log, too. */
export interface ChangeTaker {
  /**
   * Entries of one or more organisations, each once it is committed and in the order of its organisation's log. A throw
   * means that they are brought again, in memory and for as long as there is room; the log itself has all of them.
   */
  changes?(entries: readonly AuditEntry[]): Promise<void>;
}

/** Takes outcomes as they are, in batches. While it cannot take them they wait in memory, in a bounded queue; what does not fit is lost, and counted. */
export interface OutcomeExporter {
  export(batch: readonly Outcome[]): Promise<void>;
}

/**
 * Makes a record of each outcome, and writes records. A record is plain data: what JSON gives back is what it was given.
 * So it may wait on disk while the place it goes to is away or slow, and survives the end of the process there.
 */
export interface RecordExporter<R extends object = object> {
  /** Called once for each outcome, soon after it; `undefined` where nothing is to be kept. Credentials are masked here, for the record may reach a disk. */
  record(outcome: Outcome): R | undefined;
  /** The record without what it quotes of requests and answers: what is given up first where room is short. */
  withoutBodies(record: R): R;
  /**
   * Writes all of them, or throws; STORAGE_UNAVAILABLE means that they are brought again. A record may come twice, after
   * a crash for one, and must not be there twice.
   */
  write(records: readonly R[]): Promise<void>;
}
