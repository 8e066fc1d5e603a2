import { bunSqlite } from "./driver/bun-sqlite.ts";
import { nodeSqlite } from "./driver/node-sqlite.ts";

/*
 * SQLite as the store uses it, and the choice between the drivers that the runtimes bring. It is made without waiting: a
 * Worker whose modules wait while they load misses the messages that were sent meanwhile.
 */

/** What a statement is given, in the order of its parameters. */
export type Value = string | number | bigint | Uint8Array | null;

export interface Statement<Row, Values extends Value[]> {
  /** The first row; `null` when there is none. */
  get(...values: Values): Row | null;
  all(...values: Values): Row[];
  run(...values: Values): { readonly changes: number };
  /** Lets go of it before its database is closed. */
  finalize(): void;
}
export interface Database {
  prepare<Row, Values extends Value[]>(sql: string): Statement<Row, Values>;
  /** The same, prepared once for each text. */
  query<Row, Values extends Value[]>(sql: string): Statement<Row, Values>;
  /** Runs one statement with its values, or several without. */
  run(sql: string, values?: Value[]): unknown;
  readonly inTransaction: boolean;
  close(throwOnError?: boolean): void;
}
export interface Driver {
  /** Opens a file; makes a missing one only when told so. */
  open(path: string, options?: { readonly create?: boolean }): Database;
  /** SQLite's name of what went wrong, such as `SQLITE_BUSY`; `undefined` of an error that is not SQLite's. */
  codeOf(error: unknown): string | undefined;
  /** A long text and what it is stored as. */
  pack(text: string): Uint8Array;
  unpack(stored: Uint8Array): Uint8Array;
}

export const isBun = process.versions["bun"] !== undefined;
export const driver: Driver = isBun ? bunSqlite() : nodeSqlite();
export const open = driver.open;
