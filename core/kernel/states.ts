import { type Generations, type Health, messageOf } from "#contract";
import type { Generation, PluginState } from "./generation.ts";
import { KIND_RULES } from "./kinds.ts";
import { type DeployedPlugin, isUp } from "./life.ts";
import { isGuard } from "./discovery/manifest.ts";
import type { MissingSecrets } from "./secrets/missing-secrets.ts";

/* What is told of plugins and of other parts: to readers of a generation, to operators, to who asks how it is doing. */

export function stateOf(deployed: DeployedPlugin, redact: (text: string) => string): PluginState {
  const { name, manifest, origin, required, isolate, stage } = deployed;
  const error = stage.at === "failed" ? stage.error : undefined;
  const why = error?.message ?? ("why" in stage ? stage.why : null);
  return {
    name,
    manifest,
    origin,
    isolate,
    required: required || (error !== undefined && isGuard(manifest)), // no request passes without it
    state: error ? "failed" : isUp(deployed) ? "running" : "disabled",
    why: why === null ? null : redact(why),
    code: error?.code ?? null,
    provides: shownIds(deployed),
  };
}

/** What operators are shown that it provides: the names of its manifest's `provides`, else the ids it took. */
function shownIds(deployed: DeployedPlugin): readonly string[] {
  if (!isUp(deployed)) return [];
  const { instance, ids } = deployed.stage;
  const named = KIND_RULES[deployed.manifest.kind].named?.(instance.running.provides);
  return named ?? ids.map((id) => id.slice(id.indexOf(" ") + 1));
}

/** A secret may come and go while the plugin runs. */
export function alsoLacking(state: PluginState, missing: MissingSecrets): PluginState {
  const lacks = state.state === "running" ? missing.of(state.manifest) : [];
  return lacks.length === 0 ? state : { ...state, why: lacks.join(" ") };
}

type Shown = ReturnType<Generations["states"]>;

/** Plugins, then folders that hold none that could be read: they have no other name than their own. */
export const shownStates = ({ plugins, unreadable }: Generation): Shown => [
  ...plugins.map(({ manifest: { version, title, needs = [] }, ...state }) => ({ ...state, version, title, needs })),
  ...unreadable.map(({ origin, why, code }) => ({ ...UNREAD, name: origin, why, code })),
];
const UNREAD = {
  version: "",
  title: "(no readable manifest)",
  needs: [],
  state: "failed",
  required: false,
  isolate: "none",
  provides: [],
} as const;

/** Parts of the process that are no plugin (memory, the event loop, …), by name; each puts itself in once, at start. */
export type PartHealth = Map<string, () => Health>;

/** How every part and every running plugin that tells is doing. */
export function healthOf(all: readonly DeployedPlugin[], parts: PartHealth, missing: MissingSecrets): ReadonlyMap<string, Health> {
  const plugins = all.filter(isUp).flatMap(({ name, manifest, stage: { instance } }) => {
    const { running } = instance;
    const lacks = missing.of(manifest);
    return running.health || lacks.length > 0 ? [[name, () => lacking(running.health?.(), lacks)] as const] : [];
  });
  return new Map([...parts, ...plugins].map(([name, tell]) => [name, healthFrom(tell)]));
}

const lacking = (health: Health | undefined, lacks: readonly string[]): Health => ({
  degraded: [],
  ...health,
  lacking: [...(health?.lacking ?? []), ...lacks],
});

/** A part that cannot even tell how it is doing is not doing well. */
function healthFrom(tell: () => Health | undefined): Health {
  try {
    return tell() ?? { degraded: [] };
  } catch (thrown) {
    return { degraded: [`It could not say how it is doing: ${messageOf(thrown)}.`] };
  }
}
