import * as pg from "drizzle-orm/pg-core";
import * as lite from "drizzle-orm/sqlite-core";
import { type ColumnKind, SEQUENCE, type Table } from "./table.ts";

/** A drizzle table, typed as PostgreSQL's on both dialects; queries use only what both understand. */
export type DrizzleTable = pg.PgTable;

/** The drizzle table for PostgreSQL. Constraints are the migrations' business; here a column only converts values. */
export const pgTableOf = (table: Table): DrizzleTable =>
  pg.pgTable(table.name, {
    ...columnsBy<pg.PgColumnBuilderBase>(table, PG),
    [SEQUENCE]: pg.bigint(SEQUENCE, { mode: "number" }).generatedAlwaysAsIdentity(),
  });

/** The same table for SQLite. */
export const sqliteTableOf = (table: Table): DrizzleTable =>
  // The one place where SQLite's table takes PostgreSQL's type: the query builders used are the same in both.
  lite.sqliteTable(table.name, {
    ...columnsBy<lite.SQLiteColumnBuilderBase>(table, SQLITE),
    [SEQUENCE]: lite.integer(SEQUENCE).primaryKey({ autoIncrement: true }),
  }) as unknown as DrizzleTable;

type Kit<B> = Readonly<Record<ColumnKind, (name: string) => B>>;

const PG: Kit<pg.PgColumnBuilderBase> = {
  text: (name) => pg.text(name),
  int: (name) => pg.integer(name),
  bigint: (name) => pg.bigint(name, { mode: "number" }),
  real: (name) => pg.doublePrecision(name),
  bool: (name) => pg.boolean(name),
  // Not jsonb: `json` keeps the order of members and every string, as SQLite does.
  json: (name) => pg.json(name),
};

const SQLITE: Kit<lite.SQLiteColumnBuilderBase> = {
  text: (name) => lite.text(name),
  int: (name) => lite.integer(name),
  bigint: (name) => lite.integer(name),
  real: (name) => lite.real(name),
  bool: (name) => lite.integer(name, { mode: "boolean" }),
  json: (name) => lite.text(name, { mode: "json" }),
};

const columnsBy = <B>(table: Table, kit: Kit<B>): Record<string, B> =>
  Object.fromEntries(table.columns.map(({ name, kind }) => [name, kit[kind](name)]));
