import {
  after,
  type Branch,
  type Call,
  type Caller,
  Configs,
  GatewayError,
  isJson,
  isUuid,
  type Json,
  type Leaf,
  type MaybePromise,
  messageOf,
  openSecrets,
  type Plan,
  type RecordOf,
  type TargetNode,
  Workspaces,
} from "#contract";
import { boundedJson, CONTROL_VALUES, MAX_DEPTH } from "../../json/bounded.ts";
import type { OwnKeys } from "../../kernel/secrets/own-keys.ts";
import type { Generation } from "../../kernel/generation.ts";
import { BASE, compileConfig } from "./compile.ts";
import { inlineConfigs } from "./inline-configs.ts";
import { leavesPin } from "./pin.ts";
import { metadataOf } from "./metadata.ts";

/** Makes plans: headers, saved config and the defaults of key and workspace -> what will be done, frozen. */
export type Planner = (call: Call, caller: Caller) => Plan | Promise<Plan>;

interface WorkspaceDefaults {
  readonly metadata: Readonly<Record<string, string>>;
  readonly input: Leaf["inputGuardrails"];
  readonly output: Leaf["outputGuardrails"];
}
interface Chosen {
  readonly slug: string | null;
  readonly root: TargetNode;
}

export function planner(gen: Pick<Generation, "stores" | "config" | "vault">, ownKeys: Pick<OwnKeys, "foundIn">): Planner {
  const inline = inlineConfigs<Chosen>();
  const usable = (record: RecordOf<typeof Configs>) => ({
    active: record.status === "active",
    slug: record.slug,
    config: openSecrets(record.config, gen.vault),
    compiled: undefined as Chosen | undefined,
  });
  const bySlug = gen.stores.records.lookup(Configs, ["workspace_id", "slug"], usable);
  const byId = gen.stores.records.lookup(Configs, ["workspace_id", "id"], usable);
  const workspace = gen.stores.records.lookup(Workspaces, ["id"], (record) => defaultsOf(record.defaults));

  const fromText = (text: string): Chosen => {
    const cached = inline.get(text);
    if (cached) return cached;
    const compiled: Chosen = { slug: null, root: compileConfig(jsonConfig(text), gen.config, "written", ownKeys) };
    inline.set(text, compiled);
    return compiled;
  };
  const fromSlug = (slug: string, workspaceId: string): MaybePromise<Chosen> =>
    after((isUuid(slug) ? byId : bySlug)(workspaceId, slug), (record) => {
      if (!record?.active) throw new GatewayError("CONFIG_UNKNOWN", { config: slug }, { param: "x-gateway-config" });
      return (record.compiled ??= { slug: record.slug, root: compileConfig(record.config, gen.config, "saved", ownKeys) });
    });
  const choose = (call: Call, caller: Caller): MaybePromise<Chosen> => {
    const asked = call.control.config;
    if (asked !== undefined && !caller.allowConfigOverride && asked !== caller.configId)
      throw leavesPin("a config of the request's own", "x-gateway-config");
    if (asked !== undefined && isInline(asked)) return fromText(asked);
    const slug = asked ?? caller.configId;
    return slug === null || slug === undefined ? NO_CONFIG : fromSlug(slug, caller.workspaceId ?? "");
  };

  return (call, caller) => {
    const chosen = choose(call, caller);
    const defaults = caller.workspaceId === null ? undefined : workspace(caller.workspaceId);
    return after(chosen, (config) =>
      after(defaults, (workspaceDefaults) => planOf({ call, caller, chosen: config, defaults: workspaceDefaults, ownKeys })),
    );
  };
}

/** Is the config written out in the request, and not the name of a saved one? */
export const isInline = (config: string): boolean => config.trimStart().startsWith("{");

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

const NO_CONFIG: Chosen = Object.freeze({ root: PLAIN, slug: null });

/** What a plan is made from. */
interface PlanParts {
  readonly call: Call;
  readonly caller: Caller;
  readonly chosen: Chosen;
  readonly defaults: WorkspaceDefaults | undefined;
  readonly ownKeys: Pick<OwnKeys, "foundIn">;
}
function planOf({ call, caller, chosen, defaults, ownKeys }: PlanParts): Plan {
  const model = call.body.kind === "json" && typeof call.body.value["model"] === "string" ? call.body.value["model"] : null;
  return Object.freeze({
    root: withDefaults(chosen.root, defaults),
    metadata: Object.assign(metadataIn(call, ownKeys), caller.metadata, defaults?.metadata),
    configSlug: chosen.slug,
    model,
  });
}

/** Later wins: body `user`, request, and then key and workspace. It goes to whom checks ask: a key of the gateway in it counts as not given. */
function metadataIn(call: Call, ownKeys: Pick<OwnKeys, "foundIn">): Record<string, string> {
  const user = call.body.kind === "json" ? call.body.value["user"] : undefined;
  const metadata: Record<string, string> = {};
  if (typeof user === "string" && user.length <= 128 && !ownKeys.foundIn(user)) metadata["_user"] = user;
  if (call.control.metadata === undefined) return metadata;
  const given = metadataOf(call.control.metadata);
  for (const name in given) if (!ownKeys.foundIn(name) && !ownKeys.foundIn(given[name] ?? "")) metadata[name] = given[name] ?? "";
  return metadata;
}

function defaultsOf(raw: Json): WorkspaceDefaults {
  const list = (value: unknown): Leaf["inputGuardrails"] =>
    Array.isArray(value) ? value.filter((item): item is string | Json => typeof item === "string" || isJson(item)) : [];
  return { metadata: metadataOf(raw["metadata"]), input: list(raw["input_guardrails"]), output: list(raw["output_guardrails"]) };
}

const guarded = new WeakMap<WorkspaceDefaults, WeakMap<TargetNode, TargetNode>>();

/** Default guardrails are added to every target and cannot be overridden by a config. Made once for each tree. */
function withDefaults(root: TargetNode, defaults: WorkspaceDefaults | undefined): TargetNode {
  if (!defaults || (defaults.input.length === 0 && defaults.output.length === 0)) return root;
  const byNode = guarded.get(defaults) ?? new WeakMap<TargetNode, TargetNode>();
  guarded.set(defaults, byNode);
  const made = byNode.get(root) ?? guardedNode(root, { input: withFirst(defaults.input), output: withFirst(defaults.output) });
  byNode.set(root, made);
  return made;
}

type AddFirst = (list: Leaf["inputGuardrails"]) => Leaf["inputGuardrails"];
function guardedNode(node: TargetNode, add: { readonly input: AddFirst; readonly output: AddFirst }): TargetNode {
  if (node.kind === "branch") return { ...node, targets: node.targets.map((target) => guardedNode(target, add)) } satisfies Branch;
  return {
    ...node,
    inputGuardrails: add.input(node.inputGuardrails),
    outputGuardrails: add.output(node.outputGuardrails),
  };
}

/** Made once for each list: targets that share one, by taking it over, go on sharing one. */
function withFirst(first: Leaf["inputGuardrails"]): AddFirst {
  const made = new Map<Leaf["inputGuardrails"], Leaf["inputGuardrails"]>();
  return (list) => {
    const all = made.get(list) ?? [...new Set([...first, ...list])];
    made.set(list, all);
    return all;
  };
}

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
