import type { Generations } from "#contract";
import type { Generation, PluginState } from "./generation.ts";

type Shown = ReturnType<Generations["states"]>;

/** Plugins, then folders that hold none that could be read: they have no other name than their own. */
export const shownStates = ({ plugins, unreadable }: Generation): Shown => [
  ...plugins.map(shownState),
  ...unreadable.map(({ origin, why, code }) => ({
    name: origin,
    version: "",
    title: "(no readable manifest)",
    needs: [],
    state: "failed" as const,
    why,
    code,
    required: false,
    provides: [],
  })),
];
const shownState = ({ name, manifest, state, why, code, required, provides }: PluginState): Shown[number] => {
  const { version, title, needs = [] } = manifest;
  return { name, version, title, needs, state, why, code, required, provides };
};
