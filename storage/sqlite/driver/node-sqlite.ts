import type { DatabaseSync, StatementSync } from "node:sqlite";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import zlib from "node:zlib";
import type { Database, Driver, Statement, Value } from "../driver.ts";

/** What Node and Deno bring. */
export function nodeSqlite(): Driver {
  const sqlite = process.getBuiltinModule("node:sqlite");
  return {
    open: (path, { create = false } = {}) =>
      new NodeDatabase(new sqlite.DatabaseSync(create ? path : existing(path), { enableForeignKeyConstraints: false })),
    codeOf,
    pack: (text) => zlib.zstdCompressSync(text, FAST),
    unpack: (stored) => zlib.zstdDecompressSync(stored),
  };
}
const FAST = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } };

/** Only so does SQLite refuse a file that is missing. */
const existing = (path: string): string => `${pathToFileURL(resolve(path)).href}?mode=rw`;

export class NodeDatabase implements Database {
  readonly #prepared = new Map<string, Statement<unknown, Value[]>>();
  constructor(readonly client: DatabaseSync) {}

  get inTransaction(): boolean {
    return this.client.isTransaction;
  }
  prepare<Row, Values extends Value[]>(sql: string): Statement<Row, Values> {
    return new NodeStatement<Row, Values>(this.client.prepare(sql.replace(/\$(\d+)/g, "?$1"))); // `$1` has to be given by name there
  }
  query<Row, Values extends Value[]>(sql: string): Statement<Row, Values> {
    const cached = this.#prepared.get(sql) as Statement<Row, Values> | undefined; // one text is always read as the same rows
    if (cached !== undefined) return cached;
    const statement = this.prepare<Row, Values>(sql);
    this.#prepared.set(sql, statement as Statement<unknown, Value[]>);
    return statement;
  }
  run(sql: string, values?: Value[]): unknown {
    return values === undefined ? this.client.exec(sql) : this.prepare<unknown, Value[]>(sql).run(...values);
  }
  close(): void {
    this.client.close();
  }
}

class NodeStatement<Row, Values extends Value[]> implements Statement<Row, Values> {
  constructor(private readonly statement: StatementSync) {}
  get(...values: Values): Row | null {
    return (this.statement.get(...values) ?? null) as Row | null; // its rows are what its text selects
  }
  all(...values: Values): Row[] {
    return this.statement.all(...values) as Row[];
  }
  run(...values: Values): { readonly changes: number } {
    return { changes: Number(this.statement.run(...values).changes) };
  }
  finalize(): void {
    // the database lets go of its statements when it is closed
  }
}

/** Result codes by number, as far as the store tells them apart; of the others the last byte is the family. */
const CODES: Readonly<Record<number, string>> = {
  3: "SQLITE_PERM",
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  7: "SQLITE_NOMEM",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  15: "SQLITE_PROTOCOL",
  19: "SQLITE_CONSTRAINT",
  23: "SQLITE_AUTH",
  26: "SQLITE_NOTADB",
  522: "SQLITE_IOERR_SHORT_READ",
  1555: "SQLITE_CONSTRAINT_PRIMARYKEY",
  2067: "SQLITE_CONSTRAINT_UNIQUE",
};

/** SQLite's own words, where Deno passes on nothing else: from `open` and from statements that are run without values. */
const WORDS: readonly (readonly [RegExp, number])[] = [
  [/^database (table )?is locked/, 5],
  [/^unable to open database file/, 14],
  [/^attempt to write a readonly database/, 8],
  [/^disk I\/O error/, 10],
  [/^database disk image is malformed/, 11],
  [/^database or disk is full/, 13],
  [/^locking protocol/, 15],
  [/^file is not a database/, 26],
  [/^out of memory/, 7],
];

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || (error as { code?: unknown }).code !== "ERR_SQLITE_ERROR") return undefined;
  const number = (error as { errcode?: number }).errcode ?? WORDS.find(([words]) => words.test(error.message))?.[1] ?? 1;
  return CODES[number] ?? CODES[number & 0xff] ?? "SQLITE_ERROR";
}
