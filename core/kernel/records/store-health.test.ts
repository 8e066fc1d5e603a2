import { expect, test } from "bun:test";
import { GatewayError, type Storage } from "#contract";
import { until } from "../../../tests/e2e/process.ts";
import { watchStores } from "./store-health.ts";
import { createLog, hideEnvironment } from "../process/log.ts";

const DATABASE_URL = "postgres://gateway:canary%2FPassword1@127.0.0.1:5432/main";

test("what a driver says of a store that is away is shown without what must stay secret", async () => {
  const log = createLog({ level: "info", now: () => 0, write: () => undefined });
  hideEnvironment({ DATABASE_URL }, log.hide);
  const gone = (message: string) => () => Promise.reject(new Error(message));
  const stores = {
    kv: { get: gone(`connect ${DATABASE_URL}: refused`) },
    counters: { read: gone("no pg_hba entry for password canary/Password1") },
    logs: { get: () => Promise.reject(new GatewayError("STORAGE_UNAVAILABLE", { handle: "logs" })) },
  } as unknown as Storage; // a probe asks for no more
  const health = watchStores({ stores, redact: log.redact, now: () => 0 });
  await health.probe();
  expect([...health.parts().values()].flatMap(({ degraded }) => degraded).sort()).toEqual([
    "The counters storage cannot be reached: no pg_hba entry for password [redacted]",
    "The kv storage cannot be reached: connect postgres://gateway:[redacted]@127.0.0.1:5432/main: refused",
    "The logs storage cannot be reached: The logs storage cannot be reached just now; the request was not judged. Try again.",
  ]);
  health.close();
});

test("a store that can be read and not written is named, and what does not answer is asked less and less often", async () => {
  const asked: number[] = [];
  let full = true;
  const startedAt = performance.now();
  const kv = {
    get: async () => undefined,
    async set() {
      asked.push(performance.now() - startedAt);
      if (full) throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "kv" }, { cause: new Error("database or disk is full") });
    },
  };
  const stores = { kv } as unknown as Storage; // a probe asks for no more
  const pauses = { wellMs: 10, firstMs: 20, mostMs: 80 };
  const health = watchStores({ stores, redact: String, now: Date.now, pauses });
  const degraded = () => health.parts().get("store/kv")?.degraded ?? [];
  await until("it was asked five times", () => asked.length === 5);
  expect(degraded()).toEqual(["The kv storage can be read and not written: database or disk is full"]);
  const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  for (const [index, least] of [20, 40, 80, 80].entries()) expect(gaps[index]).toBeGreaterThanOrEqual(least - 2);
  full = false;
  await until("it is well again", () => degraded().length === 0);
  health.close();
});
