/* Rows on their way to the log Worker: whatever is in them, the columns come out as they went in. */
import { describe, expect, test } from "bun:test";
import type { LogRow } from "#contract";
import { expanded } from "../../storage/sqlite/compact.ts";
import { COLUMNS, packed, unpacked } from "../../storage/sqlite/logs-batch.ts";
import { logRow } from "../kit/storage/logs.ts";

/** What is to be bound for a row, by column. */
const columnsOf = (row: LogRow): Readonly<Record<string, unknown>> => ({
  id: row.id,
  organisation_id: row.organisationId,
  workspace_id: row.workspaceId,
  created_at: row.createdAt,
  trace_id: row.traceId,
  provider: row.provider,
  model: row.model,
  status: row.status,
  cost_cents: row.costCents,
  input_tokens: row.inputTokens,
  output_tokens: row.outputTokens,
  response_time_ms: row.responseTimeMs,
  api_key_id: row.apiKeyId,
  cache_status: row.cacheStatus,
  metadata: JSON.stringify(row.metadata),
  facts: row.facts === null ? null : JSON.stringify(row.facts),
  request: row.request,
  sent: row.sent,
  response: row.response,
  hooks: row.hooks,
  bytes: expect.any(Number),
});
const named = (batch: readonly LogRow[]): readonly Readonly<Record<string, unknown>>[] =>
  unpacked(packed(batch)).map((values) => {
    expect(values).toHaveLength(COLUMNS.length);
    return Object.fromEntries(COLUMNS.map((name, index) => [name, read(values[index])]));
  });
const read = (value: unknown): unknown => (value instanceof Uint8Array ? expanded(value) : value);

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What texts are made of: all that the packed form is made of itself, and characters of every width. */
const PIECES = [
  "\n",
  "\r\n",
  "\n\n",
  "[",
  "]\n",
  '["a",null,1]\n',
  "null",
  "0",
  "17",
  ",",
  '"',
  "\\",
  '\\"',
  "\\n",
  "{",
  "}",
  "word",
  "é",
  "€",
  "😀",
  "\u{10ffff}",
  "\ud83d",
  "\ude00",
  "\0",
  "\u2028",
  "x".repeat(300),
  packed([logRow({ id: "inner" })]),
] as const;

/** Rows whose texts are made of the pieces, empty or absent, as the numbers have it. */
function rowsFrom(seed: number): readonly LogRow[] {
  const next = numbersFrom(seed);
  const below = (bound: number): number => Math.floor(next() * bound);
  const text = (): string => Array.from({ length: below(5) }, () => PIECES[below(PIECES.length)] ?? "").join("");
  const maybe = <T>(value: () => T): T | null => (next() < 0.25 ? null : value());
  return Array.from({ length: below(6) }, () =>
    logRow({
      id: text(),
      traceId: text(),
      workspaceId: maybe(text),
      provider: maybe(text),
      model: maybe(text),
      costCents: maybe(() => next() / 1e6),
      inputTokens: below(Number.MAX_SAFE_INTEGER),
      responseTimeMs: below(1e6) + next(),
      apiKeyId: maybe(text),
      metadata: Object.fromEntries(Array.from({ length: below(3) }, () => [text(), text()])),
      facts: maybe(() => ({ ...(logRow().facts ?? expect.unreachable()), url: text(), headers: { [text()]: text() } })),
      request: maybe(text),
      sent: maybe(text),
      response: maybe(text),
      hooks: maybe(text),
    }),
  );
}

test("a thousand batches of texts of every kind give their columns back", () => {
  let rows = 0;
  for (let seed = 1; seed <= 1_000; seed += 1) {
    const batch = rowsFrom(seed);
    rows += batch.length;
    expect({ seed, columns: named(batch) }).toEqual({ seed, columns: batch.map(columnsOf) });
  }
  expect(rows).toBeGreaterThan(2_000);
});

describe("a batch", () => {
  test("of nothing is nothing", () => expect(unpacked(packed([]))).toEqual([]));
  test("keeps an empty text apart from none, in each column by itself", () => {
    for (const column of ["request", "sent", "response", "hooks"] as const) {
      const none = { request: null, sent: null, response: null, hooks: null };
      const [row] = named([logRow({ ...none, [column]: "" })]);
      expect({ column, row }).toMatchObject({ column, row: { ...none, [column]: "" } });
    }
  });
  test("keeps a number in a text a text, beside the lengths that are numbers", () =>
    expect(named([logRow({ request: "12", sent: "0", response: "null", hooks: "-1" })])).toMatchObject([
      { request: "12", sent: "0", response: "null", hooks: "-1" },
    ]));
  test("keeps the rows behind one with a long text of wide characters in their places", () => {
    const batch = [logRow({ request: "😀\n".repeat(100_000), sent: null }), logRow({ response: "€" }), logRow({ facts: null })];
    expect(named(batch)).toEqual(batch.map(columnsOf));
  });
  test("binds the wire text of a stream at a tenth of its length or less, and what is short as it is", () => {
    const stream = Array.from({ length: 200 }, (_, i) => `data: {"id":"c","choices":[{"index":0,"delta":{"content":"word ${i}"}}]}\n\n`);
    const [values] = unpacked(packed([logRow({ request: "short", response: stream.join("") })]));
    const bound = (name: string): unknown => values?.[COLUMNS.indexOf(name)];
    expect(bound("request")).toBe("short");
    expect(bound("response")).toBeInstanceOf(Uint8Array);
    expect((bound("response") as Uint8Array).length).toBeLessThan(stream.join("").length / 10);
    expect(read(bound("response"))).toBe(stream.join(""));
  });
  test("keeps a long text that begins with a byte order mark", () => {
    const marked = `\ufeff${"x".repeat(20_000)}`;
    expect(named([logRow({ response: marked })])).toMatchObject([{ response: marked }]);
  });
  test("says of each row how many bytes it takes, no less than its texts are long", () => {
    const bytesOf = (row: LogRow): number => Number(named([row])[0]?.["bytes"]);
    const bare = logRow({ facts: null, request: null, sent: null, response: null, hooks: null });
    const long = "x".repeat(1_000);
    expect(bytesOf(bare)).toBeGreaterThan(0);
    for (const column of ["request", "sent", "response", "hooks"])
      expect({ column, more: bytesOf({ ...bare, [column]: long }) - bytesOf(bare) >= 990 }).toEqual({ column, more: true });
  });
});
