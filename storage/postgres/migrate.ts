import type { TransactionSql } from "postgres";
import { type Collection, GatewayError } from "#contract";
import { applyCollections, applyMigrations, type MigrationConnection } from "../tables/migrate.ts";
import { TABLES } from "../tables/snapshot.ts";
import { clientOf, drop } from "./client.ts";
import type { Config } from "./config.ts";
import { faultOf } from "./fault.ts";
import { MIGRATIONS } from "./migrations/index.ts";

/** Held by the one process that migrates; the others wait for it and find the work done. */
const LOCK = "select pg_advisory_xact_lock(hashtextextended('ai-gateway migrations', 0))";

export interface Migrating {
  readonly now: () => number;
  /** Nothing is changed: what is left to do refuses. */
  readonly keepsTables: boolean;
}

/** Brings the database to this build's tables in one transaction, on a connection of its own that no timeout ends. */
export async function migrate(config: Config, collections: readonly Collection[], { now, keepsTables }: Migrating): Promise<void> {
  const client = clientOf(config, { max: 1, statementTimeoutMs: 0 });
  try {
    await client.begin(async (transaction) => {
      await transaction.unsafe(LOCK);
      const db = connection(transaction);
      await applyMigrations(db, { migrations: MIGRATIONS, allowDestructive: config.allowDestructiveMigration, now, keepsTables });
      await applyCollections(db, collections, { dialect: "postgres", embedded: TABLES, now, keepsTables });
    });
  } catch (error) {
    throw faultOf(error) === "unavailable" ? new GatewayError("STORAGE_UNAVAILABLE", { handle: "records" }, { cause: error }) : error;
  } finally {
    drop(client);
  }
}

const connection = (transaction: TransactionSql): MigrationConnection => ({
  script: async (sql) => {
    await transaction.unsafe(sql);
  },
  query: (sql, parameters = []) => transaction.unsafe(sql, [...parameters]),
});
