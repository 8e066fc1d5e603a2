import type { KeyValue } from "#contract";
import type { Link } from "./link.ts";

/** Keys with bytes as rows, each with a time to live of its own. */
export function keyValueOver(link: Link, now: () => number): KeyValue {
  const run = (text: string, parameters: (string | number | Buffer | null)[]): Promise<readonly { readonly value?: Buffer }[]> =>
    link.run("kv", ({ main }) => main.unsafe<{ value?: Buffer }[]>(text, parameters, { prepare: true }));
  const expiry = (ttlMs: number | undefined): number | null => (ttlMs === undefined ? null : Math.ceil(now() + ttlMs));
  return {
    async get(key) {
      const [row] = await run(`select value from "_kv" where key = $1 and (expires_at is null or expires_at > $2)`, [key, now()]);
      return row?.value && new Uint8Array(row.value);
    },
    async set(key, value, ttlMs) {
      await run(UPSERT, [key, Buffer.from(value), expiry(ttlMs)]);
    },
    async add(key, value, ttlMs) {
      const set = await run(`${UPSERT} where k.expires_at <= $4 returning key`, [key, Buffer.from(value), expiry(ttlMs), now()]);
      return set.length > 0;
    },
    async renew(key, value, ttlMs) {
      const renewed = await run(
        `update "_kv" set expires_at = $3 where key = $1 and value = $2 and (expires_at is null or expires_at > $4) returning key`,
        [key, Buffer.from(value), expiry(ttlMs), now()],
      );
      return renewed.length > 0;
    },
    async delete(key) {
      await run(`delete from "_kv" where key = $1`, [key]);
    },
  };
}

const UPSERT = `insert into "_kv" as k (key, value, expires_at) values ($1, $2, $3)
on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at`;
