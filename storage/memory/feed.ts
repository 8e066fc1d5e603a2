import type { Feed } from "#contract";
import { listeners } from "../tables/listeners.ts";
import type { Alive, MemoryData } from "./data.ts";

export const memoryFeed = (data: MemoryData, alive: Alive, onError: (error: unknown) => void): { readonly handle: Feed; close(): void } => {
  const own = listeners(onError);
  data.feeds.add(own);
  return {
    handle: {
      publish: async (topic, message) => {
        alive();
        for (const connection of data.feeds) connection.deliver(topic, message);
      },
      subscribe: async (topic, onMessage) => {
        alive();
        const end = own.add(topic, onMessage);
        return async () => end();
      },
      heartbeat: async () => alive(),
    },
    close: () => {
      own.clear();
      data.feeds.delete(own);
    },
  };
};
