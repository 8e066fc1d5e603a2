import {
  type ApiKeys,
  type RuleInput,
  GatewayError,
  isJson,
  type KeyType,
  maskGatewayKey,
  newGatewayKey,
  permissionIn,
  type RecordOf,
  reactivated,
  refuseAboveRole,
  scheduled,
  type Tenancy,
  type UsageLimits,
  type Where,
  type Written,
} from "#contract";
import { keyRulesOf } from "./key-rules.ts";
import { keepsToOwn, ownerOf, refuseOthersKey } from "./owner.ts";
import { refuseTooMany } from "./key-limit.ts";
import { expiring, timed } from "./timing.ts";
import { boundToo, refuseWider, type Width, widthOf, widthOfCaller } from "./width.ts";

type ApiKey = RecordOf<typeof ApiKeys>;
type Body = Written<(typeof ApiKeys)["fields"]>;
type Policy = Body["rotation_policy"];

const TYPES: readonly KeyType[] = ["organisation-service", "workspace-service", "workspace-user"];
/** `workspace_user_api_keys` */
export const familyOf = (type: KeyType): string => `${type.replace("-", "_")}_api_keys`;

export const FAMILIES = TYPES.map(familyOf);

/** A user key is always of a workspace; a service key is the organisation's when no workspace is named. */
export const tenancyOf = (params: Readonly<Record<string, string>>): Tenancy => (params["sub-type"] === "user" ? "workspace" : "either");

type Draft = Omit<ApiKey, "id" | "created_at" | "last_updated_at" | "organisation_id" | "workspace_id">;
/** What the body and the defaults say of a new key. */
type Given = Omit<Draft, "type" | "digest" | "masked_key">;
type Creation = RuleInput<{ readonly user_id?: string; readonly rotation_policy?: Policy }>;

export async function make(input: Creation, given: Given): Promise<{ record: Draft; once: string }> {
  const type = typeOf(input);
  const once = newGatewayKey(input.vault);
  const maker = await widthOfCaller(input);
  const rules = await keyRulesOf({ type, organisation_id: input.organisationId, workspace_id: input.workspaceId }, input.records);
  const record = {
    ...boundToo(given, maker),
    ...scheduled(input.body.rotation_policy ?? null, { now: input.now, enforcedDays: rules.rotationDays }),
    ...expiring(given.expires_at, rules, input.now),
    ...{ type, user_id: ownerOf(type, input.body.user_id, input.caller) },
    ...{ digest: input.vault.digest(once), masked_key: maskGatewayKey(once, input.vault) },
  };
  refuseWider("create", widthOf(record, maker.table), maker);
  await refuseBeyondPerson(record, input).catch((thrown: unknown) => {
    throw GatewayError.is(thrown) && thrown.param === "user_id" && tookDefault(input) ? workspaceMissing(thrown) : thrown;
  });
  if (input.workspaceId !== null) await refuseTooMany(input.workspaceId, rules, input, 1);
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

/** Nobody touches a key that may do more than theirs, and a member of a workspace no one else's. */
export const refuseWiderRecord =
  (deed: string) =>
  async (record: ApiKey, input: Pick<RuleInput, "caller" | "records" | "catalog">): Promise<void> => {
    refuseOthersKey(record, input, deed);
    const maker = await widthOfCaller(input);
    refuseWider(deed, widthOf(record, maker.table), maker);
  };

type Change = RuleInput<{
  readonly reset_usage?: boolean;
  readonly usage_limits?: UsageLimits | null;
  readonly rotation_policy?: Policy;
}>;
export async function change(record: ApiKey, input: Change, given: Partial<Draft>): Promise<Partial<Draft>> {
  const maker = await widthOfCaller(input);
  if (input.body.reset_usage) refuseReset(maker);
  const revision = { ...boundToo(given, maker), ...(await timed(record, input, given)), ...reactivated(record, input.body) };
  refuseWider("make", widthOf({ ...record, ...revision }, maker.table), maker);
  if (revision.scopes) await refuseBeyondPerson({ ...record, ...revision }, input);
  return revision;
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
    ...(keepsToOwn(caller) && { user_id: caller.userId }),
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
