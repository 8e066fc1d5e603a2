import type { Blobs } from "#contract";
import type { Alive, MemoryData } from "./data.ts";

export const memoryBlobs = ({ blobs }: MemoryData, alive: Alive): Blobs => ({
  put: async (key, body) => {
    alive();
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part.slice());
    blobs.set(key, parts);
    return { bytes: parts.reduce((sum, part) => sum + part.byteLength, 0) };
  },
  get: async (key) => {
    alive();
    const parts = blobs.get(key);
    return parts === undefined ? undefined : streamOf(parts);
  },
  delete: async (key) => {
    alive();
    blobs.delete(key);
  },
});

const streamOf = (parts: readonly Uint8Array[]): ReadableStream<Uint8Array> => {
  const left = parts.values();
  return new ReadableStream(
    {
      pull: (controller) => {
        const { done, value } = left.next();
        if (done === true) controller.close();
        else controller.enqueue(value.slice());
      },
    },
    { highWaterMark: 0 },
  );
};
