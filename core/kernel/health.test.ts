import { expect, test } from "bun:test";
import { GatewayError, type Storage } from "#contract";
import { watchHealth } from "./health.ts";
import { createLog, hideEnvironment } from "./log.ts";

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
  const health = watchHealth(stores, log.redact);
  await health.probe();
  expect([...health.missing()].sort()).toEqual([
    "The counters storage cannot be reached: no pg_hba entry for password [redacted]",
    "The kv storage cannot be reached: connect postgres://gateway:[redacted]@127.0.0.1:5432/main: refused",
    "The logs storage cannot be reached: The logs storage cannot be reached just now; the request was not judged. Try again.",
  ]);
  health.close();
});
