import { type Collection, isJson, KINDS, type Logger, type Running } from "#contract";
import type { Building } from "./building.ts";
import { hostFor, type HostParts } from "./host.ts";
import { jobFlaw } from "./jobs/jobs.ts";
import { KIND_RULES, misnamed } from "./kinds.ts";
import {
  type Carried,
  type DeployedPlugin,
  fail,
  type Instance,
  instanceOf,
  isUp,
  setupError,
  type StepLimits,
  stepError,
  closedIfLate,
  runStep,
} from "./life.ts";
import { entering, markOf } from "./process/watchdog/marks.ts";

/** setup, and a look at what came out of it. What an unchanged storage of the generation before holds in memory survives. */
export async function setUp(deployed: DeployedPlugin, parts: HostParts, limits: StepLimits, carried: Carried): Promise<void> {
  const { manifest, name, hash, stage } = deployed;
  if (stage.at !== "loaded") return;
  const { plugin, config } = stage;
  const key = `${name}@${manifest.version}#${hash ?? ""}:${JSON.stringify(config)}`;
  let instance = carried.get(key);
  try {
    if (!instance) {
      const host = hostFor({ manifest, needs: plugin.needs, config, collections: plugin.collections ?? [] }, parts);
      entering(markOf(name));
      const running = await closedIfLate(
        limits.setup,
        async () => plugin.setup(host, config),
        (late) => late?.close?.(),
      );
      instance = { running, key, users: 0 };
    }
    instance.users += 1;
    deployed.stage = { at: "up", instance, ids: idsOf(deployed, instance.running) };
  } catch (thrown) {
    fail(deployed, stepError("PLUGIN_SETUP", deployed, "setup", thrown), instance);
  }
}

/** The ids it takes. Refuses garbage, and what the manifest does not say. */
function idsOf(deployed: DeployedPlugin, running: Running<unknown>): readonly string[] {
  const { manifest } = deployed;
  if (!isJson(running) || !isJson(running.provides)) throw setupError(deployed, "setup", "it returned no object with `provides`");
  const rules = KIND_RULES[manifest.kind];
  const flaw = rules.flaw(running.provides, manifest) ?? misnamed(manifest, running.provides) ?? jobFlaw(running["jobs"]);
  if (flaw !== undefined) throw setupError(deployed, "setup", flaw);
  if (manifest.kind === "policy" && !deployed.named && running.provides["settle"] !== undefined)
    throw setupError(deployed, "setup", unnamed(deployed.name));
  return rules.claims(running.provides);
}

/** Its manifest names strategies alone, so that it was taken for a policy that waits to be asked for. */
const unnamed = (name: string): string =>
  `it settles every request, and no profile names it; name ${name} under plugins or order of the profile, or disable it there`;

export async function makeReady(deployed: DeployedPlugin, limits: StepLimits): Promise<void> {
  if (!isUp(deployed) || deployed.stage.instance.users > 1) return; // what was carried over is ready already
  const { running } = deployed.stage.instance;
  try {
    entering(markOf(deployed.name));
    await runStep(limits.ready, () => running.ready?.());
  } catch (thrown) {
    fail(deployed, stepError("PLUGIN_READY", deployed, "ready", thrown));
  }
}

/** Each id belongs to one plugin: the first in order keeps it, the second is refused, naming both. */
export function claimIds(deployed: DeployedPlugin, owners: Map<string, string>): void {
  if (!isUp(deployed)) return;
  const { ids } = deployed.stage;
  const taken = ids.find((id) => owners.has(id));
  if (taken !== undefined)
    return fail(
      deployed,
      setupError(deployed, "setup", `the ${taken} is already provided by ${owners.get(taken)}; disable one of the two`),
    );
  for (const id of ids) owners.set(id, deployed.name);
}

/** Two plugins may share a collection when they mean the same table. */
export function claimCollections(deployed: DeployedPlugin, tables: Map<string, Collection>): void {
  const { stage } = deployed;
  if (stage.at !== "loaded") return;
  for (const collection of stage.plugin.collections ?? []) {
    const present = tables.get(collection.name) ?? collection;
    tables.set(collection.name, present);
    if (JSON.stringify(present.schema) === JSON.stringify(collection.schema)) continue;
    const why = `its records ${collection.name} have other members than those another plugin declares under the same name`;
    fail(deployed, setupError(deployed, "setup", why));
  }
}

/** Drains and closes a generation's plugins: the kind set up last goes first; failed ones have something to close too. */
export async function end({ plugins, limits, input, records, storeHealth, jobs, outbox, audit }: Building): Promise<void> {
  await outbox?.close(); // a run of its job waits for what is being sent
  await jobs?.stop();
  await audit?.close().catch(() => undefined); // its store may be away
  storeHealth?.close();
  for (const kind of [...KINDS].reverse()) {
    if (kind === "storage") await records?.close().catch(() => undefined); // the feed it listens to is about to close
    await Promise.all(
      plugins.map((deployed) => {
        const instance = deployed.manifest.kind === kind ? instanceOf(deployed) : undefined;
        return instance && isLeft(instance) ? endOne(deployed, instance, limits, input.log.named(deployed.name)) : undefined;
      }),
    );
  }
}

/** Storage that another generation goes on using stays open. */
function isLeft(instance: Instance): boolean {
  instance.users -= 1;
  return instance.users === 0;
}

async function endOne(deployed: DeployedPlugin, { running }: Instance, limits: StepLimits, log: Logger): Promise<void> {
  const inTime = async (limitMs: number, step: () => Promise<void> | undefined): Promise<void> => {
    entering(markOf(deployed.name));
    try {
      await runStep(limitMs, step);
    } catch (thrown) {
      log("error", "plugin.drain", { code: "PLUGIN_DRAIN", why: stepError("PLUGIN_DRAIN", deployed, "drain", thrown).message });
    }
  };
  if (isUp(deployed)) await inTime(limits.drain, () => running.drain?.(AbortSignal.timeout(limits.drain)));
  await inTime(limits.close, () => running?.close?.()); // a setup may have returned nothing
}
