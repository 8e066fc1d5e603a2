import type { Sql } from "postgres";
import type { Json, LogRow, LogStore } from "#contract";
import type { Link } from "./link.ts";

/** One row per stored request. */
export const logsOver = (link: Link): LogStore => ({
  async write(batch) {
    const rows = [...new Map(batch.map((row) => [row.id, row])).values()]; // a statement may write a row once
    if (rows.length === 0) return;
    const stored = rows.map(storedOf);
    const columns = COLUMNS.map(([, , read]) => stored.map(read));
    await link.run("logs", ({ logs }) => logs.unsafe(INSERT, columns, { prepare: true }));
  },
  async get(id) {
    const rows = await link.run("logs", ({ logs }) => logs.unsafe<Json[]>(`select * from "logs" where id = $1`, [id], { prepare: true }));
    return rows[0] && rowOf(rows[0]);
  },
  async prune({ newerThan, maxBytes }) {
    let gone = await inBatches(link, (logs) => logs.unsafe(`${DELETE} where created_at < $2 ${OLDEST}`, [BATCH, Math.ceil(newerThan)]));
    const [full] = await link.run("logs", ({ logs }) => logs.unsafe<LogCursor[]>(NEWEST_OVER, [Math.floor(maxBytes)]));
    if (full === undefined) return gone;
    const upTo = [full.created_at, full.id];
    gone += await inBatches(link, (logs) => logs.unsafe(`${DELETE} where (created_at, id) <= ($2, $3) ${OLDEST}`, [BATCH, ...upTo]));
    return gone;
  },
});

const BATCH = 1000;
const DELETE = `delete from "logs" where id in (select id from "logs"`;
const OLDEST = "order by created_at, id limit $1)";
/** A row's place in time; bigint comes as text. */
interface LogCursor {
  readonly created_at: string;
  readonly id: string;
}
/** The newest row with which everything from it to now is larger than the bound. */
const NEWEST_OVER = `select created_at, id from (
  select created_at, id, sum(bytes) over (order by created_at desc, id desc) as total from "logs"
) newest where total > $1 order by created_at desc, id desc limit 1`;

/** Short statements, so that none holds locks for long or runs into its timeout. */
async function inBatches(link: Link, remove: (logs: Sql) => Promise<{ readonly count: number }>): Promise<number> {
  let gone = 0;
  for (;;) {
    const { count } = await link.run("logs", ({ logs }) => remove(logs));
    gone += count;
    if (count < BATCH) return gone;
  }
}

/** A row with its JSON as text, and how large it is. */
interface Stored {
  readonly row: LogRow;
  readonly metadata: string;
  readonly facts: string | null;
  readonly bytes: number;
}

function storedOf(row: LogRow): Stored {
  const metadata = JSON.stringify(row.metadata);
  const facts = row.facts === null ? null : JSON.stringify(row.facts);
  let bytes = COLUMN_BYTES;
  for (const text of [metadata, facts, row.request, row.sent, row.response, row.hooks])
    bytes += text === null ? 0 : Buffer.byteLength(text);
  return { row, metadata, facts, bytes };
}
/** About what the scalar columns and the indexes of a row take. */
const COLUMN_BYTES = 400;

type Scalar = string | number | null;
/** Column, type, value. */
const COLUMNS: readonly (readonly [string, string, (stored: Stored) => Scalar])[] = [
  ["id", "text", ({ row }) => row.id],
  ["organisation_id", "text", ({ row }) => row.organisationId],
  ["workspace_id", "text", ({ row }) => row.workspaceId],
  ["created_at", "bigint", ({ row }) => row.createdAt],
  ["trace_id", "text", ({ row }) => row.traceId],
  ["provider", "text", ({ row }) => row.provider],
  ["model", "text", ({ row }) => row.model],
  ["status", "integer", ({ row }) => row.status],
  ["cost_cents", "float8", ({ row }) => row.costCents],
  ["input_tokens", "bigint", ({ row }) => row.inputTokens],
  ["output_tokens", "bigint", ({ row }) => row.outputTokens],
  ["response_time_ms", "float8", ({ row }) => row.responseTimeMs],
  ["api_key_id", "text", ({ row }) => row.apiKeyId],
  ["cache_status", "text", ({ row }) => row.cacheStatus],
  ["metadata", "json", ({ metadata }) => metadata],
  ["facts", "json", ({ facts }) => facts],
  ["request", "text", ({ row }) => row.request],
  ["sent", "text", ({ row }) => row.sent],
  ["response", "text", ({ row }) => row.response],
  ["hooks", "text", ({ row }) => row.hooks],
  ["bytes", "integer", ({ bytes }) => bytes],
];

const names = COLUMNS.map(([name]) => name);
/** One array per column: the same statement for every size of batch. JSON travels as text. */
const INSERT = `insert into "logs" (${names.join(", ")})
select ${COLUMNS.map(([name, type]) => `${name}::${type}`).join(", ")}
from unnest(${COLUMNS.map(([, type], index) => `$${index + 1}::${type === "json" ? "text" : type}[]`).join(", ")}) as t(${names.join(", ")})
on conflict (id) do update set ${names
  .slice(1)
  .map((name) => `${name} = excluded.${name}`)
  .join(", ")}`;

/** The columns' types are those of the table above. */
const rowOf = (row: Json): LogRow => ({
  id: row["id"] as string,
  organisationId: row["organisation_id"] as string,
  workspaceId: row["workspace_id"] as string | null,
  createdAt: Number(row["created_at"]),
  traceId: row["trace_id"] as string,
  provider: row["provider"] as string | null,
  model: row["model"] as string | null,
  status: row["status"] as number,
  costCents: row["cost_cents"] as number | null,
  inputTokens: Number(row["input_tokens"]),
  outputTokens: Number(row["output_tokens"]),
  responseTimeMs: row["response_time_ms"] as number,
  apiKeyId: row["api_key_id"] as string | null,
  cacheStatus: row["cache_status"] as string,
  metadata: row["metadata"] as LogRow["metadata"],
  facts: row["facts"] as LogRow["facts"],
  request: row["request"] as string | null,
  sent: row["sent"] as string | null,
  response: row["response"] as string | null,
  hooks: row["hooks"] as string | null,
});
