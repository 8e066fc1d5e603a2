/**
 * Who may what, written from the documentation and not from the code: which level of key may hold a scope, and what a role
 * leaves of it. The matrix compares every route of the running server with this.
 */
export type Level = "organisation" | "workspace" | "user";
type Levels = "O" | "OS" | "OSU" | "SU";

const CRUD = "create read update delete list";
// biome-ignore format: a table, one row a line
const HELD: readonly (readonly [families: string, actions: string, levels: Levels])[] = [
  ["organisation_users organisation_guardrails secret_references deployments", CRUD, "O"],
  ["organisation_service_api_keys", `${CRUD} rotate`, "O"],
  ["workspace_service_api_keys workspace_user_api_keys", `${CRUD} rotate`, "OS"],
  ["organisation_settings", "read update", "O"],
  ["organisation_exclusions", "list update", "O"],
  ["audit_logs", "list", "O"],
  ["mails", "list read delete", "O"], // ours: what is, or would be, sent by mail
  ["plugins", CRUD, "O"], // read and delete are ours: what is made can be looked at and taken back
  ["workspaces", "create delete", "O"],
  ["workspaces", "read update list", "OSU"],
  ["workspace_users configs guardrails providers policies workspace_integrations", CRUD, "OSU"],
  ["virtual_keys", `${CRUD} duplicate copy`, "OSU"],
  ["organisation_integrations", "create read update delete", "O"],
  ["organisation_integrations", "list", "OSU"],
  ["prompts", `${CRUD} publish`, "OSU"],
  ["prompts", "render", "SU"],
  ["analytics", "view", "OSU"],
  ["logs", "export list view", "OSU"],
  ["logs", "write", "SU"],
  ["completions", "write", "SU"],
  ["feedbacks", "read write", "SU"],
  ["models", "list", "SU"],
  ["guardrails mcp agents", "invoke", "SU"],
  ["generations", "list update", "O"], // ours: the deployment's operator
];
const LETTER: Readonly<Record<Level, string>> = { organisation: "O", workspace: "S", user: "U" };

/** May a key of this level hold the scope? */
export const mayHold = (level: Level, scope: string): boolean => {
  const dot = scope.lastIndexOf(".");
  const [family, action] = [scope.slice(0, dot), scope.slice(dot + 1)];
  return HELD.some(
    ([families, actions, levels]) =>
      levels.includes(LETTER[level]) && families.split(" ").includes(family) && actions.split(" ").includes(action),
  );
};
/** A scope of the whole deployment: the first organisation's alone. */
export const isOperators = (scope: string): boolean => scope.startsWith("generations.");

export const ROLES = ["owner", "admin", "workspace admin", "workspace manager", "workspace member"] as const;
export type Role = (typeof ROLES)[number];
/** Owners and admins are admins of every workspace; admins and managers create, change and delete; members view and use. */
export const roleLeaves = (role: Role, scope: string): boolean =>
  role !== "workspace member" || /\.(read|list|view|render|invoke|write)$/.test(scope);

/** Who may ask models may see which there are. */
export const opens = (held: readonly string[], wanted: readonly string[]): boolean =>
  wanted.some((scope) => held.includes(scope) || (scope === "models.list" && held.includes("completions.write")));
