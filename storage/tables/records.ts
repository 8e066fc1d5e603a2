import { and, asc, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import { type Collection, GatewayError, isComparison, type Json, type ListQuery, type Records } from "#contract";
import { type Cond, columnOf, conditionsOf } from "./condition.ts";
import type { DrizzleTable } from "./kit.ts";
import { omittedMembers, SEQUENCE } from "./table.ts";

/** What a failed statement means to the caller. */
export type Fault = "conflict" | "unavailable" | "other";

export interface SqlEngine {
  /** Typed as PostgreSQL's; only what both dialects understand is called. */
  readonly db: Pick<PgDatabase<PgQueryResultHKT, Record<string, never>>, "select" | "insert" | "update" | "delete">;
  /** Judges an error as the driver threw it; drizzle's wrapping is taken off before. */
  faultOf(error: unknown): Fault;
  /** Why it is unavailable, where that is more than asking again. */
  reasonOf?(error: unknown): string | undefined;
  /** Throws when the connection was closed; for drivers whose prepared statements go on answering. */
  alive?(): void;
  /** Throws when nothing may be written; asked before each write, and again before it is acknowledged. */
  writable?(): void;
}

interface Prepared {
  execute(values: Json): Promise<Json[]>;
}

/** The typed access to one collection over a drizzle database of either dialect. */
export const recordsOver = (engine: SqlEngine, collection: Collection, table: DrizzleTable): Records<Json> => {
  const { db } = engine;
  const { sequence, columns } = columnsIn(collection, table);
  const rows = rowsOf(collection);
  const condition = conditionsOf(collection, columns);
  const writing = writesOver(db, collection, table);
  const guarded = guard(engine, collection.name);
  const written = <R>(work: () => Promise<R>): Promise<R> =>
    guarded(async () => {
      engine.writable?.();
      const result = await work();
      engine.writable?.();
      return result;
    });
  const prepared = new Map<string, Prepared>();

  /** `where` of plain values has a statement of its own per set of members, prepared once. */
  const firstRows = (where: Cond): Promise<Json[]> => {
    const members = Object.keys(where);
    if (members.some((member) => !isPlain(where[member]))) {
      return db.select(columns).from(table).where(condition(where)).orderBy(asc(sequence)).limit(1);
    }
    const shape = members.map((member) => (where[member] === null ? `${member}:null` : member)).join();
    return (prepared.get(shape) ?? prepareFirst(shape, where)).execute(where);
  };
  const prepareFirst = (shape: string, where: Cond): Prepared => {
    const slots = Object.fromEntries(Object.keys(where).map((member) => [member, where[member] === null ? null : sql.placeholder(member)]));
    const query = db.select(columns).from(table).where(condition(slots)).orderBy(asc(sequence)).limit(1);
    const statement = query.prepare(`${collection.name}:${shape}`);
    prepared.set(shape, statement);
    return statement;
  };

  return {
    get: (id) => guarded(async () => rows.read((await firstRows({ id }))[0])),
    first: (where) => guarded(async () => rows.read((await firstRows(where))[0])),
    list: ({ where, orderBy, limit, offset, omit = [] }: ListQuery<Json>) =>
      guarded(async () => {
        const filter = where === undefined ? undefined : condition(where);
        const page = db
          .select(without(columns, omit))
          .from(table)
          .where(filter)
          .orderBy(...ordered(sequence, orderBy && { ...orderBy, column: columnOf(collection, columns, orderBy.by) }));
        const [data, counted] = await Promise.all([
          page.limit(limit).offset(offset),
          db.select({ total: sql<number>`count(*)` }).from(table).where(filter),
        ]);
        return { data: data.map((row) => rows.read(row)), total: Number(counted[0]?.total) };
      }),
    insert: (value) =>
      written(async () => {
        await writing.insert(value);
      }),
    insertMissing: (values) =>
      written(async () => {
        if (values.length > 0) await writing.insertMissing(values);
      }),
    update: (id, patch, expect) => written(async () => (await writing.update(id, patch, expect)).length > 0),
    remove: (id) => written(async () => (await writing.remove(id)).length > 0),
  };
};

const isPlain = (value: unknown): boolean => value !== undefined && !Array.isArray(value) && !isComparison(value);

const columnsIn = (collection: Collection, table: DrizzleTable) => {
  const { [SEQUENCE]: sequence, ...columns } = getTableColumns(table) as Record<string, PgColumn>;
  const { id } = columns;
  if (sequence === undefined || id === undefined) throw new TypeError(`The table of ${collection.name} lacks its key columns.`);
  return { sequence, id, columns };
};

/** The statements that write, not run yet; an update and a removal return the id of what they found. */
export const writesOver = (db: SqlEngine["db"], collection: Collection, table: DrizzleTable) => {
  const { id: idColumn, columns } = columnsIn(collection, table);
  const rows = rowsOf(collection);
  const condition = conditionsOf(collection, columns);
  return {
    insert: (value: Json) => db.insert(table).values(rows.write(value)),
    insertMissing: (values: readonly Json[]) => db.insert(table).values(values.map(rows.write)).onConflictDoNothing({ target: idColumn }),
    update(id: string, patch: Json, expect: Cond = {}) {
      const filter = and(eq(idColumn, id), condition(expect));
      const changes = rows.write(patch);
      return Object.keys(changes).length === 0
        ? db.select({ id: idColumn }).from(table).where(filter)
        : db.update(table).set(changes).where(filter).returning({ id: idColumn });
    },
    remove: (id: string) => db.delete(table).where(eq(idColumn, id)).returning({ id: idColumn }),
  };
};

/** Nulls last in both directions; the creation order breaks ties, so that pages neither repeat nor skip a record. */
const ordered = (sequence: PgColumn, orderBy: { readonly column: PgColumn; readonly direction: "asc" | "desc" } | undefined): SQL[] => {
  if (orderBy === undefined) return [asc(sequence)];
  const direction = orderBy.direction === "asc" ? asc : desc;
  return [sql`${direction(orderBy.column)} nulls last`, direction(sequence)];
};

const without = <C extends Readonly<Record<string, unknown>>>(columns: C, omit: readonly string[]): C =>
  omit.length === 0 ? columns : (Object.fromEntries(Object.entries(columns).filter(([name]) => !omit.includes(name))) as C); // who omits them reads none of them

/** Records to rows and back: optional members are absent in a record and null in its row. */
const rowsOf = (collection: Collection) => {
  const omitted = [...omittedMembers(collection)];
  const members = new Set(Object.keys(collection.schema.properties));
  return {
    read: <R extends Json | undefined>(row: R): R => {
      if (row !== undefined) for (const member of omitted) if (row[member] === null) delete row[member];
      return row;
    },
    write: (value: Json): Json => {
      const unknown = Object.keys(value).find((member) => !members.has(member));
      if (unknown !== undefined) throw new TypeError(`The collection ${collection.name} has no member "${unknown}".`);
      return Object.fromEntries(Object.entries(value).filter(([, given]) => given !== undefined));
    },
  };
};

/** Runs a statement; says CONFLICT and STORAGE_UNAVAILABLE where the driver says something of its own. */
export const guard =
  (engine: Omit<SqlEngine, "db">, name: string) =>
  async <R>(work: () => Promise<R>): Promise<R> => {
    try {
      engine.alive?.();
      return await work();
    } catch (error) {
      throw translated(engine, name, error instanceof Error && error.name === "DrizzleQueryError" ? (error.cause ?? error) : error);
    }
  };

/** What an error of the driver means, said of this collection. */
export const translated = (engine: Omit<SqlEngine, "db">, name: string, error: unknown): unknown => {
  if (GatewayError.is(error)) return error;
  const fault = engine.faultOf(error);
  if (fault === "conflict") return new GatewayError("CONFLICT", { what: `A record of ${name} with these values` }, { cause: error });
  if (fault !== "unavailable") return error;
  return new GatewayError("STORAGE_UNAVAILABLE", { handle: "records", why: engine.reasonOf?.(error) }, { cause: error });
};
