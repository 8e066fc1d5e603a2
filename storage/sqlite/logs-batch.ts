import type { LogRow } from "#contract";
import { type Compact, compact } from "./compact.ts";
import type { Value } from "./driver.ts";

/*
 * Rows on their way to the Worker: one text. Each row is a line of JSON, the short columns and the lengths of the long
 * ones, and behind it the long ones as they are: neither thread writes or reads them as JSON again.
 */

/** One row as it is bound: the columns' values in their order, then the bytes they take. */
export type LogValues = readonly Value[];
type Short = string | number | null;

/** The short columns, then the long ones, in the order in which `packRow` writes them. */
const SHORT = [
  "id",
  "organisation_id",
  "workspace_id",
  "created_at",
  "trace_id",
  "provider",
  "model",
  "status",
  "cost_cents",
  "input_tokens",
  "output_tokens",
  "response_time_ms",
  "api_key_id",
  "cache_status",
  "metadata",
] as const;
const LONG = ["facts", "request", "sent", "response", "hooks"] as const;
export const COLUMNS: readonly string[] = [...SHORT, ...LONG, "bytes"];

/** One text is made of all parts at once: none is copied into a row before. */
export function packed(batch: readonly LogRow[]): string {
  const parts: string[] = [];
  for (const row of batch) packRow(row, parts);
  return parts.join("");
}

/** The lengths stand in the line as numbers, `null` for a column without a value. JSON has no line ends. */
function packRow(row: LogRow, parts: string[]): void {
  const { facts: factsJson, request, sent, response, hooks } = row;
  const facts = factsJson === null ? null : JSON.stringify(factsJson);
  const line: readonly Short[] = [
    row.id,
    row.organisationId,
    row.workspaceId,
    row.createdAt,
    row.traceId,
    row.provider,
    row.model,
    row.status,
    row.costCents,
    row.inputTokens,
    row.outputTokens,
    row.responseTimeMs,
    row.apiKeyId,
    row.cacheStatus,
    JSON.stringify(row.metadata),
    lengthOf(facts),
    lengthOf(request),
    lengthOf(sent),
    lengthOf(response),
    lengthOf(hooks),
  ];
  parts.push(JSON.stringify(line), "\n", facts ?? "", request ?? "", sent ?? "", response ?? "", hooks ?? "");
}
const lengthOf = (text: string | null): number | null => (text === null ? null : text.length);

export function unpacked(text: string): LogValues[] {
  const rows: LogValues[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const line = JSON.parse(text.slice(at, end)) as (Short | Compact)[]; // written by `packRow`
    at = withTexts(line, text, end + 1);
    rows.push(line);
  }
  return rows;
}

/** Puts the texts where their lengths stand, and behind them what the row takes; says where the next row begins. */
function withTexts(line: (Short | Compact)[], text: string, from: number): number {
  let at = from;
  let bytes = 0;
  for (let column = 0; column < SHORT.length; column += 1) bytes += lengthIn(line[column]);
  for (let column = SHORT.length; column < COLUMNS.length - 1; column += 1) {
    const length = line[column];
    bytes += typeof length === "number" ? length : WORD;
    if (typeof length !== "number") continue;
    line[column] = compact(text.slice(at, at + length));
    at += length;
  }
  line.push(bytes);
  return at;
}

/** Text counts at its length, however it is stored; anything else as a word. */
const lengthIn = (value: unknown): number => (typeof value === "string" ? value.length : WORD);
const WORD = 8;
