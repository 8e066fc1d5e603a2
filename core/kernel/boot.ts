import { type Job, KINDS, type Kind } from "#contract";
import { assemble, closedPolicy } from "./assemble.ts";
import {
  begin,
  type BootInput,
  type Building,
  dismissUnmet,
  judgeRequirements,
  partsFor,
  refuseFailed,
  refuseUnreadable,
} from "./building.ts";
import { deploymentOf } from "./discovery/deployment.ts";
import type { Unreadable } from "./discovery/external.ts";
import type { Generation, Provided } from "./generation.ts";
import { type Carried, type DeployedPlugin, fail, isUp, stepError } from "./life.ts";
import { type Jobs, jobsOf } from "./jobs/jobs.ts";
import { loadPlugin } from "./load.ts";
import { isGuard } from "./discovery/manifest.ts";
import { openOutbox } from "./mail/open-outbox.ts";
import { hideConfiguration } from "./process/log.ts";
import { markOf } from "./process/watchdog/marks.ts";
import { auditRetention } from "./audit/retention.ts";
import { openStores, storesOf } from "./records/open-stores.ts";
import { wantedStorage } from "./records/stores.ts";
import { forgetUncountedWork } from "./records/uncounted-work.ts";
import { lookForSecrets, lookingAgain } from "./secrets/missing-secrets.ts";
import { claimCollections, claimIds, end, makeReady, setUp } from "./set-up.ts";
import { alsoLacking, healthOf, type PartHealth, stateOf } from "./states.ts";

/** A generation and the way to end it. */
export interface Built {
  readonly generation: Generation;
  /** For the next generation. */
  readonly storages: Carried;
  /** What its plugins do by the clock: begun by who lets it serve, stopped when another takes over, or at the end. */
  readonly jobs: Jobs;
  /** Waits for the requests inside it. */
  idle(limitMs: number): Promise<boolean>;
  /** Drains and closes its plugins; storage that another generation uses stays open. */
  end(): Promise<void>;
}

/** manifests -> loaded -> secrets -> storage -> tables -> everything else -> a generation. A failure closes what was opened. */
export async function boot(input: BootInput): Promise<Built> {
  const { plugins, unreadable } = await deploymentOf(input.profile, input.registry, input.settings.env);
  const building = begin(input, plugins);
  try {
    await load(building);
    for (const kind of KINDS) {
      await start(building, kind);
      if (kind === "storage") await openStores(building);
    }
    dismissUnmet(building);
    await lookForSecrets(plugins, partsFor(building).secrets);
    const generation = finish(building, unreadable);
    refuseFailed(plugins);
    refuseUnreadable(unreadable);
    const jobs = (building.jobs = jobsIn(building, openOutbox(building)));
    const idle = (limitMs: number): Promise<boolean> => building.inFlight.idle(limitMs);
    return { generation, jobs, storages: storagesOf(plugins), idle, end: () => end(building) };
  } catch (error) {
    await end(building);
    throw error;
  } finally {
    report(building, unreadable);
  }
}

/** Code and configuration of everything that is enabled; nothing is set up yet, so that all tables are known before. */
async function load({ input, limits, plugins, tables }: Building): Promise<void> {
  for (const [storage, why] of wantedStorage(plugins).spare) storage.stage = { at: "spare", why };
  await Promise.all(
    plugins.map(async (deployed) => {
      if (deployed.stage.at !== "enabled") return;
      try {
        const loaded = await loadPlugin(deployed, { profile: input.profile, all: plugins, limits, isolation: input.isolation });
        hideConfiguration(loaded.plugin.config, loaded.config, input.log.hide);
        deployed.stage = loaded;
      } catch (thrown) {
        fail(deployed, stepError("PLUGIN_SETUP", deployed, "import", thrown));
      }
    }),
  );
  for (const deployed of plugins) claimCollections(deployed, tables);
  for (const deployed of plugins) judgeRequirements(deployed, plugins);
}

/** Sets up the plugins of one kind, side by side, and gives out their ids in profile order. */
async function start(building: Building, kind: Kind): Promise<void> {
  const { input, limits, plugins, owners } = building;
  const parts = partsFor(building);
  const starting = plugins.filter(({ manifest }) => manifest.kind === kind);
  await Promise.all(starting.map((deployed) => setUp(deployed, parts, limits, input.carried)));
  for (const deployed of starting) claimIds(deployed, owners);
  await Promise.all(starting.map((deployed) => makeReady(deployed, limits)));
}

function finish(building: Building, unreadable: readonly Unreadable[]): Generation {
  const { input, plugins, inFlight, catalog, storeHealth, missing } = building;
  const { number, vault, egress, log, compute } = input;
  const stores = storesOf(building);
  const running = plugins.flatMap(standing);
  const fault = (name: string, thrown: unknown): void => {
    const deployed = plugins.find((plugin) => plugin.name === name);
    if (deployed) fail(deployed, stepError("PLUGIN_SETUP", deployed, "mounting", thrown));
  };
  const { publicUrl } = input.settings;
  const judgeUrl = (url: string): void => void egress.judgeUrl(url);
  const handles = { records: stores.records, vault, catalog, judgeUrl, ...(publicUrl !== undefined && { publicUrl }) };
  const { secrets } = partsFor(building);
  const assembled = assemble(running, { handles, stores, secrets, compute, egress, fault, parts: input.parts, now: input.now });
  building.offers = assembled;
  const states = plugins.map((deployed) => stateOf(deployed, log.redact));
  const lookAgain = lookingAgain(plugins, secrets, input.now);
  return {
    ...assembled,
    number,
    get plugins() {
      return states.map((state) => alsoLacking(state, missing));
    },
    unreadable: unreadable.map(({ origin, error }) => ({ origin, code: error.code, why: log.redact(error.message) })),
    catalog,
    stores,
    vault,
    egress,
    log: log.log,
    compute,
    isolation: input.isolation,
    late: building.late,
    enter: () => inFlight.enter(),
    get inFlight() {
      return inFlight.count;
    },
    health() {
      lookAgain();
      const jobs = building.jobs?.health() ?? [];
      return new Map([
        ...(storeHealth?.parts() ?? []),
        ...jobs,
        ...healthOf(plugins, new Map([...input.parts, ...partsOf(building)]), missing),
      ]);
    },
  };
}

/** What stands in a plugin's place: itself, nothing, or a closed door. */
function standing(deployed: DeployedPlugin): readonly Provided<never>[] {
  const { name, manifest, module } = deployed;
  if (isUp(deployed))
    return [{ name, manifest, module, provides: deployed.stage.instance.running.provides, mark: markOf(name) } as Provided<never>]; // its kind says what
  return deployed.stage.at === "failed" && isGuard(manifest) ? [closedPolicy(deployed) as Provided<never>] : [];
}

/** Parts of this generation that are no plugin. */
const partsOf = ({ records, outbox }: Building): PartHealth =>
  new Map([...(records ? [["feed", records.health] as const] : []), ...(outbox ? [["mail", () => outbox.health()] as const] : [])]);

function jobsIn(building: Building, mail: readonly Job[]): Jobs {
  const { log, redact } = building.input.log;
  const plugins = building.plugins
    .filter(isUp)
    .map(({ name, stage }) => ({ plugin: name, mark: markOf(name), jobs: stage.instance.running.jobs ?? [] }));
  const stores = storesOf(building);
  const { now, settings } = building.input;
  const store = building.stores.records;
  const days = settings.auditRetentionDays;
  const retention = store ? [auditRetention({ store, days, log, now })] : [];
  const uncounted = forgetUncountedWork({ records: stores.records, log, now });
  const own = { plugin: "gateway", mark: 0, jobs: [uncounted, ...mail, ...retention] };
  return jobsOf([own, ...plugins], { kv: stores.kv, log, redact, now: building.input.now }, building.limits.drain);
}

const storagesOf = (plugins: readonly DeployedPlugin[]): Carried =>
  new Map(
    plugins
      .filter(isUp)
      .flatMap(({ manifest, stage: { instance } }) => (manifest.kind === "storage" ? [[instance.key, instance] as const] : [])),
  );

function report({ input, plugins }: Building, unreadable: readonly Unreadable[]): void {
  const { log } = input.log;
  for (const { name, stage } of plugins) {
    if (stage.at !== "failed") continue;
    const { code, message, cause } = stage.error;
    log("error", "plugin.failed", { plugin: name, code, why: message, cause });
  }
  for (const { origin, error } of unreadable) log("error", "plugin.unreadable", { origin, code: error.code, why: error.message });
}
