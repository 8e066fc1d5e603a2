import type { Static, TObject } from "@sinclair/typebox";
import type { Collection, Json, Records, RecordStore, Write } from "#contract";
import { pgTableOf } from "../tables/kit.ts";
import { recordsOver } from "../tables/records.ts";
import { allHeld, made } from "../tables/together.ts";
import { tableOf } from "../tables/table.ts";
import type { Config } from "./config.ts";
import { faultOf } from "./fault.ts";
import type { Link, Pools } from "./link.ts";
import { migrate, type Migrating } from "./migrate.ts";

/** Collections as tables, by drizzle's prepared statements. */
export const recordsIn = (link: Link, config: Config, { now, keepsTables }: Migrating): RecordStore => ({
  probe: async () => void (await link.run("records", ({ main }) => main.unsafe(PROBE, [Math.ceil(now() + 60_000)], { prepare: true }))),
  migrate: (collections) => migrate(config, collections, { now, keepsTables }),
  // Rows are written through this type.
  in: <S extends TObject>(collection: Collection<S>) => through(link, collection) as unknown as Records<Static<S>>,
  together: (writes) => link.run("records", (pools) => allHeld(transaction(pools, writes))),
});

/** On one connection; whatever is thrown rolls it back. */
const transaction = ({ db }: Pools, writes: readonly Write[]): Promise<void> =>
  db.transaction(async (tx) => {
    for (const write of writes) await made(write, recordsOver({ db: tx, faultOf }, write.in, pgTableOf(tableOf(write.in))));
  });

/** Large enough to need a page of its own. */
const PROBE = `insert into "_kv" (key, value, expires_at) values ('probe:records', decode(repeat('00', 16384), 'hex'), $1)
on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at`;

function through(link: Link, collection: Collection): Records<Json> {
  const table = pgTableOf(tableOf(collection));
  // Statements belong to a pool, and after an outage there are new ones.
  const byPools = new WeakMap<Pools, Records<Json>>();
  const of = (pools: Pools): Records<Json> => {
    const records = byPools.get(pools) ?? recordsOver({ db: pools.db, faultOf }, collection, table);
    byPools.set(pools, records);
    return records;
  };
  return {
    get: (id) => link.run("records", (pools) => of(pools).get(id)),
    first: (where) => link.run("records", (pools) => of(pools).first(where)),
    list: (query) => link.run("records", (pools) => of(pools).list(query)),
    insert: (value) => link.run("records", (pools) => of(pools).insert(value)),
    insertMissing: (values) => link.run("records", (pools) => of(pools).insertMissing(values)),
    update: (id, patch, expect) => link.run("records", (pools) => of(pools).update(id, patch, expect)),
    remove: (id) => link.run("records", (pools) => of(pools).remove(id)),
  };
}
