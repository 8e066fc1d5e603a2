import {
  type ApiKeys,
  type RuleInput,
  Configs,
  GatewayError,
  isJson,
  type Json,
  judgedMetadata,
  type KeyType,
  maskSecret,
  newGatewayKey,
  Organisations,
  permissionIn,
  type RecordOf,
  reactivated,
  refuseAboveRole,
  type Tenancy,
  type UsageLimits,
  type Where,
  type Written,
} from "#contract";
import { boundToo, refuseWider, type Width, widthOf, widthOfCaller } from "./width.ts";

type ApiKey = RecordOf<typeof ApiKeys>;
type Body = Written<(typeof ApiKeys)["fields"]>;

const TYPES: readonly KeyType[] = ["organisation-service", "workspace-service", "workspace-user"];
/** `workspace_user_api_keys` */
export const familyOf = (type: KeyType): string => `${type.replace("-", "_")}_api_keys`;

/** A user key is always of a workspace; a service key is the organisation's when no workspace is named. */
export const tenancyOf = (params: Readonly<Record<string, string>>): Tenancy => (params["sub-type"] === "user" ? "workspace" : "either");

type Draft = Omit<ApiKey, "id" | "created_at" | "last_updated_at" | "organisation_id" | "workspace_id">;
/** What the body and the defaults say of a new key. */
type Given = Omit<Draft, "type" | "digest" | "masked_key">;

export async function make(input: RuleInput<{ readonly user_id?: string }>, given: Given): Promise<{ record: Draft; once: string }> {
  const type = typeOf(input);
  const once = newGatewayKey(input.vault);
  const maker = await widthOfCaller(input);
  const record = {
    ...boundToo(given, maker),
    type,
    user_id: ownerOf(type, input.body.user_id),
    digest: input.vault.digest(once),
    masked_key: maskSecret(once),
  };
  refuseWider("create", widthOf(record, maker.table), maker);
  await refuseBeyondPerson(record, input).catch((thrown: unknown) => {
    throw GatewayError.is(thrown) && thrown.param === "user_id" && tookDefault(input) ? workspaceMissing(thrown) : thrown;
  });
  return { once, record };
}

/** Did an organisation's key name no workspace, so that the key became one of its default workspace? */
const tookDefault = ({ caller, body, query }: Pick<RuleInput, "caller" | "body" | "query">): boolean =>
  caller.workspaceId === null && ![body, query].some((given) => isJson(given) && given["workspace_id"] !== undefined);
const workspaceMissing = ({ message }: GatewayError): GatewayError =>
  new GatewayError(
    "REQUEST_INVALID",
    { what: `The member workspace_id is missing, so that the default workspace was asked. ${message}` },
    { param: "workspace_id" },
  );

/** A user key is somebody's who belongs to its workspace, and holds what that person may do. */
async function refuseBeyondPerson(
  { user_id, scopes }: Pick<ApiKey, "user_id" | "scopes">,
  { records, catalog, organisationId, workspaceId }: Pick<RuleInput, "records" | "catalog" | "organisationId" | "workspaceId">,
): Promise<void> {
  if (user_id === null || workspaceId === null) return;
  refuseAboveRole(scopes, await permissionIn({ organisationId, workspaceId, userId: user_id }, records, catalog.scopes()));
}

/** Nobody edits a key that may do more than theirs. */
export async function refuseWiderRecord(record: ApiKey, input: Pick<RuleInput, "caller" | "records" | "catalog">): Promise<void> {
  const maker = await widthOfCaller(input);
  refuseWider("edit", widthOf(record, maker.table), maker);
}

type Change = RuleInput<{ readonly reset_usage?: boolean; readonly usage_limits?: UsageLimits | null }>;
export async function change(record: ApiKey, input: Change, given: Partial<Draft>): Promise<Partial<Draft>> {
  const maker = await widthOfCaller(input);
  if (input.body.reset_usage) refuseReset(maker);
  const revision = { ...boundToo(given, maker), ...reactivated(record, input.body) };
  refuseWider("make", widthOf({ ...record, ...revision }, maker.table), maker);
  if (revision.scopes) await refuseBeyondPerson({ ...record, ...revision }, input);
  return revision;
}

/** Nobody takes away a key that may do more than theirs. */
export async function refuseRemoval(record: ApiKey, input: RuleInput<undefined>): Promise<void> {
  const maker = await widthOfCaller(input);
  refuseWider("delete", widthOf(record, maker.table), maker);
}

/** Who is bound to a budget could give itself another one, again and again. */
function refuseReset({ budget }: Width): void {
  if ((budget?.credit_limit ?? null) === null) return;
  throw new GatewayError("KEY_TOO_WIDE", { deed: "make", why: "a budget that is reset is above yours" }, { param: "reset_usage" });
}

/** The kinds of key the caller may list; said only where there are others: who may see all is not kept waiting while each is looked at. */
export function visible({ query, caller, workspaceId }: RuleInput<undefined, { readonly ids?: string }>): Where<ApiKey> {
  const there = workspaceId === null ? TYPES : TYPES.filter((keyType) => keyType !== "organisation-service");
  const type = there.filter((keyType) => caller.scopes.has(`${familyOf(keyType)}.list`));
  return {
    ...(type.length < there.length && { type }),
    ...(query.ids !== undefined && { id: query.ids.split(",").map((id) => id.trim()) }),
  };
}

export function typeOf({ params, workspaceId }: Pick<RuleInput, "params" | "workspaceId">): KeyType {
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

export function judgeRotation(policy: Body["rotation_policy"]): void {
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
export async function defaultsOf(
  defaults: NonNullable<Body["defaults"]>,
  { records, workspaceId, organisationId }: Pick<RuleInput, "records" | "workspaceId" | "organisationId">,
): Promise<Json> {
  const { config_id, ...said } = defaults;
  const organisation = await records.in(Organisations).get(organisationId);
  const metadata = judgedMetadata(organisation?.settings ?? {}, "api_key", said.metadata, "defaults.metadata");
  const rest = { ...said, ...((said.metadata || Object.keys(metadata).length > 0) && { metadata }) };
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
