import { randomUUID } from "node:crypto";
import type { Sql } from "postgres";
import { type Blobs, GatewayError } from "#contract";
import type { Link } from "./link.ts";
import { partsOf } from "./parts.ts";

/** Bytes of a part: what a process holds of a body at a time. */
const PART_BYTES = 256 * 1024;
/** A body that nobody has written on for so long has lost its writer; one that was replaced has lost its readers. */
const GRACE_MS = 3_600_000;

/** Bodies as rows of parts. A body becomes visible in one transaction, when all of its parts are there. */
export function blobsOver(link: Link, now: () => number): Blobs {
  const run = <T>(work: (main: Sql) => Promise<T>): Promise<T> => link.run("blobs", ({ main }) => work(main));
  const expiry = (): number => Math.ceil(now() + GRACE_MS);

  const write = async (id: string, body: ReadableStream<Uint8Array>): Promise<{ readonly parts: number; readonly bytes: number }> => {
    let [parts, bytes] = [0, 0];
    for await (const part of partsOf(body, PART_BYTES)) {
      const written = await run((main) => main.unsafe(WRITE_PART, [id, parts, part, expiry()], { prepare: true }));
      if (written.count === 0) throw lost(); // its writer took longer than the grace for one part
      parts += 1;
      bytes += part.byteLength;
    }
    return { parts, bytes };
  };
  const enter = (key: string, id: string, parts: number): Promise<unknown> =>
    run((main) =>
      main.begin(async (transaction) => {
        await transaction.unsafe(LOCK, [key]); // of two that end at once the second replaces the first
        await transaction.unsafe(REPLACE, [key, expiry()]);
        const entered = await transaction.unsafe(ENTER, [id, parts]);
        if (entered.count === 0) throw lost();
      }),
    );
  const discard = (id: string): Promise<unknown> => run((main) => main.unsafe(`delete from "_blobs" where id = $1`, [id]));

  return {
    async put(key, body) {
      const id = randomUUID();
      await run((main) => main.unsafe(BEGIN, [id, key, expiry()], { prepare: true }));
      try {
        const { parts, bytes } = await write(id, body);
        await enter(key, id, parts);
        return { bytes };
      } catch (error) {
        await discard(id).catch(() => undefined); // it expires
        throw error;
      }
    },
    async get(key) {
      const [found] = await run((main) => main.unsafe<{ id: string; parts: number }[]>(FIND, [key], { prepare: true }));
      return found && streamOf(found.parts, (number) => run((main) => readPart(main, found.id, number)));
    },
    async delete(key) {
      await run((main) => main.unsafe(`delete from "_blobs" where key = $1 and state <> 'writing'`, [key], { prepare: true }));
    },
  };
}

const LOCK = "select pg_advisory_xact_lock(hashtextextended('ai-gateway blob ' || $1, 0))";
const BEGIN = `insert into "_blobs" (id, key, state, parts, expires_at) values ($1, $2, 'writing', 0, $3)`;
const WRITE_PART = `with alive as (update "_blobs" set expires_at = $4 where id = $1 returning id)
insert into "_blob_parts" (blob_id, number, bytes) select id, $2, $3 from alive`;
const REPLACE = `update "_blobs" set state = 'replaced', expires_at = $2 where key = $1 and state = 'whole'`;
const ENTER = `update "_blobs" set state = 'whole', parts = $2, expires_at = null where id = $1`;
const FIND = `select id, parts from "_blobs" where key = $1 and state = 'whole'`;
const READ_PART = `select bytes from "_blob_parts" where blob_id = $1 and number = $2`;

/** One that was deleted under its reader is broken off, never cut short. */
async function readPart(main: Sql, id: string, number: number): Promise<Uint8Array> {
  const [row] = await main.unsafe<{ bytes: Buffer }[]>(READ_PART, [id, number], { prepare: true });
  if (row === undefined) throw lost();
  return new Uint8Array(row.bytes);
}
const lost = (): GatewayError => new GatewayError("STORAGE_UNAVAILABLE", { handle: "blobs" });

function streamOf(parts: number, read: (number: number) => Promise<Uint8Array>): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        if (next === parts) return controller.close();
        controller.enqueue(await read(next++));
      },
    },
    { highWaterMark: 0 },
  );
}
