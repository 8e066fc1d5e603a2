import { messageOf, Organisations, type Storage } from "#contract";
import { within } from "./steps.ts";

/** Asks the stores, off the request path, whether they are there; `/readyz` shows what was last heard. */
export interface Health {
  /** What cannot be reached just now, as sentences. */
  missing(): readonly string[];
  /** Asks now. */
  probe(): Promise<void>;
  close(): void;
}
const EVERY_MS = 2_000;
const LIMIT_MS = 2_000;
const NOBODY = "00000000-0000-4000-8000-000000000000";

/** One harmless read of each handle. */
const PROBES: readonly (readonly [handle: string, ask: (stores: Storage) => Promise<unknown> | undefined])[] = [
  ["records", (stores) => stores.records?.in(Organisations).get(NOBODY)],
  ["logs", (stores) => stores.logs?.get(NOBODY)],
  ["counters", (stores) => stores.counters?.read(["health"])],
  ["kv", (stores) => stores.kv?.get("health")],
];

/** `redact` takes known secrets out of what a driver says: its message may quote a connection string. */
export function watchHealth(stores: Storage, redact: (text: string) => string, everyMs = EVERY_MS): Health {
  const away = new Map<string, string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  async function ask([handle, read]: (typeof PROBES)[number]): Promise<void> {
    try {
      await within(LIMIT_MS, () => read(stores));
      away.delete(handle);
    } catch (thrown) {
      away.set(handle, redact(`The ${handle} storage cannot be reached: ${messageOf(thrown)}`));
    }
  }
  const probe = async (): Promise<void> => void (await Promise.all(PROBES.map(ask)));
  const again = (): void => {
    if (closed) return;
    timer = setTimeout(() => void probe().then(again), everyMs);
    timer.unref?.();
  };
  again();
  return {
    missing: () => [...away.values()],
    probe,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
