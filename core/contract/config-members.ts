import type { TSchema } from "@sinclair/typebox";

/**
 * What a plugin obeys in a config beside what the core obeys itself (`ConfigLevel`). A member belongs to who obeys it:
 * one that no running plugin claims is refused, when a config is saved and when it comes in a request's header, with
 * the place where it stands and who would obey it. The fields of a provider's `target`, the settings of a strategy and
 * those of a cache mode are claims too, made there.
 */
export interface ConfigMembers {
  /** Members of a config and of each of its targets. Found in `node.members`: the nearest level's that has the member. */
  readonly config?: Members;
  /** Members of `strategy`, whatever its mode. Found in `branch.settings`. */
  readonly strategy?: Members;
}
/** Each schema has a description: it becomes the reference page. */
export type Members = Readonly<Record<string, TSchema>>;

/** Documented members that wait for a plugin, and what kind of plugin would obey each: named when one is refused. */
// biome-ignore format: a table, one row a line
export const AWAITED: Readonly<Record<string, string>> = {
  cb_config:               "a circuit breaker (kind policy)",
  prompt_id:               "saved prompts (kind api)",
  passthrough:             "pass-through routing (kind policy)",
  "strategy.cb_config":    "a circuit breaker (kind policy)",
  "strategy.sticky":       "sticky load balancing (kind policy)",
  "strategy.conditions":   "the strategy mode conditional (kind policy)",
  "strategy.default":      "the strategy mode conditional (kind policy)",
};

/** Cache modes of the specification: kept in configs before a cache provides them; answers then say `DISABLED`. */
export const DOCUMENTED_CACHE_MODES: readonly string[] = ["simple", "semantic"];
