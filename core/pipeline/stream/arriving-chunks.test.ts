/** Chunks of a stream whose frames arrive: how they end, and what becomes of the upstream. */
import { type ByteSource, nextTurn, type Source } from "#contract";
import { describe, expect, test } from "bun:test";
import { TINY_DIALECT } from "#kit";
import { decoded, translated } from "./arriving-chunks.ts";
import type { Chunk } from "./chunks.ts";

const encoder = TINY_DIALECT.encode();
const encode = { id: "i", model: "m", created: 1, usage: true, strict: true };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = encoder.event({ type: "text", text: "a" });
const finish = encoder.event({ type: "finish", reason: "stop" });

/** Gives these pieces, then waits until it is cancelled. */
class Upstream implements ByteSource {
  cancelled = 0;
  private readonly end = Promise.withResolvers<undefined>();
  private readonly pieces: Uint8Array[];
  constructor(...pieces: readonly string[]) {
    this.pieces = pieces.map(bytes);
  }
  async read(): Promise<Uint8Array | undefined> {
    return this.pieces.shift() ?? this.end.promise;
  }
  async cancel(): Promise<void> {
    this.cancelled += 1;
    this.end.resolve(undefined);
  }
}
const WAYS: Readonly<Record<string, (reader: ByteSource) => Promise<Source<Chunk>>>> = {
  translated: (reader) => translated({ reader, map: TINY_DIALECT.decode, format: "sse", encoder, provider: "p" }),
  decoded: async (reader) =>
    decoded({
      reader,
      first: bytes(""),
      openingEvents: null,
      dialect: TINY_DIALECT,
      provider: "p",
      encode,
      hideUsage: false,
      correct: null,
    }),
};
async function wireOf(chunks: Source<Chunk>): Promise<string> {
  let wire = "";
  for (let chunk = await chunks.read(); chunk; chunk = await chunks.read()) wire += chunk.wire;
  return wire;
}

describe.each(Object.entries(WAYS))("chunks of a %s stream", (_, chunksOf) => {
  test("that is cancelled while it is waited for end at once, as often as it is cancelled", async () => {
    const upstream = new Upstream(text);
    const chunks = await chunksOf(upstream);
    expect((await chunks.read())?.wire).toBe(text);
    const waiting = chunks.read();
    await Promise.all([chunks.cancel(), chunks.cancel()]);
    expect(await waiting).toBeUndefined();
    expect(await chunks.read()).toBeUndefined();
    expect(upstream.cancelled).toBeGreaterThan(0);
  });
  test("that is cancelled before it is read let their upstream go", async () => {
    const upstream = new Upstream(text);
    await (await chunksOf(upstream)).cancel();
    expect(upstream.cancelled).toBeGreaterThan(0);
  });
  test("that arrive sixty at a time are read in several turns, though each is short", async () => {
    const streams = await Promise.all(Array.from({ length: 60 }, () => chunksOf(new Upstream(text, text.repeat(700)))));
    for (const chunks of streams) expect((await chunks.read())?.wire).toBe(text);
    await nextTurn();
    let read = 0;
    const reads = streams.map(async (chunks) => {
      await chunks.read();
      read += 1;
    });
    const { promise: turnIsOver, resolve } = Promise.withResolvers<number>();
    setImmediate(() => resolve(read));
    expect(await turnIsOver).toBeLessThan(10);
    await Promise.all(reads);
    expect(read).toBe(60);
  });
  test("give each piece's chunks in order, and their end once", async () => {
    const upstream = new Upstream(text + text, text, finish + encoder.end());
    const ended = wireOf(await chunksOf(upstream));
    expect(await ended).toBe(text.repeat(3) + finish + encoder.end());
  });
  test("break when they end too early", async () => {
    const upstream = new Upstream(text);
    const chunks = await chunksOf(upstream);
    await chunks.read();
    const early = chunks.read();
    await upstream.cancel(); // the provider ends, nobody has cancelled
    expect(await early.catch((thrown: unknown) => thrown)).toMatchObject({ code: "STREAM_INCOMPLETE" });
  });
});
test("behind its terminal marker the rest is read out for the connection's sake, and not cut", async () => {
  const upstream = new Upstream(text + finish + encoder.end());
  const chunks = await WAYS["decoded"]?.(upstream);
  expect(chunks && (await wireOf(chunks))).toBe(text + finish + encoder.end());
  await chunks?.cancel();
  expect(upstream.cancelled).toBe(0);
});
