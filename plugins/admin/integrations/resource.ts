import { Type } from "@sinclair/typebox";
import { Integrations, OneOf, resourceOf, shown } from "#contract";
import { integrationMappings } from "./mappings.ts";
import { createDefaultProvider, removeProviders, storedConfigurations, visible } from "./rules.ts";

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
  shows: { description: shown(Type.String({ description: "What it is for." }), (record) => record.description ?? "") },
  store: { configurations: storedConfigurations, secret_mappings: integrationMappings },
  list: {
    query: { type: Type.Optional(OneOf(["workspace", "organisation", "all"], { default: "all", description: "Whose." })) },
    where: visible,
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
    after: createDefaultProvider,
    answer: ["id", "slug"],
  },
  update: { answer: [] },
  remove: { before: removeProviders, description: "Deletes the providers made from it too." },
});
