import { Type } from "@sinclair/typebox";
import { definePlugin, GatewayError, type HostBase, type Running, type Storage, type StorageHandle } from "#contract";
import { memoryBlobs } from "./blobs.ts";
import { memoryCounters } from "./counters.ts";
import { emptyData, type MemoryData } from "./data.ts";
import { memoryFeed } from "./feed.ts";
import { memoryKeyValue } from "./key-value.ts";
import { memoryLogs } from "./logs.ts";
import { memoryRecords } from "./records.ts";

/** Everything in maps: the semantics of the other backends, for one process and until it ends. */
export default definePlugin({
  kind: "storage",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  archive: { elsewhere: "it keeps everything in memory, and nothing beyond its process" },
  setup: (host) => connectMemory(emptyData(), host),
});

/** One connection to the data; several of them see the same, as several processes see one database. */
export const connectMemory = (data: MemoryData, host: HostBase): Running<Storage> => {
  let open = true;
  const alive = (handle: StorageHandle) => (): void => {
    if (!open) throw new GatewayError("STORAGE_UNAVAILABLE", { handle });
  };
  const feed = memoryFeed(data, alive("feed"), (error) => host.log("error", "feed listener failed", { error }));
  return {
    provides: {
      records: memoryRecords(data, alive("records")),
      logs: memoryLogs(data, alive("logs")),
      blobs: memoryBlobs(data, alive("blobs")),
      counters: memoryCounters(data, alive("counters"), host.now),
      kv: memoryKeyValue(data, alive("kv"), host.now),
      feed: feed.handle,
    },
    close: async () => {
      open = false;
      feed.close();
    },
  };
};
