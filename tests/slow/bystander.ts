/* A program of its own that looks at database files as a backup script or a shell would: open, read, close. `<file> …` */
import { constants, Database, SQLiteError } from "bun:sqlite";
import { closeSync, openSync, readSync } from "node:fs";

const files = process.argv.slice(2);
for (;;) {
  for (const file of files) {
    readAsBytes(file);
    readAsDatabase(file, "normal");
    readAsDatabase(file, "exclusive");
  }
  process.stdout.write("looked\n");
}

function readAsBytes(file: string): void {
  const descriptor = openSync(file, "r");
  readSync(descriptor, new Uint8Array(4096));
  closeSync(descriptor);
}

/**
 * The last connection to leave a database removes its journal. SQLite up to 3.50 judges by the lock of the database file
 * alone who is the last; this runtime's newer one does so in exclusive mode.
 */
function readAsDatabase(file: string, mode: "normal" | "exclusive"): void {
  const db = new Database(file, { readwrite: true });
  db.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, new Int32Array(2));
  db.run(`pragma locking_mode = ${mode}`);
  try {
    db.run(`create temp table "seen" as select "name" from "sqlite_master"`);
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error; // busy, as a rule: somebody has it open
  }
  db.close(true);
}
