import {
  type Branch,
  isJson,
  type Json,
  type Leaf,
  organisationGuardrails,
  type RecordOf,
  type TargetNode,
  type Workspaces,
} from "#contract";
import { metadataOf } from "./metadata.ts";

/** Guardrails that are added to each request. */
export interface DefaultGuardrails {
  readonly input: Leaf["inputGuardrails"];
  readonly output: Leaf["outputGuardrails"];
}
const NONE: DefaultGuardrails = Object.freeze({ input: [], output: [] });

/** What a workspace adds to each of its requests. */
export interface WorkspaceDefaults extends DefaultGuardrails {
  readonly metadata: Readonly<Record<string, string>>;
  /** Config of requests with a user key, where nothing else names one. */
  readonly userKeyConfig: string | null;
  /** It was deleted: a key of it that is still there opens nothing. */
  readonly closed: boolean;
}
/** What an organisation adds to the requests of a workspace, or of its own keys. */
export type OrganisationDefaults = (workspaceId: string | null) => DefaultGuardrails;
export const NO_DEFAULTS: WorkspaceDefaults = Object.freeze({ metadata: {}, input: [], output: [], userKeyConfig: null, closed: false });

export function defaultsOf({ defaults: raw, status }: Pick<RecordOf<typeof Workspaces>, "defaults" | "status">): WorkspaceDefaults {
  const list = (value: unknown): Leaf["inputGuardrails"] =>
    Array.isArray(value) ? value.filter((item): item is string | Json => typeof item === "string" || isJson(item)) : [];
  const config = raw["user_api_key_config"];
  return {
    metadata: metadataOf(raw["metadata"]),
    input: list(raw["input_guardrails"]),
    output: list(raw["output_guardrails"]),
    userKeyConfig: typeof config === "string" ? config : null,
    closed: status === "archived",
  };
}

export const NO_ORGANISATION: OrganisationDefaults = () => NONE;

/** A workspace may be excluded from those on requests, those on answers, or both. The same object comes for the same guardrails. */
export function organisationDefaultsOf(settings: Json): OrganisationDefaults {
  const { input, output, excluded } = organisationGuardrails(settings);
  const kept = new Map<string, DefaultGuardrails>();
  return (workspaceId) => {
    const isExcluded = (list: readonly string[]): boolean => workspaceId !== null && list.includes(workspaceId);
    const made = { input: isExcluded(excluded.input) ? [] : input, output: isExcluded(excluded.output) ? [] : output };
    const key = `${made.input.length} ${made.output.length}`;
    const before = kept.get(key) ?? made;
    kept.set(key, before);
    return before;
  };
}

const guarded = new WeakMap<DefaultGuardrails, WeakMap<TargetNode, TargetNode>>();

/** Default guardrails are added to every target and cannot be overridden by a config. Made once for each tree, whoever asks. */
export function withDefaults(root: TargetNode, defaults: DefaultGuardrails): TargetNode {
  if (defaults.input.length === 0 && defaults.output.length === 0) return root;
  const byNode = guarded.get(defaults) ?? new WeakMap<TargetNode, TargetNode>();
  guarded.set(defaults, byNode);
  const made = byNode.get(root) ?? guardedNode(root, { input: withLast(defaults.input), output: withLast(defaults.output) });
  byNode.set(root, made);
  return made;
}

type AddLast = (list: Leaf["inputGuardrails"]) => Leaf["inputGuardrails"];
function guardedNode(node: TargetNode, add: { readonly input: AddLast; readonly output: AddLast }): TargetNode {
  if (node.kind === "branch") return { ...node, targets: node.targets.map((target) => guardedNode(target, add)) } satisfies Branch;
  return {
    ...node,
    inputGuardrails: add.input(node.inputGuardrails),
    outputGuardrails: add.output(node.outputGuardrails),
  };
}

/**
 * Behind a config's own, so that they have the last word on what those change. Made once for each list: targets that share
 * one, by taking it over, go on sharing one.
 */
function withLast(last: Leaf["inputGuardrails"]): AddLast {
  const made = new Map<Leaf["inputGuardrails"], Leaf["inputGuardrails"]>();
  return (list) => {
    const all = made.get(list) ?? [...list.filter((entry) => !last.includes(entry)), ...new Set(last)];
    made.set(list, all);
    return all;
  };
}
