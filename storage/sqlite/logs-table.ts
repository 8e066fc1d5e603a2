import type { LogFacts, LogRow } from "#contract";
import { type Compact, expanded } from "./compact.ts";
import { inTransaction } from "./database.ts";
import type { Database, Value } from "./driver.ts";
import { COLUMNS, type LogValues } from "./logs-batch.ts";

const BATCH = 1000;

/** The log table as its Worker sees it. */
export interface LogsTable {
  write(batch: readonly LogValues[]): void;
  get(id: string): LogRow | undefined;
  /** What all rows hold. */
  bytes(): number;
  /** Deletes one batch of the rows that are older; says how many went. */
  pruneOlder(than: number): number;
  /** Deletes one batch of the oldest rows, no more than it takes to be rid of so many bytes. */
  pruneOldest(bytes: number): { readonly rows: number; readonly bytes: number };
}

interface Stored {
  id: string;
  organisation_id: string;
  workspace_id: string | null;
  created_at: number;
  trace_id: string;
  provider: string | null;
  model: string | null;
  status: number;
  cost_cents: number | null;
  input_tokens: number;
  output_tokens: number;
  response_time_ms: number;
  api_key_id: string | null;
  cache_status: string;
  metadata: string;
  facts: Compact | null;
  request: Compact | null;
  sent: Compact | null;
  response: Compact | null;
  hooks: Compact | null;
}

export const logsTable = (db: Database): LogsTable => {
  // A batch that is sent again replaces its rows.
  const writing = db.prepare<unknown, Value[]>(
    `insert or replace into "logs" (${COLUMNS.map((name) => `"${name}"`).join(", ")}) values (${COLUMNS.map(() => "?").join(", ")})`,
  );
  const reading = db.prepare<Stored, [string]>(`select * from "logs" where "id" = ?1`);
  const oldest = db.prepare<{ id: string; bytes: number }, []>(`select "id", "bytes" from "logs" order by "created_at" limit ${BATCH}`);
  const total = db.prepare<{ bytes: number }, []>(`select coalesce(sum("bytes"), 0) as "bytes" from "logs"`);
  const deletingOlder = db.prepare<unknown, [number]>(
    `delete from "logs" where "id" in (select "id" from "logs" where "created_at" < ?1 order by "created_at" limit ${BATCH})`,
  );
  const deleting = db.prepare<unknown, [string]>(`delete from "logs" where "id" in (select "value" from json_each(?1))`);
  /** Space that was pruned goes back to the file system, a little at a time. */
  const giveBack = (): unknown => db.run(`pragma incremental_vacuum(${BATCH})`);

  return {
    write: (batch) =>
      inTransaction(db, () => {
        for (const values of batch) writing.run(...values);
      }),
    get: (id) => {
      const stored = reading.get(id);
      return stored === null ? undefined : rowOf(stored);
    },
    pruneOlder: (than) => {
      const { changes } = deletingOlder.run(than);
      if (changes > 0) giveBack();
      return changes;
    },
    bytes: () => total.get()?.bytes ?? 0,
    pruneOldest: (wanted) => {
      const going: string[] = [];
      let gone = 0;
      for (const { id, bytes } of oldest.all()) {
        if (gone >= wanted) break;
        going.push(id);
        gone += bytes;
      }
      deleting.run(JSON.stringify(going));
      giveBack();
      return { rows: going.length, bytes: gone };
    },
  };
};

const rowOf = (stored: Stored): LogRow => ({
  id: stored.id,
  organisationId: stored.organisation_id,
  workspaceId: stored.workspace_id,
  createdAt: stored.created_at,
  traceId: stored.trace_id,
  provider: stored.provider,
  model: stored.model,
  status: stored.status,
  costCents: stored.cost_cents,
  inputTokens: stored.input_tokens,
  outputTokens: stored.output_tokens,
  responseTimeMs: stored.response_time_ms,
  apiKeyId: stored.api_key_id,
  cacheStatus: stored.cache_status,
  // Written by the functions above.
  metadata: JSON.parse(stored.metadata) as Record<string, string>,
  facts: stored.facts === null ? null : (JSON.parse(expanded(stored.facts)) as LogFacts),
  request: textOf(stored.request),
  sent: textOf(stored.sent),
  response: textOf(stored.response),
  hooks: textOf(stored.hooks),
});

const textOf = (stored: Compact | null): string | null => (stored === null ? null : expanded(stored));
