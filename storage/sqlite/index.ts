import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { definePlugin, type Health, type HostBase, type Running, type Storage } from "#contract";
import { migrationWork } from "../tables/migrate.ts";
import { archive } from "./archive.ts";
import { sqliteBlobs } from "./blobs.ts";
import { SqliteConfig } from "./config.ts";
import { sqliteCounters } from "./counters.ts";
import { type Connection, runUnderLock } from "./database.ts";
import { hasRecords, isFilled, refuseEmptied } from "./emptied.ts";
import { sqliteFeed } from "./feed.ts";
import { sqliteKeyValue } from "./key-value.ts";
import { type SqliteLogs, sqliteLogs } from "./logs.ts";
import { MIGRATIONS } from "./migrations/index.ts";
import { type MainFile, openMain } from "./main-file.ts";
import { sqliteRecords } from "./records.ts";
import type { Loss } from "./rescue.ts";
import { refuseHalfRestored } from "./restore-marker.ts";
import { refuseBehind, refuseOlder } from "./saved.ts";
import { opening, refuseDamaged } from "./unusable.ts";

/**
 * The embedded default. `main.db` is used on this thread with prepared statements, `logs.db` belongs to a Worker,
 * blobs are files. Any number of processes of one machine may share the folder.
 */
export default definePlugin({
  kind: "storage",
  config: SqliteConfig,
  needs: [],
  archive,
  setup: (host, config) => connectSqlite(host, config),
});

export const connectSqlite = (
  host: HostBase,
  { dir, busyTimeoutMs, allowDestructiveMigration: allowDestructive }: SqliteConfig,
): Running<Storage> => {
  opening(dir, () => mkdirSync(dir, { recursive: true, mode: 0o700 })); // only the gateway's own user may look into it
  refuseHalfRestored(dir);
  const { now, keepsTables = false } = host;
  const path = join(dir, "main.db");
  refuseOlder(path);
  refuseEmptied(path, isFilled(join(dir, "logs.db")) ? "logs.db" : undefined);
  const onLoss = ({ sentence, saved }: Loss): void => host.log("error", "storage.lost", { why: sentence, saved });
  const main = opening(path, () => openMain(path, busyTimeoutMs, onLoss));
  try {
    refuseHalfRestored(dir); // a restore that began meanwhile has seen no gateway
    opening(path, () => {
      refuseDamaged(main.durable.db, path);
      runUnderLock(path, busyTimeoutMs, migrationWork({ migrations: MIGRATIONS, allowDestructive, now, keepsTables }));
      refuseBehind(path, main.durable.db);
    });
  } catch (error) {
    main.close();
    throw error;
  }
  const feed = sqliteFeed(main.quick, now, host.log);
  const blobs = sqliteBlobs(main.durable, join(dir, "blobs"), now);
  const logs = sqliteLogs(
    {
      path: join(dir, "logs.db"),
      beside: hasRecords(main.durable.db) ? "main.db" : undefined,
      busyTimeoutMs,
      allowDestructive,
      keepsTables,
    },
    onLoss,
  );
  return {
    provides: {
      records: sqliteRecords(main.durable, { path, busyTimeoutMs, now, keepsTables }),
      logs: logs.handle,
      blobs: blobs.handle,
      counters: sqliteCounters(main.quick, now),
      kv: sqliteKeyValue(main.quick, now),
      feed: feed.handle,
    },
    ready: async () => {
      await Promise.all([blobs.ready(), logs.ready()]);
    },
    health: () => healthOf(main, logs),
    close: async () => {
      feed.close();
      await logs.close().finally(main.close);
    },
  };
};

function healthOf({ durable, quick, watch }: MainFile, logs: SqliteLogs): Health {
  const degraded = [watch.lost, logs.lost()].filter((sentence) => sentence !== undefined);
  const detail = { records: { synchronous: synchronousOf(durable), lock: watch.lock }, counters: { synchronous: synchronousOf(quick) } };
  return { degraded, detail };
}

/** As the connection that writes them has it. */
const synchronousOf = ({ db }: Connection): string => {
  const { synchronous = -1 } = db.query<{ synchronous: number }, []>("pragma synchronous").get() ?? {};
  return ["off", "normal", "full", "extra"][synchronous] ?? String(synchronous);
};
