/** What leads to models: configs, integrations, providers and virtual keys. */
import { type Family, PAGES } from "./family.ts";
import { LATER, NO_BUDGETS, NO_RATES, spending } from "./limits.ts";
import * as shape from "./shapes.ts";

const { bool, json, NOTHING, object, one, orNull, text, time, uuid } = shape;
export const configs: Family = {
  ...{ section: "2.2", noun: "config", path: "/v2/configs", param: "slug", by: "workspace" },
  create: {
    body: () => ({ config: { provider: "sandbox" } }),
    more: () => ({ name: "c", isDefault: 0 }),
    required: ["config"],
    beyond: {
      isDefault: [2, -1],
      config: [{ provider: 7 }, { surprise: 1 }, { retry: { attempts: "x" } }, { provider: "sandbox", input_guardrails: ["none"] }],
    },
    shape: object({ success: bool, data: object({ id: uuid, version_id: uuid }) }),
  },
  list: { envelope: "success", item: shape.ConfigItem, filters: () => [], pages: PAGES.usual },
  read: { shape: shape.Config, absent: 404, slug: true },
  update: {
    changes: () => [
      [{ name: "other" }],
      [{ config: { provider: "sandbox", retry: { attempts: 2 } } }],
      [{ status: "archived" }],
      [{ status: "active" }],
    ],
    beyond: { config: [{ surprise: 1 }], status: ["gone"] },
    fixed: { slug: "other", is_default: 1 },
    shape: object({ success: bool, data: object({ version_id: uuid }) }),
  },
  remove: "gone",
};

export const providers: Family = {
  ...{ section: "2.3", noun: "provider", path: "/v2/providers", param: "slug", by: "workspace" },
  create: {
    body: ({ integration }) => ({ name: "p", integration_id: integration }),
    more: (_, n) => ({
      ...{ slug: `p_${n}`, note: "n", usage_limits: spending, expires_at: LATER, tags: { team: "red" } },
      rate_limits: { type: "requests", unit: "rpm", value: 9 },
    }),
    required: ["name", "integration_id"],
    beyond: {
      ...{ slug: ["with space", "ü", ""], integration_id: ["none", crypto.randomUUID()], expires_at: ["tomorrow", "2001-01-01T00:00:00Z"] },
      ...{ usage_limits: NO_BUDGETS, rate_limits: NO_RATES },
    },
    shape: object({ id: text, slug: text }),
    ...{ unique: "slug", named: ["integration_id"] },
  },
  list: {
    envelope: "list",
    item: shape.Provider,
    filters: (_, { workspace }) => [
      [`workspace_id=${workspace.id}`, true],
      [`workspace_id=${workspace.slug}`, true],
    ],
    pages: PAGES.usual,
  },
  read: { shape: shape.Provider, absent: 404, slug: true },
  update: {
    changes: () => [
      ...[[{ name: "other" }] as const, [{ note: "other" }] as const, [{ note: null }] as const, [{ tags: { team: "blue" } }] as const],
      ...[[{ expires_at: LATER }] as const, [{ expires_at: null }] as const, [{ usage_limits: spending }] as const],
      [{ rate_limits: { type: "tokens", unit: "rpd", value: 7 } }, { rate_limits: [{ type: "tokens", unit: "rpd", value: 7 }] }],
      [{ reset_usage: true }, {}],
    ],
    beyond: { usage_limits: NO_BUDGETS, rate_limits: NO_RATES, reset_usage: ["yes"] },
    fixed: { slug: "other", integration_id: crypto.randomUUID() },
    shape: object({ id: uuid, slug: text }),
  },
  remove: "gone",
};

export const integrations: Family = {
  ...{ section: "3.1", noun: "integration", path: "/admin/v2/integrations", param: "slug", by: "organisation" },
  create: {
    body: () => ({ name: "i", ai_provider_id: "openai" }),
    more: (_, n) => ({
      ...{ slug: `i_${n}`, key: "sk-walk-0123456789abcdef", description: "d", tags: { team: "red" } },
      ...{ create_default_provider: false, default_provider_slug: `i_${n}`, configurations: { openai_project: "p" } },
    }),
    required: ["name", "ai_provider_id"],
    beyond: {
      ...{ slug: ["with space", "ü", ""], ai_provider_id: ["none-such"], create_default_provider: ["yes"], default_provider_slug: ["a b"] },
      ...{ configurations: [{ openai_project: 7 }, { surprise: "x" }], tags: [{ team: 7 }] },
      secret_mappings: [[{}], [{ target_field: "key", secret_reference_id: "none" }]],
    },
    shape: object({ id: uuid, slug: text }),
    ...{ unique: "slug", named: ["ai_provider_id"] },
  },
  list: {
    envelope: "list",
    item: shape.IntegrationItem,
    filters: (_, { workspace }) => [
      ...([
        ["type=organisation", true],
        ["type=all", true],
        ["type=workspace", false],
      ] as const),
      [`workspace_id=${workspace.id}`, true],
    ],
    beyond: { type: ["flying"] },
    pages: PAGES.usual,
  },
  read: { shape: shape.Integration, absent: 404, slug: true },
  update: {
    changes: () => [
      ...[[{ name: "other" }] as const, [{ description: "other" }] as const, [{ tags: { team: "blue" } }] as const],
      [{ key: "sk-walk-other-0123456789" }, {}],
      [{ configurations: { openai_project: "q" } }],
    ],
    beyond: { configurations: [{ openai_project: 7 }, { surprise: "x" }] },
    fixed: { slug: "other", ai_provider_id: "groq" },
    shape: NOTHING,
  },
  remove: "gone",
};

const virtualKey = object({
  ...{ name: text, note: orNull(text), status: one("active", "exhausted", "expired"), usage_limits: orNull(json), created_at: time },
  ...{ slug: text, rate_limits: orNull(shape.list(json)), expires_at: orNull(time), object: one("virtual-key") },
});
export const virtualKeys: Family = {
  ...{ section: "4.6", noun: "virtual key", path: "/v2/virtual-keys", param: "slug", by: "workspace", unknownIsPlain: true },
  create: {
    body: () => ({ name: "v", provider: "openai", key: "sk-walk-0123456789abcdef" }),
    more: () => ({ note: "n", usage_limits: spending, rate_limits: { type: "requests", unit: "rpm", value: 9 }, expires_at: LATER }),
    required: [],
    beyond: { provider: ["none-such"], usage_limits: NO_BUDGETS, rate_limits: NO_RATES, expires_at: ["tomorrow"] },
    shape: object({ success: bool, data: object({ slug: text }) }),
    named: ["provider", "apiVersion", "deploymentName", "resourceName"], // the last three are one provider's alone
  },
  list: { envelope: "list", item: virtualKey, filters: () => [], pages: PAGES.usual },
  read: { shape: virtualKey, absent: 404 },
  update: { changes: () => [[{ name: "other" }], [{ note: "other" }], [{ usage_limits: spending }]], shape: NOTHING },
  remove: "gone",
};
