import {
  after,
  type Caller,
  Configs,
  GatewayError,
  isUuid,
  type Leaf,
  type MaybePromise,
  messageOf,
  openSecrets,
  type RecordOf,
  type TargetNode,
} from "#contract";
import { boundedJson, CONTROL_VALUES, MAX_DEPTH } from "../../json/bounded.ts";
import type { Generation } from "../../kernel/generation.ts";
import type { OwnKeys } from "../../kernel/secrets/own-keys.ts";
import { BASE, compileConfig } from "./compile.ts";
import { inlineConfigs } from "./inline-configs.ts";

/** A config as it is compiled: the same object for as long as it says the same. */
export interface CompiledConfig {
  /** `null` where it was not saved. */
  readonly slug: string | null;
  readonly root: TargetNode;
}
export interface ConfigReader {
  /** A saved one, by slug or id. */
  saved(name: string, workspaceId: Caller["workspaceId"]): MaybePromise<CompiledConfig>;
  /** One that is written out in the request. */
  inline(text: string): CompiledConfig;
}

/** Is the config written out in the request, and not the name of a saved one? */
export const isInline = (config: string): boolean => config.trimStart().startsWith("{");

export function configReader(
  { stores, vault, config: rules }: Pick<Generation, "stores" | "config" | "vault">,
  ownKeys: Pick<OwnKeys, "foundIn">,
): ConfigReader {
  const inline = inlineConfigs<CompiledConfig>();
  const usable = (record: RecordOf<typeof Configs>) => ({
    active: record.status === "active",
    slug: record.slug,
    config: openSecrets(record.config, vault),
    compiled: undefined as CompiledConfig | undefined,
  });
  const bySlug = stores.records.lookup(Configs, ["workspace_id", "slug"], usable);
  const byId = stores.records.lookup(Configs, ["workspace_id", "id"], usable);
  return {
    inline(text) {
      const before = inline.get(text);
      if (before) return before;
      const compiled: CompiledConfig = { slug: null, root: compileConfig(jsonConfig(text), rules, "written", ownKeys) };
      inline.set(text, compiled);
      return compiled;
    },
    saved: (name, workspaceId) =>
      after((isUuid(name) ? byId : bySlug)(workspaceId ?? "", name), (record) => {
        if (!record?.active) throw new GatewayError("CONFIG_UNKNOWN", { config: name }, { param: "x-gateway-config" });
        return (record.compiled ??= { slug: record.slug, root: compileConfig(record.config, rules, "saved", ownKeys) });
      }),
  };
}

const PLAIN: Leaf = Object.freeze({
  kind: "leaf",
  path: "config",
  name: null,
  weight: 1,
  ...BASE,
  provider: null,
  apiKey: null,
  fields: {},
});
/** Of a request that names none, with a key that names none. */
export const NO_CONFIG: CompiledConfig = Object.freeze({ root: PLAIN, slug: null });

/** What the parser says. */
const reasonOf = (thrown: unknown): string => (GatewayError.is(thrown) ? String(thrown.details["why"]) : messageOf(thrown));
function jsonConfig(text: string): unknown {
  try {
    return boundedJson(text, { maxDepth: MAX_DEPTH, maxValues: CONTROL_VALUES });
  } catch (thrown) {
    const isOther = GatewayError.is(thrown) && thrown.code !== "BODY_NOT_JSON";
    const why = isOther ? messageOf(thrown) : `it begins like JSON but is not JSON: ${reasonOf(thrown)}`;
    throw new GatewayError("CONFIG_INVALID", { why: `in the header x-gateway-config, ${why}` }, { param: "x-gateway-config" });
  }
}
