import type { Static } from "@sinclair/typebox";
import {
  type ApiKeys,
  type Asked,
  Configs,
  futureTime,
  GatewayError,
  type Json,
  judgeUsageLimits,
  type KeyType,
  type Made,
  maskSecret,
  newGatewayKey,
  type RecordOf,
  type Revision,
  type Tenancy,
  type Where,
} from "#contract";
import type { CreateBody, ListQuery, UpdateBody } from "./schema.ts";
import { grantedScopes } from "./scopes.ts";
import { boundToo, refuseWider, type Width, widthOf, widthOfCaller } from "./width.ts";

type ApiKey = RecordOf<typeof ApiKeys>;
type Schema = typeof ApiKeys.schema;
type Body = Static<typeof CreateBody>;
type Shared = Omit<Body, "name" | "scopes" | "user_id">;

const TYPES: readonly KeyType[] = ["organisation-service", "workspace-service", "workspace-user"];
/** `workspace_user_api_keys` */
export const familyOf = (type: KeyType): string => `${type.replace("-", "_")}_api_keys`;

/** A user key is always of a workspace; a service key is the organisation's when no workspace is named. */
export const tenancyOf = (params: Readonly<Record<string, string>>): Tenancy => (params["sub-type"] === "user" ? "workspace" : "either");

export async function make(asked: Asked<Body>): Promise<Made<Schema>> {
  const { name, scopes, user_id, ...rest } = asked.body;
  const type = typeOf(asked);
  const once = newGatewayKey(asked.vault);
  const maker = await widthOfCaller(asked);
  const record = {
    description: null,
    alert_emails: [],
    expires_at: null,
    rotation_policy: null,
    ...boundToo({ rate_limits: [], usage_limits: null, defaults: {}, ...(await settings(rest, asked)) }, maker),
    name,
    type,
    user_id: ownerOf(type, user_id),
    created_by: asked.actor,
    creation_mode: "api" as const,
    status: "active" as const,
    scopes: grantedScopes(scopes, type, asked.caller),
    digest: asked.vault.digest(once),
    masked_key: maskSecret(once),
  };
  refuseWider("create", widthOf(record), maker);
  return { once, record };
}

export async function change(record: ApiKey, asked: Asked<Static<typeof UpdateBody>>): Promise<Revision<Schema>> {
  const { name, scopes, reset_usage, ...rest } = asked.body;
  const maker = await widthOfCaller(asked);
  refuseWider("edit", widthOf(record), maker);
  if (reset_usage) refuseReset(maker);
  const reactivated = record.status === "exhausted" && (reset_usage === true || raised(record, rest));
  const revision: Revision<Schema> = {
    ...boundToo(await settings(rest, asked), maker),
    ...(name !== undefined && { name }),
    ...(scopes && { scopes: grantedScopes(scopes, record.type, asked.caller) }),
    ...(reactivated && { status: "active" as const }),
  };
  refuseWider("make", widthOf({ ...record, ...revision }), maker);
  return revision;
}

/** Nobody takes away a key that may do more than theirs. */
export const refuseRemoval = async (record: ApiKey, asked: Asked<undefined>): Promise<void> =>
  refuseWider("delete", widthOf(record), await widthOfCaller(asked));

/** Who is bound to a budget could give itself another one, again and again. */
function refuseReset({ budget }: Width): void {
  if ((budget?.credit_limit ?? null) === null) return;
  throw new GatewayError("KEY_TOO_WIDE", { deed: "make", why: "a budget that is reset is above yours" }, { param: "reset_usage" });
}

/** Specification 3: an exhausted key whose limit is raised is usable again. */
const raised = (record: ApiKey, { usage_limits }: Shared): boolean =>
  usage_limits !== undefined && (usage_limits?.credit_limit ?? Number.POSITIVE_INFINITY) > (record.usage_limits?.credit_limit ?? 0);

/** The kinds of key the caller may list. */
export function visible({ query, caller }: Asked<undefined, Static<typeof ListQuery>>): Where<ApiKey> {
  const type = TYPES.filter((one) => caller.scopes.has(`${familyOf(one)}.list`));
  return { type, ...(query.ids !== undefined && { id: query.ids.split(",").map((id) => id.trim()) }) };
}

function typeOf({ params, workspaceId }: Pick<Asked, "params" | "workspaceId">): KeyType {
  const subType = params["sub-type"] ?? "";
  if (subType === "service") return workspaceId === null ? "organisation-service" : "workspace-service";
  if (subType === "user" && workspaceId !== null) return "workspace-user";
  const why = subType === "user" ? "a user key belongs to a workspace" : "the path ends in user or service";
  throw new GatewayError("REQUEST_INVALID", { what: `There is no such kind of key: ${why}.` }, { param: "sub-type" });
}

function ownerOf(type: KeyType, userId: string | undefined): string | null {
  if (type !== "workspace-user") return null;
  if (userId !== undefined) return userId;
  throw new GatewayError("REQUEST_INVALID", { what: "The member user_id is missing; a user key needs it." }, { param: "user_id" });
}

async function settings(body: Shared, asked: Pick<Asked, "now" | "records" | "workspaceId">): Promise<Revision<Schema>> {
  const { description, rate_limits, usage_limits, defaults, alert_emails, expires_at, rotation_policy } = body;
  judgeUsageLimits(usage_limits);
  judgeRotation(rotation_policy);
  return {
    ...(description !== undefined && { description }),
    ...(rate_limits !== undefined && { rate_limits: rate_limits ?? [] }),
    ...(usage_limits !== undefined && { usage_limits }),
    ...(defaults !== undefined && { defaults: await defaultsOf(defaults ?? {}, asked) }),
    ...(alert_emails !== undefined && { alert_emails: alert_emails ?? [] }),
    ...(expires_at !== undefined && { expires_at: expires_at === null ? null : futureTime(expires_at, asked.now, "expires_at") }),
    ...(rotation_policy !== undefined && { rotation_policy }),
  };
}

function judgeRotation(policy: Shared["rotation_policy"]): void {
  if (!policy) return;
  const { rotation_period: period, rotation_period_days: days, next_rotation_at: next } = policy;
  if (period && days)
    throw new GatewayError(
      "REQUEST_INVALID",
      { what: "rotation_period and rotation_period_days exclude each other." },
      { param: "rotation_policy" },
    );
  if (!period && !days && !next) {
    throw new GatewayError(
      "REQUEST_INVALID",
      { what: "The rotation policy needs rotation_period, rotation_period_days or next_rotation_at." },
      { param: "rotation_policy" },
    );
  }
}

/** Requests look configs up by slug, so that is what is kept; a key may only name a config of its own workspace. */
async function defaultsOf(
  defaults: NonNullable<Shared["defaults"]>,
  { records, workspaceId }: Pick<Asked, "records" | "workspaceId">,
): Promise<Json> {
  const { config_id, ...rest } = defaults;
  if (!config_id) return rest;
  const configs = records.in(Configs);
  const inWorkspace = { workspace_id: workspaceId ?? "", status: "active" as const };
  const config = (await configs.first({ ...inWorkspace, slug: config_id })) ?? (await configs.first({ ...inWorkspace, id: config_id }));
  if (!config)
    throw new GatewayError(
      "REQUEST_INVALID",
      { what: `There is no active config ${config_id} in the key's workspace.` },
      { param: "defaults.config_id" },
    );
  return { ...rest, config_id: config.slug };
}
