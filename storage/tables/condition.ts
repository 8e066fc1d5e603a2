import { and, eq, gte, inArray, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { type Bounds, type Collection, type Contains, isComparison } from "#contract";

export type Cond = Readonly<Record<string, unknown>>;
type Columns = Readonly<Record<string, PgColumn>>;

export const columnOf = (collection: Collection, columns: Columns, member: string): PgColumn => {
  const column = columns[member];
  if (column === undefined) throw new TypeError(`The collection ${collection.name} has no member "${member}".`);
  return column;
};

/** A record's condition as SQL that both dialects understand. */
export const conditionsOf =
  (collection: Collection, columns: Columns) =>
  (where: Cond): SQL | undefined =>
    and(...Object.entries(where).map(([member, value]) => comparison(collection.name, columnOf(collection, columns, member), value)));

const comparison = (collection: string, column: PgColumn, value: unknown): SQL | undefined => {
  if (value === null) return isNull(column);
  // Leaving the condition out would match records nobody asked for.
  if (value === undefined) throw new TypeError(`The condition on ${collection}.${column.name} has no value.`);
  if (column.dataType === "json") throw new TypeError(`The JSON member ${collection}.${column.name} can only be compared with null.`);
  if (isComparison(value)) return "contains" in value ? containing(column, value) : within(column, value);
  if (!Array.isArray(value)) return eq(column, value);
  const some = value.filter((item) => item !== null);
  const listed = some.length === 0 ? sql`1 = 0` : inArray(column, some);
  return some.length === value.length ? listed : or(listed, isNull(column));
};

/** Neither `like` nor a position: those differ in case, or in name, from one database to the other. */
const containing = (column: PgColumn, { contains }: Contains): SQL =>
  contains === "" ? isNotNull(column) : sql`replace(${column}, ${contains}, '') <> ${column}`;

const within = (column: PgColumn, { from, before }: Bounds): SQL | undefined =>
  and(isNotNull(column), from === undefined ? undefined : gte(column, from), before === undefined ? undefined : lt(column, before));
