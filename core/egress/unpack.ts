import { PassThrough, pipeline, Readable, type Transform } from "node:stream";
import zlib from "node:zlib";
import type { WebReader } from "./answer.ts";

/**
 * Unpacks bodies that come packed although none was asked for. The runtime would unpack all that has arrived in one
 * go: a kilobyte may hold a gigabyte. Here each step gives a piece of bounded size, and only when it is asked for.
 */
const STEP_BYTES = 64 * 1024;
/** Packed bytes given to a step at once. */
const FEED_BYTES = 16 * 1024;
const OPTIONS = { chunkSize: STEP_BYTES };

type Make = (firstByte: number) => Transform;
const UNPACKERS: Readonly<Record<string, Make>> = {
  gzip: () => zlib.createGunzip(OPTIONS),
  "x-gzip": () => zlib.createGunzip(OPTIONS),
  br: () => zlib.createBrotliDecompress(OPTIONS),
  zstd: () => zlib.createZstdDecompress(OPTIONS),
  // Servers send it with the header it should have, or without.
  deflate: (firstByte) => ((firstByte & 15) === 8 ? zlib.createInflate(OPTIONS) : zlib.createInflateRaw(OPTIONS)),
};
/** More layers than any server has a reason for. */
const MAX_LAYERS = 2;

/** What has to be undone, the last first; names that are no packing are passed over. */
export const packings = (contentEncoding: string | null): readonly string[] =>
  contentEncoding === null
    ? NONE
    : contentEncoding
        .split(",")
        .map((name) => name.trim().toLowerCase())
        .filter((name) => Object.hasOwn(UNPACKERS, name))
        .reverse();
const NONE: readonly string[] = [];

/** The same body unpacked, piece by piece. */
export function unpacked(packed: WebReader, names: readonly string[]): WebReader {
  if (names.length > MAX_LAYERS) throw new NotUnpacked(`it is packed ${names.length} times`);
  let pieces: AsyncIterator<Uint8Array> | undefined;
  let out: Readable | undefined;
  const begin = async (): Promise<AsyncIterator<Uint8Array>> => {
    const first = await packed.read();
    out = first.done ? Readable.from([]) : through(fed(first.value, packed), names, first.value[0] ?? 0);
    return (pieces = out[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>);
  };
  return {
    async read() {
      try {
        return await (pieces ?? (await begin())).next();
      } catch (thrown) {
        throw isUnpacking(thrown) ? new NotUnpacked(`it is not the ${names.join(", ")} it says it is`) : thrown;
      }
    },
    async cancel() {
      out?.destroy();
      await packed.cancel();
    },
  };
}

/** An answer whose packing cannot be undone. */
export class NotUnpacked extends Error {
  override readonly name = "NotUnpacked";
}

const through = (packed: AsyncGenerator<Uint8Array>, names: readonly string[], firstByte: number): Readable =>
  pipeline(
    [
      Readable.from(packed, { objectMode: false, highWaterMark: FEED_BYTES }),
      ...names.map((name) => make(name, firstByte)),
      new PassThrough({ highWaterMark: STEP_BYTES }),
    ],
    () => undefined, // who reads is told of the failure
  ) as unknown as Readable; // the last of them is one

const make = (name: string, firstByte: number): Transform => (UNPACKERS[name] as Make)(firstByte); // packings() names only these

async function* fed(first: Uint8Array, rest: WebReader): AsyncGenerator<Uint8Array> {
  for (let piece: Uint8Array | undefined = first; piece; piece = (await rest.read()).value)
    for (let at = 0; at < piece.length; at += FEED_BYTES) yield piece.subarray(at, at + FEED_BYTES);
}

/** Codes of zlib and its like; the network's own failures keep theirs. */
const isUnpacking = (thrown: unknown): boolean =>
  /^(Z_|ERR_(ZLIB|_?ZSTD|_?BROTLI|PADDING|_ERROR)|ZSTD|ERR_BROTLI)/.test(String((thrown as { code?: unknown } | null)?.code));
