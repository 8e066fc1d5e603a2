import { TypeCompiler } from "@sinclair/typebox/compiler";
import { type Branch, CONFIG_MEMBERS, ConfigBody, GatewayError, isJson, type Json, type Leaf, type TargetNode } from "#contract";
import { lowered } from "../kernel/shape.ts";

/** How many targets a config may have (routing-config fact sheet 11). */
export interface TargetCaps {
  readonly root: number;
  readonly conditionalRoot: number;
  readonly nested: number;
}

const DEFAULT_RETRY_STATUSES = [429, 500, 502, 503, 504, 529] as const;
const MAX_RETRIES = 5;

const check = TypeCompiler.Compile(ConfigBody);

/** Judges a config's shape and turns it into the tree of targets a plan walks. */
export function compileConfig(config: unknown, caps: TargetCaps): TargetNode {
  if (!isJson(config)) throw new GatewayError("CONFIG_INVALID", { why: "it must be a JSON object" });
  if ("options" in config)
    throw new GatewayError("CONFIG_INVALID", { why: "`options` is no longer read; write `targets`" }, { param: "options" });
  if (!check.Check(config)) throw notOfTheShape(config);
  const cap = config.strategy?.mode === "conditional" ? caps.conditionalRoot : caps.root;
  return nodeOf(config, BASE, { path: "config", cap, nested: caps.nested });
}

function notOfTheShape(config: Json): GatewayError {
  const problem = check.Errors(config).First();
  return new GatewayError(
    "CONFIG_INVALID",
    { why: `${problem?.path || "/"}: ${problem ? lowered(problem.message) : "not of the documented shape"}` },
    { param: problem?.path ?? "" },
  );
}

/** What a nested target takes over from the levels above it (routing-config fact sheet 11). */
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
});

interface Place {
  readonly path: string;
  /** Targets allowed at this level. */
  readonly cap: number;
  readonly nested: number;
}

function nodeOf(config: ConfigBody, above: Inherited, at: Place): TargetNode {
  const settings = inherit(config, above);
  const own = { path: at.path, name: config.name ?? null, weight: config.weight ?? 1 };
  if (!config.targets) return leafOf(config, settings, own);
  return branchOf(config, config.targets as ConfigBody[], settings, own, at); // the schema is recursive; its static type is not
}

type Own = Pick<Leaf, "path" | "name" | "weight">;

function branchOf(config: ConfigBody, targets: readonly ConfigBody[], settings: Inherited, own: Own, at: Place): Branch {
  if (targets.length > at.cap)
    throw new GatewayError("CONFIG_INVALID", { why: `${at.path}.targets has ${targets.length} items, at most ${at.cap} are allowed` });
  const strategy: Json = { mode: "single", ...(config.on_status_codes && { on_status_codes: config.on_status_codes }), ...config.strategy };
  const children = targets.map((target, i) =>
    nodeOf(target, settings, { path: `${at.path}.targets[${i}]`, cap: at.nested, nested: at.nested }),
  );
  return { kind: "branch", ...own, mode: String(strategy["mode"]), settings: strategy, targets: children };
}

function leafOf(config: ConfigBody, settings: Inherited, own: Own): Leaf {
  const provider = config.provider ?? (config.virtual_key === undefined ? null : `@${config.virtual_key.replace(/^@/, "")}`);
  return { kind: "leaf", ...own, ...settings, provider, apiKey: config.api_key ?? null, fields: providerFields(config) };
}

/** Members that are not the config's own belong to the provider's target schema, which judges them later. */
function providerFields(config: ConfigBody): Json {
  const fields: Json = {};
  for (const [key, value] of Object.entries(config)) if (!CONFIG_MEMBERS.has(key) || key === "anthropic_beta") fields[key] = value;
  return fields;
}

function inherit(config: ConfigBody, above: Inherited): Inherited {
  return {
    retry: config.retry ? retryOf(config.retry) : above.retry,
    cache: config.cache ? { mode: config.cache.mode, maxAgeSec: config.cache.max_age ?? null } : above.cache,
    customHost: config.custom_host ?? above.customHost,
    timeoutMs: config.request_timeout ?? above.timeoutMs,
    forwardHeaders: config.forward_headers ?? above.forwardHeaders,
    strict: config.strict_open_ai_compliance ?? above.strict,
    overrideParams: merged(above.overrideParams, config.override_params),
    defaultParams: merged(above.defaultParams, config.default_params),
    dropParams: config.drop_params ? [...above.dropParams, ...config.drop_params] : above.dropParams,
    inputGuardrails: guardrailsOf(config.before_request_hooks, config.input_guardrails) ?? above.inputGuardrails,
    outputGuardrails: guardrailsOf(config.after_request_hooks, config.output_guardrails) ?? above.outputGuardrails,
  };
}

const merged = (above: Json | null, own: Json | undefined): Json | null => (own ? { ...above, ...own } : above);

/** Older hook objects come before the shorthand entries. */
function guardrailsOf(
  hooks: Leaf["inputGuardrails"] | undefined,
  shorthand: Leaf["inputGuardrails"] | undefined,
): Leaf["inputGuardrails"] | undefined {
  return hooks || shorthand ? [...(hooks ?? []), ...(shorthand ?? [])] : undefined;
}

function retryOf(retry: NonNullable<ConfigBody["retry"]>): Leaf["retry"] {
  return {
    attempts: Math.min(retry.attempts, MAX_RETRIES),
    onStatusCodes: retry.on_status_codes ?? DEFAULT_RETRY_STATUSES,
    useRetryAfter: retry.use_retry_after_headers ?? retry.use_retry_after_header ?? false,
  };
}
