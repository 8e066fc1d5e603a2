import { type Claim, type Counters, GatewayError, type Reserved } from "#contract";
import type { Link } from "./link.ts";

/**
 * Counters as rows. A reservation is one statement: a refused one only reads; a granted one writes its rows in key
 * order, so that two of them never wait for each other in a circle.
 */
export function countersOver(link: Link, now: () => number): Counters {
  const reserve = async (claims: readonly Claim[]): Promise<Reserved> => {
    if (claims.length === 0) return { granted: true, values: [] };
    const columns = READ.map((read) => claims.map(read));
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const [row] = await link.run("counters", ({ main }) =>
        main.unsafe<Row[]>(RESERVE, [...columns, now()], { prepare: true }).catch(overtaken),
      );
      if (row !== undefined) return outcomeOf(row);
    }
    throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "counters" });
  };
  return {
    reserve,
    async add(changes) {
      const outcome = await reserve(changes.map((change) => ({ ...change, limit: Number.POSITIVE_INFINITY })));
      return outcome.granted ? outcome.values : [];
    },
    async read(keys) {
      const text = `select key, value from "_counters" where key = any($1::text[]) and expires_at > $2`;
      const rows = await link.run("counters", ({ main }) =>
        main.unsafe<{ key: string; value: number }[]>(text, [[...keys], now()], { prepare: true }),
      );
      const values = new Map(rows.map(({ key, value }) => [key, value]));
      return keys.map((key) => values.get(key) ?? 0);
    },
  };
}

interface Row {
  readonly refused: number | null;
  readonly value: number | null;
  readonly values: readonly number[];
}

const outcomeOf = ({ refused, value, values }: Row): Reserved =>
  refused === null ? { granted: true, values } : { granted: false, refused, value: value ?? 0 };

/** Others can take the room between our look and our write only so often before there is none left to see. */
const ATTEMPTS = 20;

/** The statement divides by zero when somebody else was faster with one of its rows: nothing of it stays, look again. */
const overtaken = (error: unknown): readonly Row[] => {
  if (error instanceof Error && "code" in error && error.code === "22012") return [];
  throw error;
};

/** The statement's first four parameters, one array each. */
const READ: readonly ((claim: Claim) => string | number)[] = [
  ({ key }) => key,
  ({ by }) => by,
  ({ limit }) => limit,
  ({ expiresAt }) => Math.min(Math.ceil(expiresAt), Number.MAX_SAFE_INTEGER),
];

/**
 * `cum` is what this and the earlier claims on the same key add together. An expired row counts as zero.
 * Rows are looked up one by one: a plan made while the table was small must not scan it when it has grown.
 */
const RESERVE = `
with claim as materialized (
  select n, key, by, lim, expires_at, sum(by) over (partition by key order by n) as cum
  from unnest($1::text[], $2::float8[], $3::float8[], $4::bigint[]) with ordinality as t(key, by, lim, expires_at, n)
), seen as materialized (
  select c.*, coalesce((select k.value from "_counters" k where k.key = c.key and k.expires_at > $5::bigint), 0) as value from claim c
), refused as materialized (
  select n, value + cum - by as value from seen where value + cum > lim or (by = 0 and value + cum >= lim) order by n limit 1
), written as (
  insert into "_counters" as k (key, value, expires_at)
  select key, sum(by), max(expires_at) from claim where not exists (select from refused)
  group by key having bool_or(by <> 0) order by key
  on conflict (key) do update
    set value = excluded.value + case when k.expires_at > $5::bigint then k.value else 0 end, expires_at = excluded.expires_at
    where not exists (
      select from claim c where c.key = excluded.key and case when k.expires_at > $5::bigint then k.value else 0 end + c.cum > c.lim
    )
  returning key, value
), complete as (
  select 1 / (count(*) = (select count(*) from written) or exists (select from refused))::int as one
  from (select from claim group by key having bool_or(by <> 0)) wanted
)
select (select n::int - 1 from refused) as refused,
  (select value from refused) as value,
  array(
    select coalesce(w.value - (select sum(by) from claim a where a.key = s.key), s.value) + s.cum
    from seen s left join written w on w.key = s.key order by s.n
  ) as values
from complete where one = 1`;
