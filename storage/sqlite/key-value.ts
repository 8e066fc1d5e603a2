import type { KeyValue } from "#contract";
import type { Connection } from "./database.ts";

const FORGET_EVERY = 100;

export const sqliteKeyValue = (connection: Connection, now: () => number): KeyValue => {
  const { db } = connection;
  const reading = db.prepare<{ value: Uint8Array }, [string, number]>(
    `select "value" from "_kv" where "key" = ?1 and ("expires_at" is null or "expires_at" > ?2)`,
  );
  const insert = `insert into "_kv" ("key", "value", "expires_at") values (?1, ?2, ?3)
    on conflict ("key") do update set "value" = excluded."value", "expires_at" = excluded."expires_at"`;
  const setting = db.prepare<unknown, [string, Uint8Array, number | null]>(insert);
  // An expired entry that was not yet forgotten is taken over in the same statement.
  const adding = db.prepare<unknown, [string, Uint8Array, number | null, number]>(`${insert} where "_kv"."expires_at" <= ?4`);
  const renewing = db.prepare<unknown, [string, Uint8Array, number | null, number]>(
    `update "_kv" set "expires_at" = ?3 where "key" = ?1 and "value" = ?2 and ("expires_at" is null or "expires_at" > ?4)`,
  );
  const deleting = db.prepare<unknown, [string]>(`delete from "_kv" where "key" = ?1`);
  const forgetting = db.prepare<unknown, [number]>(
    `delete from "_kv" where "key" in (select "key" from "_kv" where "expires_at" <= ?1 limit 500)`,
  );

  const until = (ttlMs: number | undefined): number | null => (ttlMs === undefined ? null : now() + ttlMs);
  let writes = 0;
  const forget = (): void => {
    writes += 1;
    if (writes % FORGET_EVERY === 0) forgetting.run(now());
  };

  return {
    get: async (key) => connection.run("kv", () => reading.get(key, now())?.value),
    set: async (key, value, ttlMs) =>
      connection.write("kv", () => {
        setting.run(key, value, until(ttlMs));
        forget();
      }),
    add: async (key, value, ttlMs) =>
      connection.write("kv", () => {
        const added = adding.run(key, value, until(ttlMs), now()).changes > 0;
        forget();
        return added;
      }),
    renew: async (key, value, ttlMs) => connection.write("kv", () => renewing.run(key, value, until(ttlMs), now()).changes > 0),
    delete: async (key) => connection.write("kv", () => void deleting.run(key)),
  };
};
