import { Type } from "@sinclair/typebox";
import {
  type RuleInput,
  GatewayError,
  Integrations,
  judgeUsageLimits,
  mayUse,
  Nullable,
  Providers,
  reactivated,
  resourceOf,
  shown,
  stateAt,
  TagQuery,
  tagged,
} from "#contract";

/** Integrations made usable in one workspace. */
export const providers = resourceOf(Providers, {
  noun: "provider",
  plane: "control",
  path: "/providers",
  tag: "Providers",
  param: "slug",
  by: ["slug", "id"],
  scopes: { families: ["providers"] },
  object: "provider",
  hides: ["organisation_id"],
  decidesRoutes: true,
  shows: {
    status: shown(Providers.fields.status.schema, (record, { now }) => stateAt(record, now)),
    reset_usage: shown(Nullable(Type.Number({ description: "Null: usage is counted once budgets are." })), () => null),
  },
  store: { integration_id: integrationNamed },
  judge: (_, { body }) => judgeUsageLimits(body.usage_limits),
  list: { query: TagQuery, where: async (input) => tagged(Providers, input) },
  create: { answer: ["id", "slug"] },
  update: {
    body: { reset_usage: Type.Optional(Type.Boolean({ description: "`true` makes an exhausted provider active again." })) },
    change: (record, { body }) => reactivated(record, body),
    answer: ["id", "slug"],
  },
});

type InWorkspace = Pick<RuleInput, "records" | "organisationId" | "workspaceId">;
/** The workspace's own integrations and the organisation's may be made into providers. */
async function integrationNamed(named: string, { records, organisationId, workspaceId }: InWorkspace): Promise<string> {
  const reach = { organisation_id: organisationId, workspace_id: [workspaceId, null], status: "active" as const };
  const integrations = records.in(Integrations);
  const found = (await integrations.first({ ...reach, id: named })) ?? (await integrations.first({ ...reach, slug: named }));
  if (found && (await mayUse(found, workspaceId, records))) return found.id;
  throw new GatewayError(
    "REQUEST_INVALID",
    { what: `There is no active integration ${named} that this workspace may use.` },
    { param: "integration_id" },
  );
}
