import { constants } from "node:fs";
import { access, type FileHandle, mkdir, open, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type Blobs, GatewayError } from "#contract";
import { type Connection, inTransaction } from "./database.ts";
import { syncFile } from "./private-file.ts";
import { unusable } from "./unusable.ts";

const PART_BYTES = 64 * 1024;
const ORPHAN_AGE_MS = 3_600_000;

/** Bodies as files of their own, found through an index table. A body becomes visible when its index row is written. */
export const sqliteBlobs = (connection: Connection, dir: string, now: () => number): { readonly handle: Blobs; ready(): Promise<void> } => {
  const { db } = connection;
  const finding = db.prepare<{ file: string }, [string]>(`select "file" from "_blobs" where "key" = ?1`);
  const indexing = db.prepare<unknown, [string, string, number, number]>(
    `insert or replace into "_blobs" ("key", "file", "bytes", "created_at") values (?1, ?2, ?3, ?4)`,
  );
  const deleting = db.prepare<{ file: string }, [string]>(`delete from "_blobs" where "key" = ?1 returning "file"`);
  const knowing = db.prepare<{ found: number }, [string]>(`select 1 as "found" from "_blobs" where "file" = ?1`);

  /** Enters the new file and returns the one it replaces. */
  const enter = (key: string, file: string, bytes: number): string | undefined =>
    connection.write("blobs", () =>
      inTransaction(db, () => {
        const old = finding.get(key)?.file;
        indexing.run(key, file, bytes, now());
        return old;
      }),
    );
  const fileOf = (key: string): string | undefined => connection.run("blobs", () => finding.get(key)?.file);

  return {
    handle: {
      put: async (key, body) => {
        fileOf(key);
        const file = crypto.randomUUID();
        try {
          const bytes = await write(join(dir, file), body);
          syncFile(dir); // its name is on the disk before its index entry is
          const old = enter(key, file, bytes);
          if (old !== undefined) await discard(join(dir, old));
          return { bytes };
        } catch (error) {
          await discard(join(dir, file));
          throw error;
        }
      },
      get: async (key) => {
        for (let file = fileOf(key), before: string | undefined; file !== undefined; before = file, file = fileOf(key)) {
          const handle = await open(join(dir, file), "r").catch(missing);
          if (handle !== undefined) return streamOf(handle);
          // Replaced or deleted since the index was read: look again. The same name again means the file is lost.
          if (file === before) throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "blobs" });
        }
        return undefined;
      },
      delete: async (key) => {
        const old = connection.write("blobs", () => deleting.get(key)?.file);
        if (old !== undefined) await discard(join(dir, old));
      },
    },
    ready: async () => {
      await makeUsable(dir);
      await removeOrphans(dir, now() - ORPHAN_AGE_MS, (file) => connection.run("blobs", () => knowing.get(file) !== null));
    },
  };
};

/** Found at the start, not by the first body that has nowhere to go. */
const makeUsable = async (dir: string): Promise<void> => {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await access(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(dir, error);
  }
};

const write = async (path: string, body: ReadableStream<Uint8Array>): Promise<number> => {
  const file = await open(path, "wx", 0o600).catch(away);
  try {
    let bytes = 0;
    for await (const part of body) {
      await file.appendFile(part).catch(away);
      bytes += part.byteLength;
    }
    await file.sync().catch(away);
    return bytes;
  } finally {
    await file.close();
  }
};

const streamOf = (file: FileHandle): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        const { bytesRead, buffer } = await file.read(new Uint8Array(PART_BYTES), 0, PART_BYTES, null);
        if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead));
        await file.close();
        controller.close();
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );

/** What a process that was killed while writing left behind. Young files may belong to a write that goes on. */
const removeOrphans = async (dir: string, before: number, isInUse: (file: string) => boolean): Promise<void> => {
  for (const file of await readdir(dir)) {
    if (isInUse(file)) continue;
    const found = await stat(join(dir, file)).catch(missing);
    if (found !== undefined && found.mtimeMs < before) await discard(join(dir, file));
  }
};

/** A file that is gone already is as good as removed; one that cannot be removed is an orphan for the next start. */
const discard = (path: string): Promise<void> => unlink(path).catch(() => undefined);

const away = (error: unknown): never => {
  throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "blobs" }, { cause: error });
};
const missing = (error: unknown): undefined => {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  return away(error);
};
