import {
  after,
  all,
  type Call,
  type Caller,
  Integrations,
  type MaybePromise,
  type Plan,
  Providers,
  type RecordsHandle,
  Workspaces,
} from "#contract";
import { type Destination, NOWHERE, reachOf } from "./reach.ts";

/** What is looked up to name a request: which provider a slug stands for, and the workspace's own slug. */
export const NAME_COLLECTIONS = [Providers, Integrations, Workspaces] as const;

/** What a request is called at one place it may go to, by condition key: each list holds the spellings of one value, the main one first. */
export type Names = (key: string) => readonly string[];
/** One view per place the request may go to; a limit applies when it applies to any of them. No promise when all is warm. */
export type NameReader = (call: Call, caller: Caller, plan: Plan, reads?: Reads) => MaybePromise<readonly Names[]>;
/** What of a request is looked at; for the rest nothing is looked up, and places that differ in nothing else are one. */
export interface Reads {
  readonly destination: boolean;
  readonly workspaceSlug: boolean;
}
const EVERYTHING: Reads = { destination: true, workspaceSlug: true };
export const readsOf = (keys: ReadonlySet<string>): Reads => ({
  destination: keys.has("provider") || keys.has("virtual_key") || keys.has("model"),
  workspaceSlug: keys.has("workspace_id"),
});

export function nameReader(records: RecordsHandle): NameReader {
  const integrationOf = records.lookup(Providers, ["workspace_id", "slug"], (record) => record.integration_id);
  const providerOf = records.lookup(Integrations, ["id"], (record) => record.ai_provider_id);
  const slugOf = records.lookup(Workspaces, ["id"], (record) => record.slug);

  const providerId = (reference: string, workspaceId: string): MaybePromise<string | undefined> => {
    if (!reference.startsWith("@")) return reference;
    return after(integrationOf(workspaceId, reference.slice(1)), (integration) =>
      integration === undefined ? undefined : providerOf(integration),
    );
  };
  const lookedUp = (request: NamedRequest, reads: Reads): MaybePromise<readonly Names[]> => {
    const workspaceId = request.caller.workspaceId ?? "";
    const places = reads.destination ? reachOf(request.call, request.plan) : [NOWHERE];
    const found = all([
      reads.workspaceSlug ? slugOf(workspaceId) : undefined,
      ...places.map(({ reference }) => providerId(reference, workspaceId)),
    ]);
    return after(found, ([slug, ...providerIds]) =>
      places.map((destination, index) => named(request, { workspaceSlug: slug, destination, providerId: providerIds[index] })),
    );
  };
  return (call, caller, plan, reads = EVERYTHING) => {
    const request = { call, caller, plan };
    return reads.destination || reads.workspaceSlug ? lookedUp(request, reads) : [named(request, NOTHING_LOOKED_UP)];
  };
}

interface NamedRequest {
  readonly call: Call;
  readonly caller: Caller;
  readonly plan: Plan;
}
/** A place a request may go to, and what was looked up for it. */
interface RequestPlace {
  readonly workspaceSlug: string | undefined;
  readonly destination: Destination;
  readonly providerId: string | undefined;
}
const NOTHING_LOOKED_UP: RequestPlace = { workspaceSlug: undefined, destination: NOWHERE, providerId: undefined };
const NOTHING: readonly string[] = [];

const METADATA = "metadata.";
const named =
  (request: NamedRequest, place: RequestPlace): Names =>
  (key) => {
    if (key.startsWith(METADATA)) return metadataOf(request.plan, key.slice(METADATA.length));
    return NAMES.get(key)?.(request, place) ?? NOTHING;
  };

function metadataOf({ metadata }: Plan, name: string): readonly string[] {
  const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
  return value === undefined ? NOTHING : [value];
}

const NAMES = new Map<string, (request: NamedRequest, place: RequestPlace) => readonly string[]>([
  ["api_key", ({ caller }) => [caller.keyId]],
  ["workspace_id", ({ caller }, { workspaceSlug }) => [caller.workspaceId, workspaceSlug].filter((name) => typeof name === "string")],
  ["config", ({ plan }) => (plan.configSlug === null ? NOTHING : [plan.configSlug])],
  ["endpoint_type", ({ call }) => [call.operation]],
  ["provider", (_, { providerId }) => (providerId ? [providerId] : NOTHING)],
  ["virtual_key", (_, { destination: { reference } }) => (isSaved(reference) ? [reference.slice(1), reference] : NOTHING)],
  ["model", (_, { destination }) => modelNames(destination)],
]);
/** The model that is asked for, not what a provider made of it: the same name before and after. */
function modelNames({ reference, model }: Destination): readonly string[] {
  if (model === "") return NOTHING;
  return isSaved(reference) ? [`${reference}/${model}`, model] : [model];
}
const isSaved = (reference: string): boolean => reference.startsWith("@");
