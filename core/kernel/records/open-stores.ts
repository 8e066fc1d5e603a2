import { GatewayError, type Storage } from "#contract";
import { BootFailed, type Building, refuseFailed } from "../building.ts";
import type { Stores } from "../generation.ts";
import type { HostParts } from "../host.ts";
import { isUp, type Member, type SharedStorage, setUp } from "../member.ts";
import { shareRecords } from "./records.ts";
import { watchStores } from "./store-health.ts";
import { type StepLimits, stepError, runStep } from "../steps.ts";
import { NEEDED_HANDLES, pickHandles } from "./stores.ts";

/** A storage whose plugin, version and configuration did not change goes on as it is; what it holds in memory survives. */
export async function setUpStorage(
  member: Member,
  parts: HostParts,
  limits: StepLimits,
  carried: ReadonlyMap<string, SharedStorage>,
): Promise<void> {
  const { candidate, loaded } = member;
  const key = `${candidate.name}@${candidate.manifest.version}#${candidate.hash ?? ""}:${JSON.stringify(loaded?.config)}`;
  const shared = carried.get(key);
  if (shared) member.running = shared.running;
  else await setUp(member, parts, limits);
  if (!member.running || member.error) return;
  member.shared = shared ?? { key, running: member.running as SharedStorage["running"], users: 0 }; // a storage plugin provides a Storage
  member.shared.users += 1;
}

/** Storage is up: picks the handles, brings the tables up to date, and listens for changes. */
export async function openStores(building: Building): Promise<void> {
  const { members, input, limits, tables } = building;
  const storages = members.filter(({ candidate }) => candidate.manifest.kind === "storage");
  refuseFailed(storages);
  building.stores = pickHandles(storages.filter(isUp).map(providesOf));
  refuseMissing(building);
  const { records, feed } = building.stores;
  if (!records || !feed) return; // a storage without them was refused before
  const owner = storages.find((member) => isUp(member) && providesOf(member).records === records)?.candidate ?? {
    name: "storage",
    file: "",
  };
  const collections = [...tables.values()];
  try {
    await runStep(limits.migrate, () => records.migrate(collections));
    building.records = await runStep(limits.ready, () => shareRecords({ store: records, feed, collections, log: input.log.log }));
  } catch (thrown) {
    throw new BootFailed([stepError("PLUGIN_READY", owner, "migration", thrown)]);
  }
  building.storeHealth = watchStores({ stores: building.stores, redact: input.log.redact, now: input.now });
}

const providesOf = ({ running }: Member): Storage => running?.provides as Storage; // asked of running storage plugins only

/** Stands where a plugin is named. */
export const GATEWAY_ITSELF = "(the gateway itself)";
function refuseMissing({ stores }: Building): void {
  const missing = NEEDED_HANDLES.filter((handle) => stores[handle] === undefined);
  if (missing.length === 0) return;
  const requires = `a storage plugin that provides ${missing.join(", ")}`;
  throw new BootFailed([new GatewayError("PLUGIN_REQUIRES", { plugin: GATEWAY_ITSELF, requires, state: "not enabled" })]);
}

/** The handles of the finished generation, for the core. */
export function storesOf({ stores, records, tables }: Building): Stores {
  const { logs, counters, kv, feed, blobs } = stores;
  if (!records || !logs || !counters || !kv || !feed) throw new GatewayError("NOT_READY", { why: "its storage is not open" });
  return { records: records.handle("(core)", [...tables.values()]), logs, counters, kv, feed, blobs };
}
