/** Guardrails, of workspaces and of the organisation; API keys; rate-limit policies; secret references. */
import type { Json } from "../../endpoints/api.ts";
import { type Family, PAGES } from "./family.ts";
import { LATER, NO_BUDGETS, NO_RATES, spending } from "./limits.ts";
import * as shape from "./shapes.ts";

const { NOTHING, object, one, text, time, uuid } = shape;
const feedback = (value: number): Json => ({ feedback: { value, weight: 1, metadata: "" } });
const actions: Json = { deny: false, async: false, on_success: feedback(5), on_fail: feedback(-5) };
const { on_fail, ...withoutFail } = actions;
const byIds = ({ id }: Json): (readonly [string, boolean])[] => [
  [`ids=${id}`, true],
  [`ids=${crypto.randomUUID()},${id}`, true],
  [`ids=${crypto.randomUUID()}`, false],
];

export const guardrailsAt = (section: string, path: string, by: Family["by"]): Family => ({
  ...{ section, noun: "guardrail", path, param: "guardrailId", by },
  create: {
    body: () => ({ name: "g", checks: [{ id: "default.wordCount", parameters: { maxWords: 9 } }], actions }),
    more: () => ({ target: "llm" }),
    required: ["name", "checks", "actions"],
    beyond: {
      target: ["flying"],
      checks: [
        [],
        [{}],
        [{ id: 7 }],
        [{ id: "default.flying" }],
        [{ id: "default.wordCount", parameters: { maxWords: "x" } }],
        [{ id: "default.wordCount", parameters: { maxWords: 1 }, is_enabled: "yes" }],
        [{ id: "default.wordCount", parameters: { maxWords: 1 }, surprise: 1 }],
      ],
      actions: [withoutFail, { ...actions, deny: "yes" }, { ...actions, surprise: 1 }, { ...actions, on_fail: {} }],
    },
    shape: object({ id: text, slug: text, version_id: text, created_at: time, created_by: uuid }),
  },
  list: {
    envelope: "data",
    item: shape.GuardrailSummary,
    filters: (made) => [...byIds(made), ["target=llm", true], ["target=mcp_tools", false]],
    beyond: { target: ["flying"], ids: ["all", "%25"] },
    pages: PAGES.usual,
  },
  read: { shape: shape.Guardrail, absent: 403, slug: true },
  update: {
    changes: () => [
      [{ name: "other" }],
      [{ checks: [{ id: "default.contains", parameters: { words: ["fig"], operator: "none" }, is_enabled: false }] }],
      [{ actions: { ...actions, deny: true } }],
    ],
    beyond: { checks: [[], [{ id: "default.flying" }]], actions: [withoutFail] },
    fixed: { target: "mcp_tools", slug: "other", version_id: crypto.randomUUID() },
    shape: object({ id: text, slug: text, version_id: text }),
  },
  remove: "gone",
});

const ROTATION: Json = { rotation_period: "weekly", key_transition_period_ms: 1_800_000 };
const NO_ROTATIONS = [
  { rotation_period: "daily" },
  { key_transition_period_ms: 1_799_999 },
  { rotation_period_days: 366 },
  { surprise: 1 },
];
export const apiKeys: Family = {
  ...{ section: "2.4", noun: "API key", path: "/v2/api-keys", param: "id", by: "workspace" },
  create: {
    below: "/service",
    body: () => ({ name: "k", scopes: ["logs.view"] }),
    more: () => ({
      ...{ description: "d", usage_limits: spending, alert_emails: ["walk-alerts@example.org"], expires_at: LATER },
      ...{ rate_limits: [{ type: "requests", unit: "rps", value: 9 }], rotation_policy: ROTATION },
      defaults: { metadata: { team: "red" }, allow_config_override: true },
    }),
    required: ["name", "scopes"],
    beyond: {
      ...{ scopes: [[], ["flying"], [7]], rate_limits: NO_RATES, usage_limits: NO_BUDGETS, rotation_policy: NO_ROTATIONS },
      ...{ alert_emails: [["nobody"], [7]], expires_at: ["tomorrow", "2001-01-01T00:00:00Z"] },
      defaults: [{ surprise: 1 }, { config_id: "none" }, { metadata: { team: 7 } }],
    },
    shape: object({ id: uuid, key: shape.text, object: one("api-key") }),
  },
  list: { envelope: "list", item: shape.ApiKey, filters: byIds, beyond: { ids: ["all"] }, pages: PAGES.usual },
  read: { shape: shape.ApiKey, absent: 404 },
  update: {
    changes: () => [
      ...[[{ name: "other" }] as const, [{ description: "other" }] as const, [{ scopes: ["configs.read"] }] as const],
      ...[[{ rate_limits: [{ type: "tokens", unit: "rpw", value: 7 }] }] as const, [{ rate_limits: null }, { rate_limits: [] }] as const],
      ...[[{ usage_limits: spending }] as const, [{ alert_emails: ["walk-other@example.org"] }] as const, [{ expires_at: LATER }] as const],
      ...[[{ expires_at: null }] as const, [{ rotation_policy: null }] as const, [{ reset_usage: true }, {}] as const],
      [{ defaults: { metadata: { team: "blue" } } }],
    ],
    beyond: { rate_limits: NO_RATES, usage_limits: NO_BUDGETS, scopes: [[], ["flying"]], rotation_policy: NO_ROTATIONS },
    fixed: { type: "workspace-user", user_id: crypto.randomUUID() },
    shape: NOTHING,
  },
  remove: "gone",
};

const condition = { key: "metadata.team", value: "none" };
const NO_CONDITIONS = [[], [{}], [{ key: "metadata.team" }], [{ key: "flying", value: "x" }], [{ ...condition, value: 7 }]];
export const policies: Family = {
  ...{ section: "2.7", noun: "rate-limit policy", path: "/v2/policies/rate-limits", param: "rateLimitsPolicyId", by: "workspace" },
  create: {
    body: () => ({ conditions: [condition], group_by: [{ key: "api_key" }], type: "requests", unit: "rpm", value: 9 }),
    more: () => ({ name: "p", target: "llm" }),
    required: ["conditions", "group_by", "type", "unit", "value"],
    beyond: {
      ...{ type: ["minutes", "cost"], unit: ["rps", "rpy"], value: [-1], target: ["flying"], conditions: NO_CONDITIONS },
      group_by: [[], [{}], [{ key: "endpoint_type" }], [{ key: "flying" }]],
    },
    shape: object({ id: uuid, object: text }),
  },
  list: {
    envelope: "list",
    item: shape.Policy,
    filters: (_, { workspace }) => [
      ...([
        ["type=requests", true],
        ["type=tokens", false],
        ["unit=rpm", true],
        ["unit=rph", false],
      ] as const),
      ...([
        ["target=llm", true],
        ["target=mcp_tools", false],
        ["status=active", true],
        ["status=archived", false],
      ] as const),
      [`workspace_id=${workspace.id}`, true],
    ],
    beyond: { type: ["cost"], unit: ["rps"], target: ["flying"], status: ["gone"] },
    pages: PAGES.policies,
  },
  read: { shape: shape.PolicyAlone, absent: 404 },
  update: {
    changes: () => [
      [{ name: "other" }],
      [{ unit: "rpw" }],
      [{ value: 7 }],
      [{ conditions: [{ ...condition, value: ["a", "b"], excludes: "c" }] }],
    ],
    beyond: { unit: ["rps"], value: [-1], conditions: NO_CONDITIONS },
    fixed: { type: "tokens", group_by: [{ key: "model" }], target: "mcp_tools", status: "archived" },
    shape: NOTHING,
  },
  remove: "gone",
};

const signIn: Json = { vault_auth_type: "token", vault_addr: "https://vault.example.com", vault_token: "walk-token-0123456789" };
export const references: Family = {
  ...{ section: "3.3", noun: "secret reference", path: "/admin/v2/secret-references", param: "secretReferenceId", by: "organisation" },
  create: {
    body: () => ({ name: "s", manager_type: "hashicorp_vault", auth_config: signIn, secret_path: "a/b" }),
    more: (_, n) => ({ slug: `s_${n}`, description: "d", secret_key: "k", allow_all_workspaces: true, tags: { team: "red" } }),
    required: ["name", "manager_type", "auth_config", "secret_path"],
    beyond: {
      ...{ name: [""], slug: ["with space", "ü"], manager_type: ["flying"], allow_all_workspaces: ["yes"], tags: [{ team: 7 }] },
      auth_config: [{}, { vault_auth_type: "flying" }, { vault_auth_type: "token" }, { ...signIn, vault_addr: "no address" }],
      allowed_workspaces: [[], [7], ["none"]],
    },
    shape: object({ id: uuid, slug: text, object: one("secret-reference") }),
    ...{ unique: "slug", named: ["manager_type"] },
  },
  list: {
    envelope: "list",
    item: shape.ReferenceItem,
    filters: ({ slug }) => [
      ...([
        ["manager_type=hashicorp_vault", true],
        ["manager_type=aws_sm", false],
        ["search=no-such-word", false],
      ] as const),
      ...([
        ["tags=team:red", true],
        ["tags=team:green", false],
      ] as const),
      [`search=${slug}`, true],
    ],
    beyond: { search: [""] },
    pages: PAGES.references,
  },
  read: { shape: shape.Reference, absent: 404, slug: true },
  update: {
    changes: () => [
      ...[
        [{ name: "other" }] as const,
        [{ description: "other" }] as const,
        [{ description: null }] as const,
        [{ secret_path: "c" }] as const,
      ],
      ...[
        [{ secret_key: "l" }] as const,
        [{ secret_key: null }] as const,
        [{ tags: { team: "blue" } }] as const,
        [{ tags: null }] as const,
      ],
      [
        { auth_config: { ...signIn, vault_addr: "https://other.example.com" } },
        { auth_config: { vault_addr: "https://other.example.com" } },
      ],
    ],
    beyond: { name: [""], auth_config: [{ vault_auth_type: "flying" }], allowed_workspaces: [[], ["none"]] },
    fixed: { manager_type: "aws_sm", slug: "other" },
    shape: NOTHING,
  },
  remove: "gone",
};
