import { KINDS, type Kind } from "#contract";
import { assemble } from "./assemble.ts";
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
import { candidatesFor } from "./candidates.ts";
import { end } from "./end.ts";
import { healthOf, type PartHealth } from "./part-health.ts";
import { closedPolicy, isGuard } from "./closed-policy.ts";
import type { Unreadable } from "./external.ts";
import type { Generation, Loaded, PluginState } from "./generation.ts";
import { loadPlugin } from "./load.ts";
import { hideConfiguration, type ProcessLog } from "./process/log.ts";
import { claimCollections, claimIds, isUp, makeReady, type Member, setUp, shownIds, type SharedStorage } from "./member.ts";
import { openStores, setUpStorage, storesOf } from "./records/open-stores.ts";
import { lookForSecrets, lookingAgain } from "./secrets/look-for-secrets.ts";
import type { MissingSecrets } from "./secrets/missing-secrets.ts";
import { stepError } from "./steps.ts";
import { wantedStorage } from "./records/stores.ts";
import { markOf } from "./process/watchdog/marks.ts";

/** A generation and the way to end it. */
export interface Built {
  readonly generation: Generation;
  readonly storages: ReadonlyMap<string, SharedStorage>;
  /** Waits for the requests inside it. */
  idle(limitMs: number): Promise<boolean>;
  /** Drains and closes its plugins; storage that another generation uses stays open. */
  end(): Promise<void>;
}

/** manifests -> loaded -> secrets -> storage -> tables -> everything else -> a generation. A failure closes what was opened. */
export async function boot(input: BootInput): Promise<Built> {
  const { plugins, unreadable } = await candidatesFor(input.profile, input.registry, input.settings.env);
  const building = begin(input, plugins);
  try {
    await load(building);
    for (const kind of KINDS) {
      await start(building, kind);
      if (kind === "storage") await openStores(building);
    }
    dismissUnmet(building);
    await lookForSecrets(building.members, partsFor(building).secrets);
    const generation = finish(building, unreadable);
    refuseFailed(building.members);
    refuseUnreadable(unreadable);
    return { generation, storages: storagesOf(building), idle: (limitMs) => building.inFlight.idle(limitMs), end: () => end(building) };
  } catch (error) {
    await end(building);
    throw error;
  } finally {
    report(building, unreadable);
  }
}

/** Code and configuration of everything that is enabled; nothing is set up yet, so that all tables are known before. */
async function load({ input, limits, members, tables }: Building): Promise<void> {
  const all = members.map(({ candidate }) => candidate);
  const { spare } = wantedStorage(all.filter(({ enabled, manifest }) => enabled && manifest.kind === "storage"));
  await Promise.all(
    members.map(async (member) => {
      const { candidate } = member;
      member.spare = spare.get(candidate.name) ?? null;
      if (!candidate.enabled || member.spare !== null) return;
      try {
        member.loaded = await loadPlugin(candidate, { profile: input.profile, all, limits });
        hideConfiguration(member.loaded.plugin.config, member.loaded.config, input.log.hide);
      } catch (thrown) {
        member.error = stepError("PLUGIN_SETUP", candidate, "import", thrown);
      }
    }),
  );
  for (const member of members) claimCollections(member, tables);
  for (const member of members) judgeRequirements(member, members);
}

/** Sets up the plugins of one kind, side by side, and gives out their ids in profile order. */
async function start(building: Building, kind: Kind): Promise<void> {
  const { input, limits, members, owners } = building;
  const parts = partsFor(building);
  const starting = members.filter(({ candidate, loaded, error }) => candidate.manifest.kind === kind && loaded && !error);
  await Promise.all(
    starting.map((member) => (kind === "storage" ? setUpStorage(member, parts, limits, input.carried) : setUp(member, parts, limits))),
  );
  for (const member of starting) claimIds(member, owners);
  const fresh = starting.filter(({ shared }) => !shared || shared.users === 1); // what was carried over is ready already
  await Promise.all(fresh.map((member) => makeReady(member, limits)));
}

function finish(building: Building, unreadable: readonly Unreadable[]): Generation {
  const { input, members, inFlight, catalog, storeHealth, missing } = building;
  const { number, vault, egress, log, compute } = input;
  const stores = storesOf(building);
  const running = members.flatMap(standing);
  const fault = (name: string, thrown: unknown): void => {
    const member = members.find(({ candidate }) => candidate.name === name);
    if (member) member.error = stepError("PLUGIN_SETUP", member.candidate, "mounting", thrown);
  };
  const handles = { records: stores.records, vault, catalog, judgeUrl: (url: string) => void egress.judgeUrl(url) };
  const assembled = assemble(running, handles, compute, fault);
  building.offers = assembled;
  const states = members.map((member) => stateOf(member, log));
  const lookAgain = lookingAgain(members, partsFor(building).secrets, input.now);
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
    enter: () => inFlight.enter(),
    get inFlight() {
      return inFlight.count;
    },
    health() {
      lookAgain();
      return new Map([...(storeHealth?.parts() ?? []), ...healthOf(members, new Map([...input.parts, ...partsOf(building)]), missing)]);
    },
  };
}

const loadedOf = ({ candidate: { name, manifest, module }, running }: Member): Loaded<never> =>
  ({ name, manifest, module, provides: running?.provides, mark: markOf(name) }) as Loaded<never>; // asked of members that are up

/** What stands in a plugin's place: itself, nothing, or a closed door. */
function standing(member: Member): readonly Loaded<never>[] {
  if (isUp(member)) return [loadedOf(member)];
  return member.error && isGuard(member.candidate.manifest) ? [closedPolicy(member) as Loaded<never>] : [];
}

/** Parts of this generation that are no plugin. */
const partsOf = ({ records }: Building): PartHealth => new Map(records ? [["feed", records.health]] : []);

/** A secret may come and go while the plugin runs. */
function alsoLacking(state: PluginState, missing: MissingSecrets): PluginState {
  const lacks = state.state === "running" ? missing.of(state.manifest) : [];
  return lacks.length === 0 ? state : { ...state, why: lacks.join(" ") };
}

function stateOf(member: Member, log: ProcessLog): PluginState {
  const { candidate, error, spare } = member;
  const whyNot = error?.message ?? spare ?? candidate.why;
  return {
    name: candidate.name,
    manifest: candidate.manifest,
    origin: candidate.origin,
    required: candidate.required || (error !== undefined && isGuard(candidate.manifest)), // no request passes without it
    state: error ? "failed" : isUp(member) ? "running" : "disabled",
    why: whyNot === null ? null : log.redact(whyNot),
    code: error?.code ?? null,
    provides: shownIds(member),
  };
}

const storagesOf = ({ members }: Building): ReadonlyMap<string, SharedStorage> =>
  new Map(members.flatMap(({ shared }) => (shared ? [[shared.key, shared] as const] : [])));

function report({ input, members }: Building, unreadable: readonly Unreadable[]): void {
  const { log } = input.log;
  for (const { candidate, error } of members)
    if (error) log("error", "plugin.failed", { plugin: candidate.name, code: error.code, why: error.message, cause: error.cause });
  for (const { origin, error } of unreadable) log("error", "plugin.unreadable", { origin, code: error.code, why: error.message });
}
