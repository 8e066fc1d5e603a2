/**
 * The fact sheet of the control plane, operation by operation: the second table of promises, beside the specification's
 * sentences. Every row is walked against the running server (`tests/e2e/control/walk/`), or says what it waits for.
 */
export interface SheetRow {
  readonly sheet: "control-plane";
  readonly section: string;
  /** Method and whole path, as the API document writes it. */
  readonly operation: string;
  /** Any of these scopes opens it; none where nobody need be known. */
  readonly scopes: readonly string[];
}

type Verb = "list" | "create" | "read" | "update" | "delete";
const METHOD: Readonly<Record<Verb, string>> = { list: "GET", create: "POST", read: "GET", update: "PUT", delete: "DELETE" };
const ALL: readonly Verb[] = ["list", "create", "read", "update", "delete"];

/** The usual five of a resource, or some of them. */
function resource(section: string, path: string, param: string, families: readonly string[], verbs = ALL, below = ""): SheetRow[] {
  return verbs.map((verb) => {
    const at = verb === "list" ? path : verb === "create" ? path + below : `${path}/{${param}}`;
    return row(section, `${METHOD[verb]} ${at}`, ...families.map((family) => `${family}.${verb}`));
  });
}
const row = (section: string, operation: string, ...scopes: readonly string[]): SheetRow => ({
  sheet: "control-plane",
  section,
  operation,
  scopes,
});

const KEYS = ["organisation_service_api_keys", "workspace_service_api_keys", "workspace_user_api_keys"];
const INTEGRATIONS = ["organisation_integrations", "workspace_integrations"];
const integrations = (action: string): readonly string[] => INTEGRATIONS.map((family) => `${family}.${action}`);
const INTEGRATION = "/admin/v2/integrations/{slug}";
const EXCLUSIONS = ["input", "output"].map((side) => `/v2/workspace-exclusions/${side}-guardrails`);

export const SHEET_ROWS: readonly SheetRow[] = [
  ...resource("2.1", "/v2/guardrails", "guardrailId", ["guardrails"]),
  ...resource("2.2", "/v2/configs", "slug", ["configs"]),
  row("2.2", "GET /v2/configs/{slug}/versions", "configs.read"),
  ...resource("2.3", "/v2/providers", "slug", ["providers"]),
  ...resource("2.4", "/v2/api-keys", "id", KEYS, ALL, "/{sub-type}"),
  row("2.4", "POST /v2/api-keys/{id}/rotate", ...KEYS.map((family) => `${family}.rotate`)),
  ...resource("2.7", "/v2/policies/rate-limits", "rateLimitsPolicyId", ["policies"]),
  row("2.10", "GET /v2/model-configs/pricing/{provider}/{model}"),
  row("2.11", "GET /v2/models/{model}", "models.list"),
  row("2.11", "DELETE /v2/models/{model}", "completions.write"),
  ...resource("3.1", "/admin/v2/integrations", "slug", INTEGRATIONS),
  row("3.1", `GET ${INTEGRATION}/models`, ...integrations("read")),
  row("3.1", `PUT ${INTEGRATION}/models`, ...integrations("update")),
  row("3.1", `DELETE ${INTEGRATION}/models`, ...integrations("update")),
  row("3.1", `GET ${INTEGRATION}/workspaces`, ...integrations("read")),
  row("3.1", `PUT ${INTEGRATION}/workspaces`, ...integrations("update")),
  ...resource("3.3", "/admin/v2/secret-references", "secretReferenceId", ["secret_references"]),
  ...resource("3.5", "/admin/v2/guardrails", "guardrailId", ["organisation_guardrails"]),
  row("3.6", "GET /v2/admin/organisation/defaults", "organisation_settings.read"),
  row("3.6", "PUT /v2/admin/organisation/defaults", "organisation_settings.update"),
  ...EXCLUSIONS.map((path) => row("3.6", `GET ${path}`, "organisation_exclusions.list")),
  ...EXCLUSIONS.map((path) => row("3.6", `PUT ${path}`, "organisation_exclusions.update")),
  row("4.1", "POST /v1/logs", "logs.write"),
  row("4.1", "GET /v1/logs/{logId}", "logs.view"),
  row("4.2", "GET /v2/audit-logs", "audit_logs.list"),
  ...resource("4.3", "/v2/admin/users/invites", "inviteId", ["organisation_users"], ["list", "create", "read", "delete"]),
  row("4.3", "POST /v2/admin/users/invites/{inviteId}/resend", "organisation_users.create"),
  ...resource("4.3", "/v2/admin/users", "userId", ["organisation_users"], ["list", "read", "update", "delete"]),
  ...resource("4.4", "/v2/admin/workspaces/{workspaceId}/users", "userId", ["workspace_users"]),
  ...resource("4.4", "/v2/admin/workspaces", "workspaceId", ["workspaces"]),
  ...resource("4.6", "/v2/virtual-keys", "slug", ["virtual_keys"]),
];
