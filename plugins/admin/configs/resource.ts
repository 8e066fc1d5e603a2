import type { Static } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import { Configs, defineResource, isoTime, maskSecrets, type RecordOf, refusePinned } from "#contract";
import { change, make, oneDefault, refuseDefault } from "./rules.ts";
import { ConfigDetails, ConfigSummary, CreateBody, CreateReply, UpdateBody, UpdateReply } from "./schema.ts";
import { forgetVersions, keepVersion, listVersions } from "./versions.ts";

const summaryOf = (record: RecordOf<typeof Configs>): Static<typeof ConfigSummary> => ({
  id: record.id,
  name: record.name,
  slug: record.slug,
  organisation_id: record.organisation_id,
  workspace_id: record.workspace_id,
  is_default: record.is_default,
  status: record.status,
  owner_id: record.owner_id,
  updated_by: record.updated_by,
  created_at: isoTime(record.created_at),
  last_updated_at: isoTime(record.last_updated_at),
});

/** Saved routing configs. Each update makes a new version; credentials inside are sealed and shown masked. */
export const configs = defineResource({
  noun: "config",
  plane: "control",
  path: "/configs",
  tag: "Configs",
  collection: Configs,
  param: "slug",
  by: ["slug", "id"],
  tenancy: "workspace",
  scopes: { families: ["configs"] },
  absent: 404,
  list: { query: Type.Object({}), envelope: "success", page: { default: 1000 }, omit: ["config"], item: ConfigSummary, view: summaryOf },
  create: {
    description:
      "A credential in a config or target goes to the provider named beside it. Where none is, requests that name a provider of their own are refused; an `@slug` brings its own credential.",
    examples: {
      "One provider, tried again": {
        name: "Sandbox",
        config: { provider: "sandbox", retry: { attempts: 2 } },
      },
      "Another provider when the first fails, with a guardrail": {
        name: "Falls back",
        config: {
          strategy: { mode: "fallback" },
          targets: [{ provider: "openai", api_key: "sk-example" }, { provider: "sandbox" }],
          input_guardrails: [{ "default.regexMatch": { rule: "secret", not: true }, deny: true }],
        },
      },
    },
    body: CreateBody,
    reply: CreateReply,
    make,
    before: keepVersion,
    after: oneDefault,
    answer: ({ id, version_id, slug }) => ({ success: true, data: { id, version_id, slug } }),
  },
  read: {
    reply: ConfigDetails,
    view: (record, { vault }) => ({
      success: true,
      data: {
        config: maskSecrets(record.config, vault),
        ...summaryOf(record),
        format: "json" as const,
        type: "config" as const,
        version_id: record.version_id,
      },
    }),
  },
  update: {
    description:
      "A credential sent back masked is kept, as long as its member, the provider, the host and the fields that say where it goes or whom it stands for stay beside it; to change those, give it again.",
    body: UpdateBody,
    reply: UpdateReply,
    change,
    before: keepVersion,
    answer: ({ version_id }) => ({ success: true, data: { version_id } }),
  },
  remove: {
    description: "Refused while it is a default of a workspace.",
    async before(record, asked) {
      refusePinned(asked.caller, "configs");
      await refuseDefault(record, asked);
      await forgetVersions(record, asked);
    },
  },
  actions: [listVersions],
});
