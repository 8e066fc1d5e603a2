import {
  type Caller,
  CallerRole,
  effectiveSecurity,
  GatewayError,
  type Json,
  mayOverride,
  Organisations,
  type RecordOf,
  type RuleInput,
  type SecurityValues,
  storedKeySettings,
  workspaceSecurity,
  Workspaces,
} from "#contract";

type Workspace = RecordOf<typeof Workspaces>;
type Input = Pick<RuleInput, "records" | "caller" | "organisationId">;

const settingsOf = async ({ records, organisationId }: Pick<Input, "records" | "organisationId">): Promise<Json> =>
  (await records.in(Organisations).get(organisationId))?.settings ?? {};

/** What a workspace says of its security, in the categories that its organisation lets it decide. */
export async function storedSecurity(given: object | null, input: Input, before: Workspace | undefined): Promise<Json | null> {
  if (given === null) return null; // a new workspace has said nothing
  if (!decides(input.caller))
    throw new GatewayError("ACCESS_DENIED", { what: "security settings with this key" }, { param: "security_settings" });
  const { kept, refused } = workspaceSecurity(await settingsOf(input), before?.security_settings ?? null, given as SecurityValues); // by its schema
  if (refused === undefined) return kept;
  const what = `The organisation does not let workspaces decide about ${refused}: enable it there, in workspace_overrides.`;
  throw new GatewayError("REQUEST_INVALID", { what }, { param: `security_settings.${refused}` });
}
/** A limit that whom it binds could lift is none. */
export function refuseOwnLimits(body: { readonly [M in (typeof LIMITS)[number]]?: unknown }, caller: Caller): void {
  const param = decides(caller) ? undefined : LIMITS.find((member) => body[member] !== undefined);
  if (param !== undefined) throw new GatewayError("ACCESS_DENIED", { what: "the limits of the workspace with this key" }, { param });
}
const LIMITS = ["rate_limits", "usage_limits"] as const;

/** Whoever security settings bind does not set them; a key of the workspace may be anybody's. */
const decides = (caller: Caller): boolean => caller.keyType === "organisation-service" || CallerRole.of(caller) === "admin";

/** The values that hold in each of these workspaces. */
export async function securityOf(
  workspaces: readonly { readonly id: string }[],
  input: RuleInput,
): Promise<{ security_settings: SecurityValues }[]> {
  const settings = await settingsOf(input);
  return Promise.all(
    workspaces.map(async ({ id }) => {
      const found = await input.records.in(Workspaces).get(id);
      return { security_settings: effectiveSecurity(settings, found?.security_settings ?? null) };
    }),
  );
}

/** What a workspace says of user keys, member by member, where its organisation lets it. */
export async function storedSettings(given: object | null, input: Input & Pick<RuleInput, "catalog">, before: Workspace | undefined) {
  if (given === null) return null; // a new workspace has said nothing
  if (!decides(input.caller))
    throw new GatewayError("ACCESS_DENIED", { what: "settings of user keys with this key" }, { param: "settings" });
  if (mayOverride(await settingsOf(input))) return { ...before?.settings, ...storedKeySettings(given, input.catalog) };
  const what = "The organisation does not let workspaces decide about user keys: enable it there, with user_api_key_workspace_overrides.";
  throw new GatewayError("REQUEST_INVALID", { what }, { param: "settings" });
}
