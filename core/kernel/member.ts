import { type Collection, GatewayError, isJson, type Kinds, type Running, type Storage } from "#contract";
import type { Candidate } from "./candidates.ts";
import { hostFor, type HostParts } from "./host.ts";
import { KIND_RULES, misnamed } from "./kinds.ts";
import type { LoadedPlugin } from "./load.ts";
import { type StepLimits, stepError, runStep } from "./steps.ts";
import { entering, markOf } from "./process/watchdog/marks.ts";

/** A plugin on its way through the boot. One writer: the boot. */
export interface Member {
  readonly candidate: Candidate;
  loaded?: LoadedPlugin;
  running?: Running<Kinds[keyof Kinds]>;
  /** Storage that may outlive this generation. */
  shared?: SharedStorage;
  /** Enabled, but nothing is left for it to do. */
  spare: string | null;
  error?: GatewayError;
  ids: readonly string[];
}
/** A storage instance and how many generations use it. */
export interface SharedStorage {
  readonly key: string;
  readonly running: Running<Storage>;
  users: number;
}

export const isUp = (member: Member): boolean => member.running !== undefined && member.error === undefined;

/** setup, and a look at what came out of it. */
export async function setUp(member: Member, parts: HostParts, limits: StepLimits): Promise<void> {
  const { candidate, loaded } = member;
  if (!loaded) return;
  const { plugin, config } = loaded;
  try {
    const host = hostFor({ manifest: candidate.manifest, needs: plugin.needs, config, collections: plugin.collections ?? [] }, parts);
    entering(markOf(candidate.name));
    const running = await startedInTime(() => plugin.setup(host, config), limits.setup);
    member.running = running;
    member.ids = judged(candidate, running);
  } catch (thrown) {
    member.error = stepError("PLUGIN_SETUP", candidate, "setup", thrown);
  }
}

/** A setup that ends after its time has something to close and nobody who would. */
async function startedInTime<T>(setup: () => Running<T> | Promise<Running<T>>, limitMs: number): Promise<Running<T>> {
  let late = false;
  const started = (async () => await setup())();
  started
    .then((running) => {
      if (late) void running?.close?.();
    })
    .catch(() => undefined); // the failure itself is reported below
  try {
    return await runStep(limitMs, () => started);
  } catch (thrown) {
    late = true;
    throw thrown;
  }
}

/** Refuses garbage, and what the manifest does not say. Returns the ids it takes. */
function judged(candidate: Candidate, running: Running<unknown>): readonly string[] {
  const { manifest } = candidate;
  if (!isJson(running) || !isJson(running.provides)) throw setupError(candidate, "it returned no object with `provides`");
  const rules = KIND_RULES[manifest.kind];
  const flaw = rules.flaw(running.provides, manifest) ?? misnamed(manifest, running.provides);
  if (flaw !== undefined) throw setupError(candidate, flaw);
  if (manifest.kind === "policy" && !candidate.named && running.provides["settle"] !== undefined)
    throw setupError(candidate, unnamed(candidate.name));
  return rules.claims(running.provides);
}

/** Its manifest names strategies alone, so that it was taken for a policy that waits to be asked for. */
const unnamed = (name: string): string =>
  `it settles every request, and no profile names it; name ${name} under plugins or order of the profile, or disable it there`;

export async function makeReady(member: Member, limits: StepLimits): Promise<void> {
  if (!isUp(member)) return;
  try {
    entering(markOf(member.candidate.name));
    await runStep(limits.ready, () => member.running?.ready?.());
  } catch (thrown) {
    member.error = stepError("PLUGIN_READY", member.candidate, "ready", thrown);
  }
}

/** Each id belongs to one plugin: the first in order keeps it, the second is refused, naming both. */
export function claimIds(member: Member, owners: Map<string, string>): void {
  if (!isUp(member)) return;
  const taken = member.ids.find((id) => owners.has(id));
  if (taken !== undefined) {
    member.error = setupError(member.candidate, `the ${taken} is already provided by ${owners.get(taken)}; disable one of the two`);
    return;
  }
  for (const id of member.ids) owners.set(id, member.candidate.name);
}

/** Two plugins may share a collection when they mean the same table. */
export function claimCollections(member: Member, tables: Map<string, Collection>): void {
  for (const collection of member.loaded?.plugin.collections ?? []) {
    const present = tables.get(collection.name);
    if (!present) tables.set(collection.name, collection);
    else if (JSON.stringify(present.schema) !== JSON.stringify(collection.schema)) {
      member.error = setupError(
        member.candidate,
        `its records ${collection.name} have other members than those another plugin declares under the same name`,
      );
    }
  }
}

/** What operators are shown that it provides: the names of its manifest's `provides`, else the ids it took. */
export function shownIds(member: Member): readonly string[] {
  if (!isUp(member)) return [];
  const named = KIND_RULES[member.candidate.manifest.kind].named?.(member.running?.provides);
  return named ?? member.ids.map((id) => id.slice(id.indexOf(" ") + 1));
}

export const setupError = ({ name, file }: Candidate, why: string): GatewayError =>
  new GatewayError("PLUGIN_SETUP", { plugin: name, file, step: "setup", why });
