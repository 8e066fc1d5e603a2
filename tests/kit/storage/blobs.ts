import { expect, test } from "bun:test";
import type { Blobs } from "#contract";
import { closedHandle, expectUnavailable, handleOf, type Subject, unique } from "./subject.ts";

const CHUNK = 256 * 1024;

/** A body made while it is read; `ahead` is how many of its bytes were made. */
const body = (chunks: number, fail?: Error): { stream: ReadableStream<Uint8Array>; made: () => number } => {
  let made = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (made === chunks) return fail === undefined ? controller.close() : controller.error(fail);
        controller.enqueue(new Uint8Array(CHUNK).fill(made % 251));
        made += 1;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, made: () => made * CHUNK };
};

const text = (content: string): ReadableStream<Uint8Array> => new Blob([content]).stream();

export const blobsSuite = (subject: Subject): void => {
  const near = (): Blobs => handleOf(subject.near(), "blobs");
  const far = (): Blobs => handleOf(subject.far(), "blobs");
  const read = async (key: string): Promise<string | undefined> => {
    const stream = await far().get(key);
    return stream === undefined ? undefined : await new Response(stream).text();
  };

  test("a body comes back whole, on every connection, and says its size", async () => {
    const key = `folder/${unique("blob")}/../ü?`;
    expect(await near().put(key, text("héllo"))).toEqual({ bytes: 6 });
    expect(await read(key)).toBe("héllo");
    expect(await near().put(key, text(""))).toEqual({ bytes: 0 });
    expect(await read(key)).toBe("");
  });

  test("an unknown or deleted blob is undefined", async () => {
    const key = unique("blob");
    expect(await near().get(key)).toBeUndefined();
    await near().put(key, text("x"));
    await far().delete(key);
    expect(await near().get(key)).toBeUndefined();
    await near().delete(key);
  });

  test("putting anew replaces the body, and a reader that has begun finishes the one it began", async () => {
    const key = unique("blob");
    await near().put(key, body(8).stream);
    const reader = (await far().get(key))?.getReader();
    await reader?.read();
    await near().put(key, text("new"));
    let rest = 0;
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) rest += part.value.byteLength;
    expect(rest).toBeGreaterThan(0);
    expect(await read(key)).toBe("new");
  });

  test("a large body is streamed both ways and never held whole", async () => {
    const key = unique("large");
    const chunks = 256;
    const before = process.memoryUsage().arrayBuffers;
    let [most, passed] = [0, 0];
    const source = body(chunks);
    const watched = source.stream.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          passed += 1;
          if (passed % 16 === 0) {
            Bun.gc(true); // what is held is asked, not what nobody has collected yet
            most = Math.max(most, process.memoryUsage().arrayBuffers - before);
          }
          controller.enqueue(chunk);
        },
      }),
    );
    expect(await near().put(key, watched)).toEqual({ bytes: chunks * CHUNK });
    const back = (await far().get(key))?.getReader();
    let [bytes, wrong] = [0, 0];
    for (let part = await back?.read(); part?.done === false; part = await back?.read()) {
      if (part.value[0] !== Math.floor(bytes / CHUNK) % 251) wrong += 1;
      bytes += part.value.byteLength;
    }
    expect({ bytes, wrong }).toEqual({ bytes: chunks * CHUNK, wrong: 0 });
    if (!subject.inMemory) expect(most).toBeLessThan((chunks * CHUNK) / 2);
  }, 20_000);

  test("a body is seen by nobody before all of it has come", async () => {
    const key = unique("halfway");
    const held = Promise.withResolvers<void>();
    const pieces = [new Uint8Array(CHUNK), new Uint8Array(CHUNK)];
    const begun = Promise.withResolvers<void>();
    const slow = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const piece = pieces.pop();
        if (piece !== undefined) return controller.enqueue(piece);
        begun.resolve();
        await held.promise;
        controller.close();
      },
    });
    const putting = near().put(key, slow);
    await begun.promise;
    expect(await far().get(key)).toBeUndefined();
    held.resolve();
    expect(await putting).toEqual({ bytes: 2 * CHUNK });
    expect((await read(key))?.length).toBe(2 * CHUNK);
  });

  test("of two bodies put at once under one key, one stands whole", async () => {
    const key = unique("at-once");
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([near().put(key, text("a".repeat(1_000))), far().put(key, text("b".repeat(1_000)))]);
      expect(["a".repeat(1_000), "b".repeat(1_000)]).toContain((await read(key)) ?? "");
      await near().delete(key);
      expect(await near().get(key)).toBeUndefined();
    }
  });

  test("a body that breaks off leaves the blob as it was", async () => {
    const key = unique("broken");
    await near().put(key, text("kept"));
    const broken = near().put(key, body(3, new Error("the client left")).stream);
    expect(
      await broken.then(
        () => "stored",
        (error: Error) => error.message,
      ),
    ).toBe("the client left");
    expect(await read(key)).toBe("kept");
  });

  test("a closed backend is STORAGE_UNAVAILABLE and never an answer", async () => {
    const closed = await closedHandle(subject, "blobs");
    await expectUnavailable(() => closed.put("x", text("x")));
    await expectUnavailable(() => closed.get("x"));
    await expectUnavailable(() => closed.delete("x"));
  });
};
