import { connectMemory } from "../../storage/memory/index.ts";
import { emptyData } from "../../storage/memory/data.ts";
import { testStorage } from "../kit/storage.ts";

testStorage(
  "memory",
  () => {
    const data = emptyData();
    return { connect: () => connectMemory(data, { log: () => undefined, now: Date.now }), destroy: async () => undefined };
  },
  { supports: ["records", "logs", "blobs", "counters", "kv", "feed"], inMemory: true },
);
