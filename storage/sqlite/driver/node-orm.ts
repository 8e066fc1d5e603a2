import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import { LRUCache } from "lru-cache";
import type { SqlEngine } from "../../tables/records.ts";
import type { Database } from "../driver.ts";
import type { NodeDatabase } from "./node-sqlite.ts";

/** Lists of values of many lengths make many texts. */
const MAX_PREPARED = 500;

/**
 * Drizzle has no driver of its own for `node:sqlite`: it hands over each text with its values, and takes rows as arrays.
 * The query builders used are the same in both dialects; only the types of drizzle tell them apart.
 */
export function orm(db: Database): SqlEngine["db"] {
  const { client } = db as NodeDatabase; // the driver opened it
  const statementOf = preparedIn(client);
  const proxied = drizzle(async (sql: string, values: SQLInputValue[], method) => {
    const statement = statementOf(sql);
    if (method === "run") return { rows: [], ...statement.run(...values) };
    const rows: unknown[] = statement.all(...values);
    return { rows: method === "get" ? ((rows[0] as unknown[] | undefined) ?? []) : rows };
  });
  return proxied as unknown as SqlEngine["db"];
}

function preparedIn(client: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new LRUCache<string, StatementSync>({ max: MAX_PREPARED });
  return (sql) => {
    const before = prepared.get(sql);
    if (before !== undefined) return before;
    const statement = client.prepare(sql);
    statement.setReturnArrays(true);
    prepared.set(sql, statement);
    return statement;
  };
}
