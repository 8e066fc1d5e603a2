import { type ErrorCode, GatewayError, messageOf } from "#contract";
import { migrationWork } from "../tables/migrate.ts";
import { faultOf, LARGE_PAGES, openDatabase, runUnderLock } from "./database.ts";
import type { Database } from "./driver.ts";
import { refuseEmptied } from "./emptied.ts";
import { unpacked } from "./logs-batch.ts";
import { MIGRATIONS } from "./logs-migrations/index.ts";
import { type LogsTable, logsTable } from "./logs-table.ts";
import type { LogsAnswer, LogsCall, LogsJobs, LogsNews, LogsRequest } from "./logs.ts";
import { rescue } from "./rescue.ts";
import { refuseOlder } from "./saved.ts";
import { opening, reasonOf, refuseDamaged } from "./unusable.ts";
import { type Watch, watchFile } from "./watch.ts";

/* Owns logs.db: whatever takes long there stops this thread and no request. */

const file: { db?: Database; table?: LogsTable; watch?: Watch } = {};
const table = (): LogsTable => {
  if (file.table === undefined) throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "logs" });
  return file.table;
};
/** Throws once the file is lost to this process; asked before each write, and again before it is acknowledged. */
const writable = (): void => {
  file.watch?.look();
  const why = file.watch?.lost;
  if (why !== undefined) throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "logs", why });
};
const written = <R>(work: () => R): R => {
  writable();
  const result = work();
  writable();
  return result;
};

/** All that is still seen is saved before it is told. */
const watchLogs = (db: Database, path: string): Watch =>
  watchFile(path, (why) => {
    const loss = rescue(db, path, why);
    self.postMessage({ loss } satisfies LogsNews);
    return loss.sentence;
  });

const jobs: LogsJobs = {
  open: ({ path, beside, busyTimeoutMs, allowDestructive, keepsTables }) =>
    opening(path, () => {
      refuseOlder(path);
      refuseEmptied(path, beside);
      const db = (file.db = openDatabase(path, busyTimeoutMs, LARGE_PAGES));
      refuseDamaged(db, path);
      runUnderLock(
        path,
        busyTimeoutMs,
        migrationWork({ migrations: MIGRATIONS, allowDestructive, now: Date.now, keepsTables }),
        LARGE_PAGES,
      );
      file.table = logsTable(db);
      file.watch = watchLogs(db, path);
    }),
  write: (batch) => written(() => table().write(unpacked(batch))),
  get: (id) => table().get(id),
  prune: async ({ newerThan, maxBytes }) => {
    const older = await repeated(() => written(() => table().pruneOlder(newerThan)));
    let excess = table().bytes() - maxBytes;
    const larger = await repeated(() => {
      if (excess <= 0) return 0;
      const gone = written(() => table().pruneOldest(excess));
      excess -= gone.bytes;
      return gone.rows;
    });
    return older + larger;
  },
  close: () => {
    file.watch?.close();
    file.db?.close();
    delete file.watch;
    delete file.db;
    delete file.table;
  },
};

/** One batch after the other; between two of them what arrived meanwhile is served. */
const repeated = async (batch: () => number): Promise<number> => {
  let total = 0;
  for (let gone = batch(); gone > 0; gone = batch()) {
    total += gone;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return total;
};

const run = async <C extends LogsCall>({ call, argument }: LogsRequest<C>): Promise<unknown> => await jobs[call](argument);

const judged = (error: unknown): NonNullable<LogsAnswer["error"]> => {
  if (GatewayError.is(error)) return { code: error.code as ErrorCode, details: error.details, message: error.message }; // a storage throws none of its own
  return {
    ...(faultOf(error) === "unavailable"
      ? { code: "STORAGE_UNAVAILABLE" as const, details: { handle: "logs", why: reasonOf(error) } }
      : {}),
    message: messageOf(error),
  };
};

self.onmessage = ({ data }: MessageEvent<LogsRequest>) => {
  run(data).then(
    (value) => self.postMessage({ number: data.number, value } satisfies LogsAnswer),
    (error: unknown) => self.postMessage({ number: data.number, error: judged(error) } satisfies LogsAnswer),
  );
};
