import { type Static, Type } from "@sinclair/typebox";
import { defineResource, Integrations, isoTime, maskSecrets, type RecordOf } from "#contract";
import { change, createDefaultProvider, make, removeProviders, visible } from "./rules.ts";
import { CreateBody, CreateReply, IntegrationDetails, IntegrationSummary, ListQuery, UpdateBody } from "./schema.ts";

const summaryOf = (record: RecordOf<typeof Integrations>): Static<typeof IntegrationSummary> => ({
  id: record.id,
  organisation_id: record.organisation_id,
  workspace_id: record.workspace_id,
  ai_provider_id: record.ai_provider_id,
  name: record.name,
  status: record.status,
  created_at: isoTime(record.created_at),
  last_updated_at: isoTime(record.last_updated_at),
  slug: record.slug,
  description: record.description ?? "",
  tags: record.tags as Record<string, string>, // written through a schema of strings
  object: "integration",
});

/** Credentials and settings for model providers, of the organisation or of one workspace. */
export const integrations = defineResource({
  noun: "integration",
  plane: "admin",
  path: "/integrations",
  tag: "Integrations",
  collection: Integrations,
  param: "slug",
  by: ["slug", "id"],
  tenancy: "either",
  scopes: {
    families: ["organisation_integrations", "workspace_integrations"],
    of: (record) => (record.workspace_id === null ? "organisation_integrations" : "workspace_integrations"),
  },
  absent: 404,
  list: { query: ListQuery, where: visible, envelope: "list", showsOrganisation: true, item: IntegrationSummary, view: summaryOf },
  create: {
    description: "With workspace_id it is the workspace's, and a provider is made of it unless create_default_provider is false.",
    body: CreateBody,
    reply: CreateReply,
    make,
    after: createDefaultProvider,
    answer: ({ id, slug }) => ({ id, slug }),
  },
  read: {
    reply: IntegrationDetails,
    view: (record, { vault }) => ({
      ...summaryOf(record),
      masked_key: record.masked_key,
      configurations: maskSecrets(record.configurations, vault),
    }),
  },
  update: { body: UpdateBody, reply: Type.Object({}), change, answer: () => ({}) },
  remove: { before: removeProviders, description: "Deletes the providers made from it too." },
});
