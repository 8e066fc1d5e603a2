import { GatewayError, type Storage } from "#contract";
import { AUDIT_SWITCH, auditOf, journalOf } from "../audit/audit.ts";
import { isOn } from "../settings/flags.ts";
import { BootFailed, type Building, refuseFailed } from "../building.ts";
import type { Stores } from "../generation.ts";
import { type DeployedPlugin, closedIfLate, isUp, runStep, stepError } from "../life.ts";
import { shareRecords } from "./records.ts";
import { watchStores } from "./store-health.ts";
import { NEEDED_HANDLES, pickHandles } from "./stores.ts";

/** Storage is up: picks the handles, brings the tables up to date, and listens for changes. */
export async function openStores(building: Building): Promise<void> {
  const { plugins, input, limits, tables } = building;
  const storages = plugins.filter(({ manifest }) => manifest.kind === "storage");
  refuseFailed(storages);
  building.stores = pickHandles(storages.flatMap((storage) => providesOf(storage) ?? []));
  refuseMissing(building);
  const { records, feed, counters } = building.stores;
  if (!records || !feed || !counters) return; // a storage without them was refused before
  const owner = storages.find((storage) => providesOf(storage)?.records === records) ?? { name: "storage", file: "" };
  const collections = [...tables.values()];
  const auditParts = { store: records, counters, vault: input.vault, log: input.log.log, now: input.now };
  const journal = isOn(AUDIT_SWITCH, input.settings.env) ? journalOf(auditParts) : undefined;
  try {
    await runStep(limits.migrate, () => records.migrate(collections));
    building.records = await closedIfLate(
      limits.ready,
      () => shareRecords({ store: records, feed, collections, log: input.log.log, journal }),
      (late) => late.close(),
    );
  } catch (thrown) {
    throw new BootFailed([stepError("PLUGIN_READY", owner, "migration", thrown)]);
  }
  if (journal) building.audit = auditOf(journal, building.records.handle("(audit)", collections), auditParts);
  building.storeHealth = watchStores({ stores: building.stores, redact: input.log.redact, now: input.now });
}

const providesOf = (storage: DeployedPlugin): Storage | undefined =>
  isUp(storage) ? (storage.stage.instance.running.provides as Storage) : undefined; // asked of storage plugins only

/** Stands where a plugin is named. */
export const GATEWAY_ITSELF = "(the gateway itself)";
function refuseMissing({ stores }: Building): void {
  const missing = NEEDED_HANDLES.filter((handle) => stores[handle] === undefined);
  if (missing.length === 0) return;
  const requires = `a storage plugin that provides ${missing.join(", ")}`;
  throw new BootFailed([new GatewayError("PLUGIN_REQUIRES", { plugin: GATEWAY_ITSELF, requires, state: "not enabled" })]);
}

/** The handles of the finished generation, for the core. */
export function storesOf({ stores, records, tables, audit }: Building): Stores {
  const { logs, counters, kv, feed, blobs } = stores;
  if (!records || !logs || !counters || !kv || !feed) throw new GatewayError("NOT_READY", { why: "its storage is not open" });
  return { audit, records: records.handle("(core)", [...tables.values()]), epoch: records.epoch, logs, counters, kv, feed, blobs };
}
