/** The shapes of answers, as the fact sheet of the control plane writes them. More members than these may be there. */
import { type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";

export const uuid = Type.String({ pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" });
export const time = Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$" });
export const text = Type.String();
export const int = Type.Integer({ minimum: 0 });
export const bool = Type.Boolean();
export const json = Type.Object({});
export const orNull = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()]);
export const one = (...words: readonly string[]): TSchema => Type.Union(words.map((word) => Type.Literal(word)));
export const list = (item: TSchema): TSchema => Type.Array(item);
export const object = (properties: TProperties): TObject => Type.Object(properties);
export const NOTHING = Type.Object({}, { additionalProperties: false });

const stamps = { created_at: time, last_updated_at: time };
const state = one("active", "archived");
const PAGES = {
  list: (item: TSchema) => object({ object: one("list"), total: int, data: list(item) }),
  data: (item: TSchema) => object({ total: int, data: list(item) }),
  success: (item: TSchema) => object({ success: bool, data: list(item) }),
} as const;
export type Envelope = keyof typeof PAGES;
export const pageOf = (envelope: Envelope, item: TSchema): TSchema => PAGES[envelope](item);

const summary = {
  ...{ id: text, name: text, slug: text, organisation_id: uuid, workspace_id: orNull(uuid), status: state },
  ...{ ...stamps, owner_id: uuid, updated_by: orNull(uuid), target: one("llm", "mcp_tools") },
};
export const GuardrailSummary = object(summary);
const feedback = object({ feedback: object({ value: Type.Number(), weight: Type.Number(), metadata: text }) });
const actions = object({ deny: bool, async: bool, on_success: feedback, on_fail: feedback });
const check = object({ id: text, parameters: json });
export const Guardrail = object({ ...summary, checks: list(check), actions });

const config = {
  ...{ id: uuid, name: text, slug: text, organisation_id: uuid, workspace_id: uuid, is_default: int, status: state },
  ...{ ...stamps, owner_id: uuid, updated_by: orNull(uuid) },
};
export const ConfigItem = object(config);
const versioned = { ...config, format: text, type: text, version_id: uuid };
export const Config = object({ success: bool, data: object({ ...versioned, config: json }) });
export const ConfigVersions = object({ object: text, total: int, data: list(object({ ...versioned, config: text, object: text })) });

const UsageLimits = object({ credit_limit: Type.Optional(orNull(Type.Number())) });
const RateLimits = object({ type: one("requests", "tokens"), unit: one("rpd", "rph", "rpm", "rps", "rpw"), value: Type.Number() });
const spent = one("active", "exhausted", "expired");
export const Provider = object({
  ...{ name: text, integration_id: text, note: orNull(text), status: spent, usage_limits: orNull(UsageLimits), created_at: time },
  ...{ slug: text, rate_limits: orNull(list(RateLimits)), expires_at: orNull(time), object: one("provider") },
});
export const ApiKey = object({
  ...{ id: uuid, key: Type.String({ pattern: "^.{1,4}\\*+.{1,4}$" }), name: text, description: orNull(text), organisation_id: uuid },
  ...{ type: one("organisation-service", "workspace-service", "workspace-user"), workspace_id: orNull(text), user_id: orNull(uuid) },
  ...{ status: spent, ...stamps, creation_mode: one("ui", "api", "auto"), rate_limits: list(RateLimits), scopes: list(text) },
  ...{ usage_limits: orNull(UsageLimits), defaults: json, alert_emails: list(text), expires_at: orNull(time), object: one("api-key") },
});
const condition = object({ key: text, value: Type.Union([text, list(text)]) });
const policy = {
  ...{ id: uuid, name: orNull(text), conditions: list(condition), group_by: list(object({ key: text })), type: one("requests", "tokens") },
  ...{ unit: one("rpm", "rph", "rpd", "rpw"), value: Type.Number(), status: state, workspace_id: uuid, organisation_id: uuid, ...stamps },
};
export const Policy = object({ ...policy, target: one("llm", "mcp_tools") });
export const PolicyAlone = object({ ...policy, target: one("llm", "mcp_tools"), object: text });

const integration = {
  ...{ id: uuid, organisation_id: uuid, ai_provider_id: text, name: text, status: state, created_at: time },
  ...{ last_updated_at: orNull(time), slug: text, description: text, object: one("integration") },
};
export const IntegrationItem = object(integration);
export const Integration = object({ ...integration, configurations: json, secret_mappings: orNull(list(json)) });
const manager = one("aws_sm", "azure_kv", "hashicorp_vault");
const reference = {
  ...{ id: uuid, name: text, slug: text, manager_type: manager, status: one("ACTIVE"), ...stamps, object: one("secret-reference") },
};
export const ReferenceItem = object(reference);
export const Reference = object({
  ...{ ...reference, organisation_id: uuid, description: orNull(text), secret_path: text, secret_key: orNull(text) },
  ...{ allow_all_workspaces: bool, tags: orNull(json), created_by: text, auth_config: json },
});

export const Invite = object({
  ...{ object: text, id: uuid, email: text, role: one("admin", "member"), created_at: time, expires_at: time },
  ...{ accepted_at: orNull(time), status: one("pending", "cancelled", "accepted", "expired"), invited_by: uuid },
});
export const User = object({
  ...{ object: one("user"), id: uuid, first_name: text, last_name: text, role: one("admin", "member", "owner"), email: text },
  ...{ ...stamps, workspace_ids: list(text) },
});
export const Member = object({
  ...{ object: one("workspace-user"), id: uuid, first_name: text, last_name: text, org_role: one("admin", "member", "owner") },
  ...{ role: one("admin", "member", "manager"), ...stamps, status: one("active"), workspace_id: uuid, email: text, scopes: list(text) },
  settings: orNull(json),
});
const defaults = object({ metadata: json, is_default: int, object: one("workspace") });
const workspace = {
  ...{ id: text, slug: text, name: text, description: orNull(text), ...stamps, defaults: orNull(defaults) },
  ...{ usage_limits: list(UsageLimits), rate_limits: list(RateLimits) },
};
export const WorkspaceItem = object(workspace);
export const Workspace = object({ ...workspace, users: list(Member) });
