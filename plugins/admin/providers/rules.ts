import type { Static } from "@sinclair/typebox";
import {
  type Asked,
  futureTime,
  GatewayError,
  Integrations,
  judgeUsageLimits,
  type Made,
  makeSlug,
  type Providers,
  type RecordOf,
  refusePinned,
  type Revision,
} from "#contract";
import type { CreateBody, UpdateBody } from "./schema.ts";

type Provider = RecordOf<typeof Providers>;
type Schema = typeof Providers.schema;
type Shared = Pick<Static<typeof UpdateBody>, "note" | "usage_limits" | "rate_limits" | "expires_at" | "tags">;

export async function make(asked: Asked<Static<typeof CreateBody>>): Promise<Made<Schema>> {
  refusePinned(asked.caller, "providers");
  const { name, slug = makeSlug("", name), integration_id, ...rest } = asked.body;
  const integration = await integrationNamed(integration_id, asked);
  return {
    record: {
      note: null,
      usage_limits: null,
      rate_limits: [],
      expires_at: null,
      tags: {},
      ...settings(rest, asked.now),
      name,
      slug,
      integration_id: integration,
      status: "active",
    },
  };
}

export function change(record: Provider, { body, caller, now }: Asked<Static<typeof UpdateBody>>): Revision<Schema> {
  refusePinned(caller, "providers");
  const { name, reset_usage, ...rest } = body;
  const reactivated = record.status === "exhausted" && (reset_usage === true || raised(record, rest));
  return { ...settings(rest, now), ...(name !== undefined && { name }), ...(reactivated && { status: "active" as const }) };
}

/** Specification 3: an exhausted budget whose limit is raised is usable again. */
const raised = (record: Provider, { usage_limits }: Shared): boolean =>
  usage_limits !== undefined && (usage_limits?.credit_limit ?? Number.POSITIVE_INFINITY) > (record.usage_limits?.credit_limit ?? 0);

function settings({ note, usage_limits, rate_limits, expires_at, tags }: Shared, now: number): Revision<Schema> {
  judgeUsageLimits(usage_limits);
  return {
    ...(note !== undefined && { note }),
    ...(usage_limits !== undefined && { usage_limits }),
    ...(rate_limits !== undefined && { rate_limits: rate_limits === null ? [] : [rate_limits].flat() }),
    ...(expires_at !== undefined && { expires_at: expires_at === null ? null : futureTime(expires_at, now, "expires_at") }),
    ...(tags !== undefined && { tags }),
  };
}

type Place = Pick<Asked, "records" | "organisationId" | "workspaceId">;
/** The workspace's own integrations and the organisation's may be made into providers. */
async function integrationNamed(named: string, { records, organisationId, workspaceId }: Place): Promise<string> {
  const reach = { organisation_id: organisationId, workspace_id: [workspaceId, null], status: "active" as const };
  const integrations = records.in(Integrations);
  const found = (await integrations.first({ ...reach, id: named })) ?? (await integrations.first({ ...reach, slug: named }));
  if (found) return found.id;
  throw new GatewayError(
    "REQUEST_INVALID",
    { what: `There is no active integration ${named} that this workspace may use.` },
    { param: "integration_id" },
  );
}
