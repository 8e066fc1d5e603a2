import { type Json, nearest } from "#contract";
import { checksNamed } from "../kernel/config/guardrails.ts";
import { type Named, providersNamed } from "../kernel/config/level.ts";
import { levelsOf } from "../kernel/config/rules.ts";
import type { Generation, PluginState } from "../kernel/generation.ts";

/** Judges the names in saved records: each sentence has the place, the name, and what would put it right. */
export interface AbsentNames {
  inConfig(config: Json, workspaceId: string): readonly string[];
  /** Of a saved guardrail. */
  inChecks(checks: readonly { readonly id: string }[]): readonly string[];
}
/** By workspace: saved providers as configs refer to them (`@slug`), and the provider that each is of. */
export type SavedProviders = ReadonlyMap<string, ReadonlyMap<string, string>>;

export function absentNames(generation: Pick<Generation, "plugins" | "checks">, saved: SavedProviders): AbsentNames {
  const providers = new Map(generation.plugins.filter(isProvider).map((plugin) => [plugin.manifest.id, plugin] as const));
  const checks = new Map(generation.plugins.flatMap((plugin) => checksOf(plugin).map((id) => [id, plugin] as const)));
  const judgeProvider = ({ at, name }: Named, workspaceId: string): string | undefined => {
    if (!name.startsWith("@")) return absent({ at, name }, providers);
    const references = saved.get(workspaceId) ?? new Map<string, string>();
    const id = references.get(name);
    if (id !== undefined) return absent({ at, name: id }, providers, `${name} (${id})`);
    return `${at} names ${shown(name)}, which is not saved in this workspace${meant(name, [...references.keys()])}.`;
  };
  const judgeCheck = (named: Named): string | undefined => (generation.checks.has(named.name) ? undefined : absent(named, checks));
  return {
    inConfig: (config, workspaceId) =>
      levelsOf(config).flatMap((level) => [
        ...[...providersNamed(level)].flatMap((named) => judgeProvider(named, workspaceId) ?? []),
        ...[...checksNamed(level)].flatMap((named) => judgeCheck(named) ?? []),
      ]),
    inChecks: (written) => written.flatMap(({ id }, i) => judgeCheck({ at: `checks[${i}].id`, name: id }) ?? []),
  };
}

const isProvider = ({ manifest }: PluginState): boolean => manifest.kind === "provider";

/** The ids of a pack's checks, also where it does not run; those of a bare pack are known by their bare names too. */
function checksOf({ manifest: { kind, id, bare, provides = [] } }: PluginState): readonly string[] {
  if (kind !== "guardrail") return [];
  return bare ? provides.flatMap((check) => [check, check.slice(id.length + 1)]) : provides;
}

/** What is wrong with a name that a plugin should provide; nothing where that plugin runs. */
function absent({ at, name }: Named, provided: ReadonlyMap<string, PluginState>, written = name): string | undefined {
  const plugin = provided.get(name);
  if (!plugin) return `${at} names ${shown(written)}, which there is not${meant(name, [...provided.keys()])}.`;
  if (plugin.state === "running") return undefined;
  const state = plugin.state === "disabled" ? `it is off: ${plugin.why}` : plugin.why;
  return `${at} names ${written}, which ${plugin.name} provides; ${state?.replace(/\.$/, "")}.`;
}

function meant(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  return near === undefined ? "" : `; ${near} was probably meant`;
}
const shown = (name: string): string => name.slice(0, 80);
