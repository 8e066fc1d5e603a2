import {
  type Collection,
  Configs,
  DEFAULT_WORKSPACE,
  GatewayError,
  Guardrails,
  Integrations,
  type Json,
  PluginCredentials,
  Providers,
  RateLimitPolicies,
  type RecordOf,
  removeKeys,
  type Records,
  type RuleInput,
  type Workspaces,
} from "#contract";
import { forgetGranted } from "./granted.ts";

type Workspace = RecordOf<typeof Workspaces>;
type Input = Pick<RuleInput, "records">;

/** What a workspace may not hold when it is deleted: somebody would miss it. */
const HOLDINGS: readonly (readonly [noun: string, collection: Collection, where: Json])[] = [
  ["configs", Configs, { status: "active" }],
  ["guardrails", Guardrails, { status: "active" }],
  ["providers", Providers, {}],
  ["integrations", Integrations, { status: "active" }],
  ["rate-limit policies", RateLimitPolicies, { status: "active" }],
  ["plugin records", PluginCredentials, {}],
];

export async function refuseRemoval(workspace: Workspace, { records }: Input): Promise<void> {
  if (workspace.slug === DEFAULT_WORKSPACE) throw inUse(workspace, "it is the one that its organisation always has");
  for (const [noun, collection, where] of HOLDINGS) {
    const rows = records.in(collection) as unknown as Records<Json>; // each of them is of a workspace
    if (await rows.first({ ...where, workspace_id: workspace.id })) throw inUse(workspace, `it holds ${noun}`);
  }
}
const inUse = ({ name }: Workspace, why: string): GatewayError =>
  new GatewayError("IN_USE", { what: `The workspace ${name}`, action: "deleted", why });

/**
 * Its keys are gone: they stop everywhere at once; and what was granted to it. Done before it is archived, and for what
 * was made meanwhile after that.
 */
export async function closeWorkspace(workspace: Workspace, input: Pick<RuleInput, "records" | "now">): Promise<void> {
  await removeKeys({ workspace_id: workspace.id }, input.records);
  await forgetGranted(workspace, input);
}
