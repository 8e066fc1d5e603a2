import { OPERATION_IDS, OPERATIONS } from "../operation.ts";
import type { KEY_TYPES } from "./api-key.ts";

/** What kinds of key there are. */
export type KeyType = (typeof KEY_TYPES)[number];

/**
 * Every scope, as families of actions, and which level of key may hold it: O organisation service
 * key, S workspace service key, U workspace user key. A family may have several rows when its actions differ by level.
 */
export interface ScopeRow {
  readonly families: readonly string[];
  readonly actions: readonly string[];
  readonly levels: ScopeLevels;
}
export const SCOPE_LEVELS = ["O", "OS", "OSU", "SU"] as const;
export type ScopeLevels = (typeof SCOPE_LEVELS)[number];
/** All scopes of a deployment: those of the specification, and what its plugins bring (`scopes` of their manifests). */
export type ScopeTable = readonly ScopeRow[];
const CRUD = ["create", "read", "update", "delete", "list"] as const;

export const SCOPE_TABLE: ScopeTable = [
  { families: ["organisation_users", "organisation_guardrails", "deployments", "secret_references"], actions: CRUD, levels: "O" },
  { families: ["organisation_service_api_keys"], actions: [...CRUD, "rotate"], levels: "O" },
  { families: ["organisation_settings"], actions: ["read", "update"], levels: "O" },
  { families: ["organisation_exclusions"], actions: ["list", "update"], levels: "O" },
  { families: ["audit_logs"], actions: ["list"], levels: "O" },
  { families: ["plugins"], actions: ["create", "update", "list"], levels: "O" },
  { families: ["workspaces"], actions: ["create", "delete"], levels: "O" },
  {
    families: ["organisation_integrations", "organisation_mcp_integrations", "organisation_agent_integrations"],
    actions: ["create", "read", "update", "delete"],
    levels: "O",
  },
  { families: ["workspace_service_api_keys", "workspace_user_api_keys"], actions: [...CRUD, "rotate"], levels: "OS" },
  { families: ["workspaces"], actions: ["read", "update", "list"], levels: "OSU" },
  {
    families: ["organisation_integrations", "organisation_mcp_integrations", "organisation_agent_integrations"],
    actions: ["list"],
    levels: "OSU",
  },
  {
    families: [
      "workspace_users",
      "configs",
      "guardrails",
      "providers",
      "policies",
      "workspace_integrations",
      "workspace_mcp_integrations",
      "workspace_agent_integrations",
      "mcp_servers",
      "agent_servers",
    ],
    actions: CRUD,
    levels: "OSU",
  },
  { families: ["prompts"], actions: [...CRUD, "publish"], levels: "OSU" },
  { families: ["virtual_keys"], actions: [...CRUD, "duplicate", "copy"], levels: "OSU" },
  { families: ["agent_server_skills", "agent_integration_skills", "agent_server_user_access"], actions: CRUD, levels: "OSU" },
  { families: ["analytics"], actions: ["view"], levels: "OSU" },
  { families: ["logs"], actions: ["export", "list", "view", "read"], levels: "OSU" },
  { families: ["completions"], actions: ["write", "read"], levels: "SU" },
  { families: ["prompts"], actions: ["render"], levels: "SU" },
  { families: ["guardrails", "mcp", "agents"], actions: ["invoke"], levels: "SU" },
  { families: ["logs"], actions: ["write"], levels: "SU" },
  { families: ["feedbacks"], actions: ["read", "write"], levels: "SU" },
  { families: ["models"], actions: ["list"], levels: "SU" },
  // Not of the specification: for the deployment's operators, whose plugins are not what `plugins` is about (credentials).
  { families: ["generations"], actions: ["list", "update"], levels: "O" },
];

const LEVEL: Readonly<Record<KeyType, string>> = { "organisation-service": "O", "workspace-service": "S", "workspace-user": "U" };

/** The scopes of a row, as keys hold them. */
export const scopesIn = (row: ScopeRow): readonly string[] =>
  row.families.flatMap((family) => row.actions.map((action) => `${family}.${action}`));

/** Every scope a key of this type may hold. */
export const scopesOf = (type: KeyType, table: ScopeTable = SCOPE_TABLE): readonly string[] =>
  table.filter((row) => row.levels.includes(LEVEL[type])).flatMap(scopesIn);

/** Everything a key of its type may hold, what a later build adds included. */
export const EVERY_SCOPE = "*";
/** Every data-plane route and no other, those of a later build included; what it opens is decided by a route's plane, not by a list. */
export const DATA_PLANE_SCOPE = "data_plane.*";

/** Which levels may hold a scope that stands for others. */
const WILDCARDS: Readonly<Record<string, string>> = { [EVERY_SCOPE]: "OSU", [DATA_PLANE_SCOPE]: "SU" };

/** What a key's scopes come to in this build: those that stand for others are kept, and what they stand for beside them. */
export function expandedScopes(scopes: readonly string[], type: KeyType, table: ScopeTable = SCOPE_TABLE): ReadonlySet<string> {
  const all = new Set(scopes);
  if (all.has(EVERY_SCOPE)) for (const scope of [...scopesOf(type, table), ...wildcardsOf(type)]) all.add(scope);
  if (all.has(DATA_PLANE_SCOPE)) for (const id of OPERATION_IDS) all.add(OPERATIONS[id].scope);
  if (all.has("completions.write")) all.add("models.list"); // who may ask a model may see which there are
  return all;
}
const wildcardsOf = (type: KeyType): readonly string[] =>
  Object.entries(WILDCARDS).flatMap(([scope, levels]) => (levels.includes(LEVEL[type]) ? scope : []));

/** May a key of this type hold the scope at all? */
export const mayHold = (type: KeyType, scope: string, table: ScopeTable = SCOPE_TABLE): boolean =>
  scopesOf(type, table).includes(scope) || wildcardsOf(type).includes(scope);

/** Every scope of the specification. */
export const SCOPES: ReadonlySet<string> = new Set(SCOPE_TABLE.flatMap(scopesIn));
/** Is it one that a key may hold: a scope, or what stands for several? */
export const isScope = (text: string, table: ScopeTable = SCOPE_TABLE): boolean =>
  Object.hasOwn(WILDCARDS, text) || table.some((row) => scopesIn(row).includes(text));

/** `deployments:create` and `organisation-service-api-keys.rotate` mean the same as the spelling of the table. */
export const normaliseScope = (text: string): string => text.trim().replaceAll(":", ".").replaceAll("-", "_");
