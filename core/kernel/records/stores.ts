import type { Storage, StorageHandle } from "#contract";
import type { DeployedPlugin } from "../life.ts";

/** The first running storage in order that provides a handle serves it. */
export type StorageHandles = Storage;
export const STORAGE_HANDLES = ["records", "logs", "blobs", "counters", "kv", "feed"] as const satisfies readonly StorageHandle[];
/** Without these there is no gateway. */
export const NEEDED_HANDLES = ["records", "logs", "counters", "kv", "feed"] as const satisfies readonly StorageHandle[];

/**
 * Of the enabled storage plugins, those that serve something no earlier one serves already. The others are not opened:
 * a gateway on PostgreSQL makes no embedded database beside it.
 */
export function wantedStorage(plugins: readonly DeployedPlugin[]): {
  readonly wanted: readonly DeployedPlugin[];
  /** Why each of the others is not. */
  readonly spare: ReadonlyMap<DeployedPlugin, string>;
} {
  const server = new Map<string, string>();
  const spare = new Map<DeployedPlugin, string>();
  const storages = plugins.filter(({ stage, manifest }) => stage.at === "enabled" && manifest.kind === "storage");
  const wanted = storages.filter((deployed) => {
    const offers = deployed.manifest.provides ?? STORAGE_HANDLES;
    const fresh = offers.filter((handle) => !server.has(handle));
    for (const handle of fresh) server.set(handle, deployed.name);
    if (fresh.length === 0)
      spare.set(deployed, `what it provides is served by ${[...new Set(offers.map((handle) => server.get(handle)))].join(", ")}`);
    return fresh.length > 0;
  });
  return { wanted, spare };
}

/** Picks each handle from the first that provides it. */
export function pickHandles(storages: readonly Storage[]): StorageHandles {
  const picked: Record<string, unknown> = {};
  for (const handle of STORAGE_HANDLES) {
    const server = storages.find((storage) => storage[handle] !== undefined);
    if (server) picked[handle] = server[handle];
  }
  return picked as StorageHandles; // each member comes from a Storage's member of the same name
}
