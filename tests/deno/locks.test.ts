/** Whether a database file is still this process's is judged by the system's list of locks, which others change meanwhile. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printedOnDeno } from "./on-deno.ts";

test.skipIf(!existsSync("/proc/locks"))(
  "a lock that is held is seen on Deno at every look, while other programs take and leave theirs",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "locks-"));
    const others = ["a", "b", "c", "d"].map((name) => new Database(join(folder, `${name}.db`)));
    for (const other of others) other.run("create table t (a)");
    let isOver = false;
    const printed = printedOnDeno("locks.ts", [join(folder, "held.db")]).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      for (const other of others) other.run("begin immediate");
      for (const other of others) other.run("rollback");
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await printed).toEqual({ missed: 0 });
    for (const other of others) other.close();
    rmSync(folder, { recursive: true, force: true });
  },
  60_000,
);
