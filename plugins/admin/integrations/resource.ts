import { Type } from "@sinclair/typebox";
import { GlobalWorkspaceAccess, Integrations, Nullable, OneOf, resourceOf, shown, TagQuery, tagged } from "#contract";
import { grantActions, workspaceFacts } from "./grants.ts";
import { integrationMappings } from "./mappings.ts";
import { modelActions } from "./models.ts";
import { defaultProvider, removeWhatIsMadeOfIt, storedConfigurations, touchedVirtualKeys, visible } from "./rules.ts";

/** Credentials and settings for model providers, of the organisation or of one workspace. */
export const integrations = resourceOf(Integrations, {
  noun: "integration",
  plane: "admin",
  path: "/integrations",
  tag: "Integrations",
  param: "slug",
  by: ["slug", "id"],
  scopes: {
    families: ["organisation_integrations", "workspace_integrations"],
    of: (record) => (record.workspace_id === null ? "organisation_integrations" : "workspace_integrations"),
  },
  object: "integration",
  decidesRoutes: true,
  shows: {
    description: shown(Type.String({ description: "What it is for." }), (record) => record.description ?? ""),
    global_workspace_access_settings: shown(Nullable(GlobalWorkspaceAccess), (record) => record.global_workspace_access, true),
  },
  joins: {
    schema: {
      workspace_count: Type.Integer({ minimum: 0, description: "How many workspaces may use it." }),
      last_reset_at: Nullable(Type.String({ format: "date-time", description: "When the usage of one of them was last reset." })),
    },
    of: async (found, { records }) => {
      const whole = await Promise.all(found.map(({ id }) => records.in(Integrations).get(id)));
      return Promise.all(whole.map((record) => (record ? workspaceFacts(record, records) : { workspace_count: 0, last_reset_at: null })));
    },
  },
  actions: [...modelActions, ...grantActions],
  store: { configurations: storedConfigurations, secret_mappings: integrationMappings },
  list: {
    query: { type: Type.Optional(OneOf(["workspace", "organisation", "all"], { default: "all", description: "Whose." })), ...TagQuery },
    where: async (input) => ({ ...(await visible(input)), ...(await tagged(Integrations, input)) }),
    omit: ["models", "configurations"],
    showsOrganisation: true,
  },
  create: {
    description: "With workspace_id it is the workspace's, and a provider is made of it unless create_default_provider is false.",
    body: {
      create_default_provider: Type.Optional(
        Type.Boolean({ default: true, description: "A workspace integration: make a provider of it at once." }),
      ),
      default_provider_slug: Type.Optional(
        Type.String({
          pattern: "^[a-zA-Z0-9_-]+$",
          maxLength: 255,
          description: "Short name of that provider; default: the integration's.",
        }),
      ),
    },
    beside: defaultProvider,
    answer: ["id", "slug"],
  },
  update: { beside: touchedVirtualKeys, answer: [] },
  remove: { before: removeWhatIsMadeOfIt, description: "Deletes the providers made from it too." },
});
