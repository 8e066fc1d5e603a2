import { type Call, type Caller, Integrations, type Plan, Providers, type RecordsHandle, Workspaces } from "#contract";
import { after, all, type MaybePromise } from "./maybe-promise.ts";
import { type Destination, reachOf } from "./reach.ts";

/** What is looked up to name a request: which provider a slug stands for, and the workspace's own slug. */
export const NAME_COLLECTIONS = [Providers, Integrations, Workspaces] as const;

/** What a request is called at one place it may go to, by condition key: each list holds the spellings of one value, the main one first. */
export type Names = (key: string) => readonly string[];
/** One view per place the request may go to; a limit applies when it applies to any of them. No promise when all is warm. */
export type NameReader = (call: Call, caller: Caller, plan: Plan) => MaybePromise<readonly Names[]>;

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

  return (call, caller, plan) => {
    const workspaceId = caller.workspaceId ?? "";
    const places = reachOf(call, plan);
    const lookedUp = all([slugOf(workspaceId), ...places.map(({ reference }) => providerId(reference, workspaceId))]);
    return after(lookedUp, ([slug, ...providerIds]) => {
      const common = commonNames(call, caller, plan, slug);
      return places.map((place, index) => named(common, targetNames(place, providerIds[index]), plan.metadata));
    });
  };
}

type NameTable = Readonly<Record<string, readonly string[]>>;
const NOTHING: readonly string[] = [];

const commonNames = (call: Call, caller: Caller, plan: Plan, workspaceSlug: string | undefined): NameTable => ({
  api_key: [caller.keyId],
  workspace_id: [caller.workspaceId, workspaceSlug].filter((name) => typeof name === "string"),
  config: plan.configSlug === null ? NOTHING : [plan.configSlug],
  endpoint_type: [call.operation],
});

/** The model that is asked for, not what a provider made of it: the same name before and after (auth-and-limits fact sheet 8). */
function targetNames({ reference, model }: Destination, providerId: string | undefined): NameTable {
  const saved = reference.startsWith("@");
  return {
    provider: providerId ? [providerId] : NOTHING,
    virtual_key: saved ? [reference.slice(1), reference] : NOTHING,
    model: model === "" ? NOTHING : saved ? [`${reference}/${model}`, model] : [model],
  };
}

const METADATA = "metadata.";
const named =
  (common: NameTable, target: NameTable, metadata: Plan["metadata"]): Names =>
  (key) => {
    if (!key.startsWith(METADATA))
      return (Object.hasOwn(target, key) ? target[key] : undefined) ?? (Object.hasOwn(common, key) ? common[key] : undefined) ?? NOTHING;
    const name = key.slice(METADATA.length);
    const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
    return value === undefined ? NOTHING : [value];
  };
