import type { RecordStore, Write } from "#contract";
import { sqliteTableOf } from "../tables/kit.ts";
import { guard, type SqlEngine, translated, writesOver } from "../tables/records.ts";
import { tableOf } from "../tables/table.ts";
import { allHeld, NotHeld } from "../tables/together.ts";
import { type Connection, inTransaction } from "./database.ts";
import type { Value } from "./driver.ts";

/** A write as SQLite takes it. */
interface Statement {
  /** The collection that it writes. */
  readonly of: string;
  readonly sql: string;
  readonly values: readonly Value[];
  /** A record that is to be there. */
  readonly mustFind: boolean;
}

/** Several writes as one transaction, made without giving way: nobody else's statement comes in between on this connection. */
export const togetherOn = (connection: Connection, engine: SqlEngine): RecordStore["together"] => {
  const run = (statements: readonly Statement[]): void =>
    inTransaction(connection.db, () => {
      for (const statement of statements) {
        const found = foundBy(statement);
        if (statement.mustFind && found.length === 0) throw new NotHeld();
      }
    });
  /** What fails says which of the collections it was. */
  const foundBy = ({ of, sql, values }: Statement): readonly unknown[] => {
    try {
      return connection.db.query<unknown, Value[]>(sql).all(...values);
    } catch (error) {
      throw translated(engine, of, error);
    }
  };
  return (writes) =>
    allHeld(
      guard(
        engine,
        "these collections",
      )(async () => {
        const statements = writes.flatMap((write) => statementOf(engine, write));
        engine.writable?.();
        run(statements);
        engine.writable?.();
      }),
    );
};

function statementOf({ db }: SqlEngine, write: Write): readonly Statement[] {
  const writing = writesOver(db, write.in, sqliteTableOf(tableOf(write.in)));
  const statement = (query: { toSQL(): { sql: string; params: unknown[] } }, mustFind = false): readonly Statement[] => {
    const { sql, params } = query.toSQL();
    return [{ of: write.in.name, sql, values: params as Value[], mustFind }]; // its columns made them of what SQLite takes
  };
  if (write.kind === "insert") return statement(writing.insert(write.value));
  if (write.kind === "insertMissing") return write.values.length === 0 ? [] : statement(writing.insertMissing(write.values));
  if (write.kind === "remove") return statement(writing.remove(write.id), true);
  return statement(writing.update(write.id, write.patch, write.expect), true);
}
