import type { SQLQueryBindings } from "bun:sqlite";
import type { LogRow } from "#contract";

/*
 * Rows on their way to the Worker: one text, three lines of JSON for each row. A text crosses between threads for a
 * tenth of what the same rows cost as objects, and the long columns are written as they arrive. JSON has no line ends.
 */

/** One row as it is bound: the columns' values in their order, then the bytes they take. */
export type LogValues = readonly SQLQueryBindings[];
type Short = string | number | null;

const SHORT: Readonly<Record<string, (row: LogRow) => Short>> = {
  id: (row) => row.id,
  organisation_id: (row) => row.organisationId,
  workspace_id: (row) => row.workspaceId,
  created_at: (row) => row.createdAt,
  trace_id: (row) => row.traceId,
  provider: (row) => row.provider,
  model: (row) => row.model,
  status: (row) => row.status,
  cost_cents: (row) => row.costCents,
  input_tokens: (row) => row.inputTokens,
  output_tokens: (row) => row.outputTokens,
  response_time_ms: (row) => row.responseTimeMs,
  api_key_id: (row) => row.apiKeyId,
  cache_status: (row) => row.cacheStatus,
  metadata: (row) => JSON.stringify(row.metadata),
};
export const COLUMNS: readonly string[] = [...Object.keys(SHORT), "detail", "hooks", "bytes"];
const READ_SHORT = Object.values(SHORT);

export const packed = (batch: readonly LogRow[]): string => batch.map(lines).join("\n");

const lines = (row: LogRow): string =>
  `${JSON.stringify(READ_SHORT.map((of) => of(row)))}\n${JSON.stringify(row.detail)}\n${JSON.stringify(row.hooks)}`;

export function unpacked(text: string): LogValues[] {
  const found = text.split("\n");
  const rows: LogValues[] = [];
  for (let at = 0; at + 2 < found.length; at += 3) rows.push(values(found[at] ?? "", found[at + 1] ?? "", found[at + 2] ?? ""));
  return rows;
}

function values(short: string, detail: string, hooks: string): LogValues {
  const row: Short[] = [...(JSON.parse(short) as Short[]), detail, hooks === "null" ? null : hooks]; // written by `lines`
  let bytes = 0; // text at its length, anything else as a word
  for (const value of row) bytes += typeof value === "string" ? value.length : 8;
  row.push(bytes);
  return row;
}
