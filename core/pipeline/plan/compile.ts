import { type Branch, CONFIG_MEMBERS, type ConfigLevel, GatewayError, type Json, type Leaf, type TargetNode } from "#contract";
import type { ConfigClaims } from "../../kernel/config/claims.ts";
import type { ConfigRules } from "../../kernel/config/rules.ts";
import { mutator } from "./guardrails/mutator.ts";
import type { OwnKeys } from "../../kernel/secrets/own-keys.ts";
import { givenParams } from "./given-params.ts";

const DEFAULT_RETRY_STATUSES = [429, 500, 502, 503, 504, 529] as const;
const MAX_RETRIES = 5;

/**
 * Judges a config and turns it into the tree of targets a plan walks. `saved`: one that was stored, before members that
 * nothing obeys were refused perhaps, is served as it was.
 */
export function compileConfig(
  config: unknown,
  rules: Pick<ConfigRules, "judge" | "claims">,
  as: "written" | "saved",
  ownKeys: Compiling["ownKeys"],
): TargetNode {
  rules.judge(config, as);
  return nodeOf(config, BASE, "config", { claims: rules.claims, ownKeys, merged: 0 });
}

/** What a nested target takes over from the levels above it. */
type Inherited = Pick<
  Leaf,
  | "retry"
  | "cache"
  | "customHost"
  | "timeoutMs"
  | "forwardHeaders"
  | "strict"
  | "overrideParams"
  | "defaultParams"
  | "dropParams"
  | "inputGuardrails"
  | "outputGuardrails"
  | "members"
>;

const NO_GUARDRAILS: Leaf["inputGuardrails"] = Object.freeze([]);
export const BASE: Inherited = Object.freeze({
  retry: Object.freeze({ attempts: 0, onStatusCodes: DEFAULT_RETRY_STATUSES, useRetryAfter: false }),
  cache: null,
  customHost: null,
  timeoutMs: null,
  forwardHeaders: [],
  strict: null,
  overrideParams: null,
  defaultParams: null,
  dropParams: [],
  inputGuardrails: NO_GUARDRAILS,
  outputGuardrails: NO_GUARDRAILS,
  members: Object.freeze({}),
});

/** One config on its way to a tree. */
interface Compiling {
  readonly claims: ConfigClaims;
  readonly ownKeys: Pick<OwnKeys, "foundIn">;
  /** Members of levels above that were copied to the levels below. */
  merged: number;
}
/** Else a short config could make a tree of any size: each of many targets takes over all of many parameters. */
const MAX_MERGED = 100_000;

function nodeOf(config: ConfigLevel, above: Inherited, path: string, compiling: Compiling): TargetNode {
  const settings = inherit(config, above, compiling);
  const own = { path, name: config.name ?? null, weight: config.weight ?? 1 };
  if (!config.targets) return leafOf(config, settings, own);
  const { targets } = config;
  const children = targets.map((target, i) => nodeOf(target, settings, `${own.path}.targets[${i}]`, compiling));
  return branchOf(config, children, settings, own);
}

type Own = Pick<Leaf, "path" | "name" | "weight">;

function branchOf(config: ConfigLevel, targets: readonly TargetNode[], settings: Inherited, own: Own): Branch {
  const { on_status_codes: statuses, strategy } = config;
  const chosen: Json = { mode: "single", ...(statuses && { on_status_codes: statuses }), ...strategy };
  return { kind: "branch", ...own, members: settings.members, mode: String(chosen["mode"]), settings: chosen, targets };
}

function leafOf(config: ConfigLevel, settings: Inherited, own: Own): Leaf {
  const provider = config.provider ?? (config.virtual_key === undefined ? null : `@${config.virtual_key.replace(/^@/, "")}`);
  return { kind: "leaf", ...own, ...settings, provider, apiKey: config.api_key ?? null, fields: othersOf(config) };
}

/** Members that are not the core's: of plugins, and fields of the provider's target, which its schema judges later. */
function othersOf(config: ConfigLevel): Json {
  const others: Json = {};
  for (const [key, value] of Object.entries(config)) if (!CONFIG_MEMBERS.has(key)) others[key] = value;
  return others;
}

/** What plugins claim, the nearest level's of each member. */
function membersOf(config: ConfigLevel, above: Json, claims: ConfigClaims): Json {
  const own = Object.entries(config).filter(([key]) => claims.config.has(key));
  return own.length === 0 ? above : { ...above, ...Object.fromEntries(own) };
}

function inherit(config: ConfigLevel, above: Inherited, compiling: Compiling): Inherited {
  return {
    retry: config.retry ? retryOf(config.retry) : above.retry,
    cache: config.cache ? { mode: config.cache.mode, maxAgeSec: config.cache.max_age ?? null } : above.cache,
    customHost: config.custom_host ?? above.customHost,
    timeoutMs: config.request_timeout ?? above.timeoutMs,
    forwardHeaders: config.forward_headers ?? above.forwardHeaders,
    strict: config.strict_open_ai_compliance ?? above.strict,
    overrideParams: merged(above.overrideParams, config.override_params, compiling),
    defaultParams: merged(above.defaultParams, config.default_params, compiling),
    dropParams: config.drop_params ? joined(above.dropParams, config.drop_params, compiling) : above.dropParams,
    inputGuardrails: guardrailsOf(config.input_mutators, config.before_request_hooks, config.input_guardrails) ?? above.inputGuardrails,
    outputGuardrails: guardrailsOf(config.output_mutators, config.after_request_hooks, config.output_guardrails) ?? above.outputGuardrails,
    members: membersOf(config, above.members, compiling.claims),
  };
}

function merged(above: Json | null, own: Json | undefined, compiling: Compiling): Json | null {
  if (!own) return above;
  const given = givenParams(own, compiling.ownKeys);
  if (above) countMerged(Object.keys(above).length, compiling);
  return { ...above, ...given };
}
function joined(above: readonly string[], own: readonly string[], compiling: Compiling): readonly string[] {
  countMerged(above.length, compiling);
  return [...above, ...own];
}
function countMerged(count: number, compiling: Compiling): void {
  compiling.merged += count;
  if (compiling.merged > MAX_MERGED)
    throw new GatewayError("CONFIG_INVALID", {
      why: `its targets take over more than ${MAX_MERGED} parameters from the levels above them`,
    });
}

type GuardrailList = Leaf["inputGuardrails"];
/** Mutators come first, and older hook objects before the shorthand entries. */
function guardrailsOf(
  mutators: GuardrailList | undefined,
  hooks: GuardrailList | undefined,
  shorthand: GuardrailList | undefined,
): GuardrailList | undefined {
  return mutators || hooks || shorthand ? [...(mutators ?? []).map(mutator), ...(hooks ?? []), ...(shorthand ?? [])] : undefined;
}

/** The target of a request that says itself how often it is tried again; as it is, where its config says it. */
export const retried = (root: TargetNode, attempts: number): TargetNode =>
  root.kind === "leaf" && root.retry === BASE.retry ? { ...root, retry: retryOf({ attempts }) } : root;

function retryOf(retry: NonNullable<ConfigLevel["retry"]>): Leaf["retry"] {
  return {
    attempts: Math.min(retry.attempts ?? 0, MAX_RETRIES),
    onStatusCodes: retry.on_status_codes ?? DEFAULT_RETRY_STATUSES,
    useRetryAfter: retry.use_retry_after_headers ?? retry.use_retry_after_header ?? false,
  };
}
