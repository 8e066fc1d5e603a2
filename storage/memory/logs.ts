import type { LogStore } from "#contract";
import type { Alive, MemoryData } from "./data.ts";

export const memoryLogs = ({ logs }: MemoryData, alive: Alive): LogStore => ({
  write: async (batch) => {
    alive();
    for (const row of batch) logs.set(row.id, { row: structuredClone(row), bytes: JSON.stringify(row).length });
  },
  get: async (id) => {
    alive();
    return structuredClone(logs.get(id)?.row);
  },
  prune: async ({ newerThan, maxBytes }) => {
    alive();
    const oldestFirst = [...logs.values()].sort((a, b) => a.row.createdAt - b.row.createdAt);
    let bytes = oldestFirst.reduce((sum, entry) => sum + entry.bytes, 0);
    let gone = 0;
    for (const entry of oldestFirst) {
      if (entry.row.createdAt >= newerThan && bytes <= maxBytes) break;
      logs.delete(entry.row.id);
      bytes -= entry.bytes;
      gone += 1;
    }
    return gone;
  },
});
