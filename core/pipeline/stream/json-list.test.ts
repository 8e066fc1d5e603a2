import { expect, test } from "bun:test";
import fc from "fast-check";
import { asJsonList } from "./json-list.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const listOf = (pieces: readonly Uint8Array[]): Promise<unknown> => new Response(asJsonList(streamOf(pieces))).json();
const streamOf = (pieces: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });

test("events become elements of one list, wherever the wire is cut; a stream without any is an empty list", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.json()), fc.integer({ min: 1, max: 40 }), async (elements, size) => {
      const wire = bytes(elements.map((element) => `: beside\n\ndata: ${element}\n\n`).join(""));
      const pieces = Array.from({ length: Math.ceil(wire.length / size) }, (_, at) => wire.subarray(at * size, (at + 1) * size));
      expect(await listOf(pieces)).toEqual(elements.map((element): unknown => JSON.parse(element)));
    }),
    { numRuns: 50 },
  ));

test("a client that leaves lets the stream go", async () => {
  let left = false;
  const events = new ReadableStream<Uint8Array>({ cancel: () => void (left = true) }, { highWaterMark: 0 });
  await asJsonList(events).cancel();
  expect(left).toBe(true);
});
