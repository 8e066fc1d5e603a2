import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, unlinkSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { GatewayError, messageOf, type PreparedRestore } from "#contract";
import { type Migration, pendingMigrations } from "../tables/migrate.ts";
import { judgeCopy } from "./backup.ts";
import type { SqliteConfig } from "./config.ts";
import { open } from "./driver.ts";
import { MIGRATIONS as LOGS_MIGRATIONS } from "./logs-migrations/index.ts";
import { MIGRATIONS } from "./migrations/index.ts";
import { holdFree } from "./in-use.ts";
import { makePrivateFile, syncFile } from "./private-file.ts";
import { markerIn } from "./restore-marker.ts";
import { savedOf } from "./saved.ts";
import { opening } from "./unusable.ts";

/** What a copy is made of, in the order in which it is put in place. */
const DATABASES = { "main.db": MIGRATIONS, "logs.db": LOGS_MIGRATIONS } as const satisfies Record<string, readonly Migration[]>;
const PLACES = ["main.db", "logs.db", "blobs"] as const;
const SIDES = ["main.db-wal", "main.db-shm", "logs.db-wal", "logs.db-shm"] as const;

/** Copies everything beside its place and judges it there; only then is anything moved. */
export async function restore(
  { dir, allowDestructiveMigration }: SqliteConfig,
  folder: string,
  tell: (line: string) => void,
): Promise<PreparedRestore> {
  opening(dir, () => mkdirSync(dir, { recursive: true, mode: 0o700 }));
  holdFree(dir).release();
  const staged = opening(dir, () => mkdtempSync(join(dir, "restoring-")));
  const discard = async (): Promise<void> => rmSync(staged, { recursive: true, force: true });
  try {
    for (const [name, migrations] of Object.entries(DATABASES)) {
      if (!existsSync(join(folder, name))) {
        if (name !== "logs.db") throw refused(`${folder} holds no ${name}`);
        tell(`${name}  not in this copy: the gateway begins without logs`); // older builds made such copies
        continue;
      }
      await copyPrivate(join(folder, name), join(staged, name));
      judgeBackup(join(folder, name), () => {
        judgeCopy(join(staged, name));
        judgeMigrations(join(staged, name), migrations, allowDestructiveMigration);
      });
      tell(`${name}  checked`);
    }
    tell(`blobs  ${await stageBlobs(join(folder, "blobs"), staged)} checked`);
    refuseMissingBlobs(staged);
    for (const side of SIDES) rmSync(join(staged, side), { force: true });
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    replace: async (aside) => replace(dir, staged, aside),
    discard,
  };
}

/** What is wrong is wrong with the backup, though it was found in a copy of it. */
function judgeBackup(file: string, judge: () => void): void {
  try {
    judge();
  } catch (error) {
    if (!GatewayError.is(error) || error.code !== "STORAGE_UNUSABLE") throw error;
    throw refused(`${file} cannot be put in place: ${error.details["why"]}. Take another backup where this one is damaged`);
  }
}

const refused = (why: string): GatewayError => new GatewayError("BACKUP_REFUSED", { why });

async function copyPrivate(from: string, to: string): Promise<void> {
  makePrivateFile(to);
  await copyFile(from, to);
  chmodSync(to, 0o600); // a copy that travelled may be open to others
  syncFile(to);
}

/** Would this build open it? Asked now, not by the start that needs it. */
function judgeMigrations(path: string, migrations: readonly Migration[], allowDestructive: string | undefined): void {
  const db = open(path);
  try {
    const applied = db.query<Record<string, unknown>, []>(`select "id", "checksum" from "_migrations" order by "id"`).all();
    pendingMigrations(applied, { migrations, allowDestructive });
  } catch (error) {
    throw GatewayError.is(error) ? error : refused(`${path} is no database of a gateway: ${messageOf(error)}`);
  } finally {
    db.close();
  }
}

async function stageBlobs(from: string, staged: string): Promise<number> {
  const to = join(staged, "blobs");
  mkdirSync(to, { mode: 0o700 });
  const files = existsSync(from) ? readdirSync(from) : [];
  for (const file of files) await copyPrivate(join(from, file), join(to, file));
  return files.length;
}

function refuseMissingBlobs(staged: string): void {
  const db = open(join(staged, "main.db"));
  const entries = db.query<{ file: string; bytes: number }, []>(`select "file", "bytes" from "_blobs"`).all();
  db.close();
  const lost = entries.find(({ file, bytes }) => statSync(join(staged, "blobs", file), { throwIfNoEntry: false })?.size !== bytes);
  if (lost) throw refused(`the backup is not whole: the file ${lost.file} of its blobs is missing or cut`);
}

/** Each step is one rename. The marker says that they belong together: no gateway starts while it is there. */
function replace(dir: string, staged: string, aside: string): string {
  const free = holdFree(dir);
  const marker = markerIn(dir);
  if (!existsSync(marker)) makePrivateFile(marker);
  syncFile(dir);
  free.release();
  const kept = join(dir, aside);
  mkdirSync(kept, { mode: 0o700 });
  const saved = [...savedOf(join(dir, "main.db")), ...savedOf(join(dir, "logs.db"))];
  for (const name of [...SIDES, ...saved, ...PLACES]) move(join(dir, name), join(kept, name));
  for (const name of PLACES) move(join(staged, name), join(dir, name));
  rmdirSync(staged);
  syncFile(kept);
  syncFile(dir);
  unlinkSync(marker);
  syncFile(dir);
  return kept;
}

const move = (from: string, to: string): void => {
  if (existsSync(from)) renameSync(from, to);
};
