import type { Body, Call, Json, Leaf, Plan, TargetNode } from "#contract";

/** A place a request may go to. */
export interface Destination {
  /** A provider's id or `@slug`; empty when nothing names one. */
  readonly reference: string;
  /** What is asked of that provider, without `@slug/`; empty when nothing names one. */
  readonly model: string;
}
export const NOWHERE: Destination = { reference: "", model: "" };

/** Every place a request may go to, each once: the model is what its target makes of the body, and `@slug/model` in it wins. */
export function reachOf(call: Call, plan: Plan): readonly Destination[] {
  const sent = sentOf(call, plan);
  const providerName = providerIn(call);
  const found = waysOf(plan.root).map((way) => destination(modelAt(way, sent), way.provider ?? providerName));
  return found.length === 1 ? found : distinct(found, ({ reference, model }) => JSON.stringify([reference, model]));
}

/** The saved providers that a request may go to, each once, without what is asked of them. */
export function slugsReached(call: Call, plan: Plan): Iterable<string> {
  const sent = sentOf(call, plan);
  const providerName = providerIn(call);
  const slugs = new Set<string>();
  for (const way of waysOf(plan.root)) {
    const { reference } = destination(modelAt(way, sent), way.provider ?? providerName);
    if (reference.startsWith("@")) slugs.add(reference.slice(1));
  }
  return slugs;
}

const providerIn = ({ control: { provider, virtualKey } }: Call): string =>
  provider ?? (virtualKey === undefined ? "" : `@${virtualKey.replace(/^@/, "")}`);

function destination(model: string, provider: string): Destination {
  const slash = model.startsWith("@") ? model.indexOf("/") : -1;
  return slash > 0 ? { reference: model.slice(0, slash), model: model.slice(slash + 1) } : { reference: provider, model };
}

/** What a body says under `model`: nothing, null, or a text; what is neither names no model, as an empty text does. */
type ModelMember = string | null | undefined;
const modelMemberIn = (body: Json | null): ModelMember => {
  if (!body || !Object.hasOwn(body, "model")) return undefined;
  const model = body["model"];
  return typeof model === "string" || model === null ? model : "";
};

interface Sent {
  /** Only a JSON body takes a target's parameters. */
  readonly shaped: boolean;
  readonly inBody: ModelMember;
  /** What holds when the shaped body names none. */
  readonly otherwise: string;
}
function sentOf({ body, search }: Call, { model }: Plan): Sent {
  if (model !== null) return { shaped: true, inBody: model, otherwise: model };
  const otherwise = modelInForm(body) ?? new URLSearchParams(search).get("model") ?? "";
  return body.kind === "json"
    ? { shaped: true, inBody: modelMemberIn(body.value), otherwise }
    : { shaped: false, inBody: undefined, otherwise };
}

/** What a form asks for, once that is known. */
function modelInForm(body: Body): string | undefined {
  if (body.kind === "form" || body.kind === "raw") return body.model?.();
  return body.kind === "form-read" ? body.fields["model"] : undefined;
}

/** What of a target decides where a request goes. */
interface Way {
  readonly provider: string | null;
  readonly override: ModelMember;
  readonly standard: ModelMember;
  readonly drops: boolean;
}

/** Defaults where the client left it out, overrides always, drops last. */
function modelAt({ override, standard, drops }: Way, { shaped, inBody, otherwise }: Sent): string {
  if (!shaped || drops) return otherwise;
  return firstGiven(override, firstGiven(inBody, standard)) ?? otherwise;
}

const firstGiven = (first: ModelMember, second: ModelMember): ModelMember => (first === undefined ? second : first);

const waysOfTree = new WeakMap<TargetNode, readonly Way[]>();
/** Each tree is walked once: plans of one config share it. */
function waysOf(root: TargetNode): readonly Way[] {
  const before = waysOfTree.get(root);
  if (before) return before;
  const ways = distinct(leavesOf(root).map(wayOf), (way) => JSON.stringify(way));
  waysOfTree.set(root, ways);
  return ways;
}
const leavesOf = (node: TargetNode): readonly Leaf[] => (node.kind === "leaf" ? [node] : node.targets.flatMap(leavesOf));

function wayOf({ provider, overrideParams, defaultParams, dropParams }: Leaf): Way {
  const override = modelMemberIn(overrideParams);
  const standard = modelMemberIn(defaultParams);
  const plain = override === undefined && standard === undefined;
  return { provider, override, standard, drops: !plain && dropParams.some(isModel) };
}
/** A path to drop: brackets and dots only part its steps. */
const isModel = (path: string): boolean => path.replace(/[.[\]]+/g, " ").trim() === "model";

function distinct<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[] {
  return [...new Map(items.map((item) => [nameOf(item), item])).values()];
}
