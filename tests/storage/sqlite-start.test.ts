/* A start on files that cannot be used: the error names the file, the cause and what to do, and nothing is written to them. */
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayError } from "#contract";
import { archive as sqliteArchive } from "../../storage/sqlite/archive.ts";
import { openDatabase } from "../../storage/sqlite/database.ts";
import { connectSqlite } from "../../storage/sqlite/index.ts";

setDefaultTimeout(60_000); // processes are started, and bytes go to the disk

const archive = "elsewhere" in sqliteArchive ? expect.unreachable() : sqliteArchive;

const root = mkdtempSync(join(tmpdir(), "gateway-sqlite-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const child = (...args: readonly string[]) =>
  Bun.spawnSync([process.execPath, join(import.meta.dir, "sqlite-child.ts"), ...args], { stdout: "pipe", stderr: "pipe" });

/** A folder as a gateway leaves it; filled by a process that has ended, so that nobody has it open. */
const filled = join(root, "filled");
mkdirSync(filled);
child("fill", filled);
for (const file of ["main.db", "logs.db"]) {
  const db = new Database(join(filled, file));
  db.run("pragma wal_checkpoint(truncate)"); // nothing is left in the journals
  db.close(true);
}
const copyOfFilled = (): string => {
  const dir = join(root, crypto.randomUUID());
  cpSync(filled, dir, { recursive: true });
  return dir;
};

/** What the start fails with. */
async function failure(dir: string): Promise<GatewayError> {
  const host = { log: () => undefined, now: Date.now };
  try {
    const running = connectSqlite(host, { dir, busyTimeoutMs: 200 });
    await running.ready?.().finally(() => running.close?.());
  } catch (error) {
    if (GatewayError.is(error)) return error;
    throw error;
  }
  throw new Error("it started");
}

/** Zeroes in the middle of a file, as a disk leaves them. */
function zero(path: string, from: number, length: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0, from, from + length);
  writeFileSync(path, bytes);
}
const sizeOf = (path: string): number => statSync(path).size;

const SPOILT: Readonly<Record<string, readonly [spoil: (path: string) => void, why: RegExp]>> = {
  "that is zero in the middle": [
    (path) => zero(path, Math.floor(sizeOf(path) / 2 / 4096) * 4096, 16 * 4096),
    /its content is damaged \(.+\)/,
  ],
  "that was cut short": [(path) => truncateSync(path, Math.floor(sizeOf(path) / 3)), /its content is damaged \(.+\)/],
  "that is something else": [
    (path) => writeFileSync(path, "no database, though it lies here ".repeat(1000)),
    /it is not a SQLite database/,
  ],
};
const RESTORE = /Put a backup back with "gateway restore <folder>", or move (\w+\.db), \1-wal, \1-shm away/;

for (const file of ["main.db", "logs.db"]) {
  describe(file, () => {
    for (const [how, [spoil, why]] of Object.entries(SPOILT)) {
      test(`${how} is named, with the cause and how to put a backup back, and stays as it is`, async () => {
        const path = join(copyOfFilled(), file);
        spoil(path);
        const before = readFileSync(path);
        const error = await failure(join(path, ".."));
        expect(error.code).toBe("STORAGE_UNUSABLE");
        expect(error.message).toStartWith(`${path} cannot be used: `);
        expect(error.message).toMatch(why);
        expect(error.message).toMatch(RESTORE);
        expect(readFileSync(path).equals(before)).toBe(true);
      });
    }
    test("that is a folder is named, and that it must go", async () => {
      const dir = copyOfFilled();
      rmSync(join(dir, file));
      mkdirSync(join(dir, file));
      expect((await failure(dir)).message).toBe(
        `${join(dir, file)} cannot be used: it is a folder, where a file should be. Move it away, or name another folder in GATEWAY_DATA_DIR.`,
      );
    });
    test("that this user may only read is named, with whose it should be", () => {
      const dir = openToAll(copyOfFilled());
      chmodSync(join(dir, file), 0o444);
      expect(startAsOther(dir)).toContain(
        `${join(dir, file)} cannot be used: user ${OTHER} may not write to it. Give it to the user that runs the gateway`,
      );
      expect((statSync(join(dir, file)).mode & 0o777).toString(8)).toBe("444");
    });
  });
}

test("a database that is there is opened and closed without a write to it", () => {
  const path = join(copyOfFilled(), "logs.db");
  const before = readFileSync(path);
  const db = openDatabase(path, 200);
  db.query(`select 1 from "sqlite_master"`).get();
  db.close(true);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("main.db that was cut to nothing does not pass for a new one", async () => {
  const dir = copyOfFilled();
  truncateSync(join(dir, "main.db"), 0);
  const { message } = await failure(dir);
  expect(message).toContain(`${join(dir, "main.db")} cannot be used: it is empty, and logs.db beside it is not. Put a backup back`);
});

/** A folder as kill -9 leaves it: what was written last is in the journals. */
const killed = join(root, "killed");
const writer = Bun.spawn([process.execPath, join(import.meta.dir, "sqlite-child.ts"), "write", killed], {
  stdout: "pipe",
  stderr: "inherit",
});
for await (const part of writer.stdout.pipeThrough(new TextDecoderStream())) if (part.includes("counted")) break;
writer.kill("SIGKILL");
await writer.exited;
const copyOfKilled = (): string => {
  const dir = join(root, crypto.randomUUID());
  cpSync(killed, dir, { recursive: true });
  return dir;
};
const EMPTIED: Readonly<Record<string, (path: string) => void>> = {
  missing: (path) => rmSync(path),
  empty: (path) => truncateSync(path, 0),
};
const JOURNAL_KEPT = /still holds what was written last/;

for (const file of ["main.db", "logs.db"]) {
  for (const [how, spoil] of Object.entries(EMPTIED)) {
    test(`${file} that is ${how} beside a filled journal does not pass for a new one, and the journal stays`, async () => {
      const dir = copyOfKilled();
      const path = join(dir, file);
      const journal = readFileSync(`${path}-wal`);
      expect(journal.length).toBeGreaterThan(0);
      spoil(path);
      const { code, message } = await failure(dir);
      expect(code).toBe("STORAGE_UNUSABLE");
      expect(message).toStartWith(`${path} cannot be used: it is ${how}, and ${file}-wal beside it still holds what was written last`);
      expect(message).toMatch(RESTORE);
      expect(readFileSync(`${path}-wal`).equals(journal)).toBe(true);
    });
    test(`a backup of a folder whose ${file} is ${how} beside a filled journal says so, and the journal stays`, async () => {
      const dir = copyOfKilled();
      const path = join(dir, file);
      const journal = readFileSync(`${path}-wal`);
      spoil(path);
      const to = join(root, crypto.randomUUID());
      mkdirSync(to);
      const said = await archive.backUp({ dir, busyTimeoutMs: 200 }, to, () => undefined).then(() => "", String);
      expect(said).toMatch(JOURNAL_KEPT);
      expect(readFileSync(`${path}-wal`).equals(journal)).toBe(true);
    });
    test(`a restore into a folder whose ${file} is ${how} beside a filled journal keeps the journal with what it replaces`, async () => {
      const dir = copyOfKilled();
      const journal = readFileSync(join(dir, `${file}-wal`));
      spoil(join(dir, file));
      const from = join(root, crypto.randomUUID());
      mkdirSync(from);
      await archive.backUp({ dir: copyOfFilled(), busyTimeoutMs: 200 }, from, () => undefined);
      const prepared = await archive.restore({ dir, busyTimeoutMs: 200 }, from, () => undefined);
      await prepared.replace("replaced");
      expect(readFileSync(join(dir, "replaced", `${file}-wal`)).equals(journal)).toBe(true);
    });
  }
}
test("logs.db that was cut to nothing does not pass for a new one either", async () => {
  const dir = copyOfFilled();
  truncateSync(join(dir, "logs.db"), 0);
  const { message } = await failure(dir);
  expect(message).toContain(`${join(dir, "logs.db")} cannot be used: it is empty, and main.db beside it is not. Put a backup back`);
  expect(sizeOf(join(dir, "logs.db"))).toBe(0);
});
test("logs.db that was moved away begins anew, and so does one that a first start left empty", async () => {
  const moved = copyOfFilled();
  rmSync(join(moved, "logs.db"));
  const begun = join(root, crypto.randomUUID());
  mkdirSync(begun);
  writeFileSync(join(begun, "logs.db"), "");
  for (const dir of [moved, begun]) {
    child("start", dir);
    expect(sizeOf(join(dir, "logs.db"))).toBeGreaterThan(0);
  }
});

test("a folder that this user may not write to is named", () => {
  const dir = openToAll(copyOfFilled());
  chmodSync(dir, 0o555);
  expect(startAsOther(dir)).toContain(`user ${OTHER} may not write to its folder ${dir}. Give it to the user that runs the gateway`);
});

test("a folder of blobs that this user may not write to is named", () => {
  const dir = openToAll(copyOfFilled());
  chmodSync(join(dir, "blobs"), 0o555);
  expect(startAsOther(dir)).toContain(`${join(dir, "blobs")} cannot be used: user ${OTHER} may not write to it`);
});
test("a file in the place of the folder of blobs, and of the data folder, is named", async () => {
  const dir = copyOfFilled();
  rmSync(join(dir, "blobs"), { recursive: true });
  writeFileSync(join(dir, "blobs"), "");
  expect((await failure(dir)).message).toContain(`${join(dir, "blobs")} cannot be used: there is a file where the folder should be`);
  expect((await failure(join(dir, "blobs"))).message).toContain(`${join(dir, "blobs")} cannot be used: there is a file where`);
});

test("a disk that takes no more is named with what it refused", () => {
  const dir = join(root, crypto.randomUUID());
  const script = `trap '' XFSZ; ulimit -f 8; exec "$0" "$@"`; // files of a few kilobytes: the smallest disk there is
  const { stderr } = Bun.spawnSync(["sh", "-c", script, process.execPath, join(import.meta.dir, "sqlite-child.ts"), "start", dir], {
    stderr: "pipe",
    env: { ...process.env, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
  });
  expect(stderr.toString()).toMatch(/main\.db cannot be used: (the disk refused to read or write it|the disk is full)/);
});

test("a database that another program keeps locked is named, with what holds it up", async () => {
  const dir = copyOfFilled();
  const holder = Bun.spawn([process.execPath, join(import.meta.dir, "sqlite-child.ts"), "hold", dir], {
    stdout: "pipe",
    stderr: "inherit",
  });
  await holder.stdout.getReader().read(); // it says so once it holds it
  expect((await failure(dir)).message).toContain(
    `${join(dir, "main.db")} cannot be used: another program keeps it locked. Stop that program`,
  );
  holder.kill();
  await holder.exited;
});

/** Nobody's number: root may write everywhere. */
const OTHER = process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0);
function openToAll(dir: string): string {
  for (const folder of [root, dir, join(dir, "blobs")]) chmodSync(folder, 0o777);
  for (const file of readdirSync(dir).filter((name) => name.includes(".db"))) chmodSync(join(dir, file), 0o666);
  return dir;
}
/** Starts as a user that is not root, and says what it failed with. */
const startAsOther = (dir: string): string => child("start-as", dir, String(OTHER)).stderr.toString();
