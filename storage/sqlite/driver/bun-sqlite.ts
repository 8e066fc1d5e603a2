import type { Database, Driver } from "../driver.ts";

/** What Bun brings: its databases are used as they are. */
export function bunSqlite(): Driver {
  const { Database: BunDatabase, SQLiteError } = process.getBuiltinModule("bun:sqlite") as typeof import("bun:sqlite"); // it says so itself
  return {
    // `bun:sqlite` takes the values of a statement as one argument too, which the compiler does not see through
    open: (path, { create = false } = {}) => new BunDatabase(path, { readwrite: true, create }) as unknown as Database,
    codeOf: (error) => (error instanceof SQLiteError ? (error.code ?? "") : undefined),
    pack: (text) => Bun.zstdCompressSync(text, { level: 1 }), // a fifth of what node:zlib takes
    unpack: Bun.zstdDecompressSync,
  };
}
