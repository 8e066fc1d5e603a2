import type { SQLQueryBindings } from "bun:sqlite";
import type { LogRow } from "#contract";

/*
 * Rows on their way to the Worker: one text. Each row is a line of JSON, the short columns and the lengths of the long
 * ones, and behind it the long ones as they are: neither thread writes or reads them as JSON again.
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
const LONG: Readonly<Record<string, (row: LogRow) => string | null>> = {
  facts: (row) => (row.facts === null ? null : JSON.stringify(row.facts)),
  request: (row) => row.request,
  sent: (row) => row.sent,
  response: (row) => row.response,
  hooks: (row) => row.hooks,
};
export const COLUMNS: readonly string[] = [...Object.keys(SHORT), ...Object.keys(LONG), "bytes"];
const READ_SHORT = Object.values(SHORT);
const READ_LONG = Object.values(LONG);

export const packed = (batch: readonly LogRow[]): string => batch.map(packedRow).join("");

/** The lengths stand in the line as numbers, `null` for a column without a value. JSON has no line ends. */
function packedRow(row: LogRow): string {
  const line: Short[] = [];
  for (const of of READ_SHORT) line.push(of(row));
  let texts = "";
  for (const of of READ_LONG) {
    const text = of(row);
    line.push(text === null ? null : text.length);
    if (text !== null) texts += text;
  }
  return `${JSON.stringify(line)}\n${texts}`;
}

export function unpacked(text: string): LogValues[] {
  const rows: LogValues[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const line = JSON.parse(text.slice(at, end)) as Short[]; // written by `packedRow`
    at = withTexts(line, text, end + 1);
    line.push(bytesOf(line));
    rows.push(line);
  }
  return rows;
}

/** Puts the texts where their lengths stand; says where the next row begins. */
function withTexts(line: Short[], text: string, from: number): number {
  let at = from;
  for (let column = READ_SHORT.length; column < line.length; column += 1) {
    const length = line[column];
    if (typeof length !== "number") continue;
    line[column] = text.slice(at, at + length);
    at += length;
  }
  return at;
}

/** Text at its length, anything else as a word. */
function bytesOf(line: readonly Short[]): number {
  let bytes = 0;
  for (const value of line) bytes += typeof value === "string" ? value.length : 8;
  return bytes;
}
