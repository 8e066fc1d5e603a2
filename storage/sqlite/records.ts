import type { Static, TObject } from "@sinclair/typebox";
import type { Collection, Records, RecordStore } from "#contract";
import { sqliteTableOf } from "../tables/kit.ts";
import { collectionWork } from "../tables/collections.ts";
import { recordsOver, type SqlEngine } from "../tables/records.ts";
import { togetherOn } from "./together.ts";
import { TABLES } from "../tables/snapshot.ts";
import { tableOf } from "../tables/table.ts";
import { type Connection, faultOf, runUnderLock } from "./database.ts";
import { orm } from "./orm.ts";
import { opening, reasonOf } from "./unusable.ts";

export const sqliteRecords = (
  connection: Connection,
  file: { readonly path: string; readonly busyTimeoutMs: number; readonly now: () => number; readonly keepsTables: boolean },
): RecordStore => {
  const engine: SqlEngine = {
    db: orm(connection.db),
    faultOf,
    reasonOf,
    alive: () => connection.alive("records"),
    writable: () => connection.writable("records"),
  };
  const probing = connection.db.prepare<unknown, [number]>(
    `insert or replace into "_kv" ("key", "value", "expires_at") values ('probe:records', zeroblob(16384), ?1)`,
  );
  return {
    probe: async () => connection.run("records", () => void probing.run(file.now() + 60_000)),
    migrate: async (collections) => {
      connection.alive("records");
      connection.writable("records"); // it is written by another connection, which would begin a lost file anew
      const work = collectionWork(collections, { dialect: "sqlite", embedded: TABLES, now: file.now, keepsTables: file.keepsTables });
      opening(file.path, () => runUnderLock(file.path, file.busyTimeoutMs, work));
    },
    // The table has this collection's columns, so its rows have the collection's type.
    in: <S extends TObject>(collection: Collection<S>) =>
      recordsOver(engine, collection, sqliteTableOf(tableOf(collection))) as unknown as Records<Static<S>>,
    together: togetherOn(connection, engine),
  };
};
