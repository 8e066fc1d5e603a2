import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { definePlugin, GatewayError, type HostBase, type Running, type Storage, type StorageHandle } from "#contract";
import { migrationWork } from "../tables/migrate.ts";
import { sqliteBlobs } from "./blobs.ts";
import { SqliteConfig } from "./config.ts";
import { sqliteCounters } from "./counters.ts";
import { connect, runUnderLock } from "./database.ts";
import { sqliteFeed } from "./feed.ts";
import { sqliteKeyValue } from "./key-value.ts";
import { sqliteLogs } from "./logs.ts";
import { MIGRATIONS } from "./migrations/index.ts";
import { sqliteRecords } from "./records.ts";

/**
 * The embedded default. `main.db` is used on this thread with prepared statements, `logs.db` belongs to a Worker,
 * blobs are files. Any number of processes of one machine may share the folder.
 */
export default definePlugin({
  kind: "storage",
  config: SqliteConfig,
  needs: [],
  setup: (host, config) => connectSqlite(host, config),
});

export const connectSqlite = (
  host: HostBase,
  { dir, busyTimeoutMs, allowDestructiveMigration: allowDestructive }: SqliteConfig,
): Running<Storage> => {
  makeFolder(dir);
  const path = join(dir, "main.db");
  runUnderLock(path, busyTimeoutMs, migrationWork({ migrations: MIGRATIONS, allowDestructive, now: host.now }));
  const connection = connect(path, busyTimeoutMs);
  const feed = sqliteFeed(connection, host.now, host.log);
  const blobs = sqliteBlobs(connection, join(dir, "blobs"), host.now);
  const logs = sqliteLogs({ path: join(dir, "logs.db"), busyTimeoutMs, allowDestructive });
  return {
    provides: {
      records: sqliteRecords(connection, { path, busyTimeoutMs, now: host.now }),
      logs: logs.handle,
      blobs: blobs.handle,
      counters: sqliteCounters(connection, host.now),
      kv: sqliteKeyValue(connection, host.now),
      feed: feed.handle,
    },
    ready: async () => {
      await Promise.all([blobs.ready(), logs.ready()]);
    },
    close: async () => {
      feed.close();
      await logs.close().finally(connection.close);
    },
  };
};

/** Only the gateway's own user may look into it. */
const makeFolder = (dir: string): void => {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "records" satisfies StorageHandle }, { cause: error });
  }
};
