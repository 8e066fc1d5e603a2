import { type Static, Type } from "@sinclair/typebox";
import { ApiKeys, type Asked, defineResource, isoTime, type RecordOf } from "#contract";
import { change, familyOf, make, refuseRemoval, tenancyOf, visible } from "./rules.ts";
import { ApiKeyView, CreateBody, CreateReply, ListQuery, UpdateBody } from "./schema.ts";

type ApiKey = RecordOf<typeof ApiKeys>;

const view = (record: ApiKey, { now }: Pick<Asked, "now">): Static<typeof ApiKeyView> => ({
  id: record.id,
  key: record.masked_key,
  name: record.name,
  description: record.description,
  type: record.type,
  organisation_id: record.organisation_id,
  workspace_id: record.workspace_id,
  user_id: record.user_id,
  status: record.expires_at !== null && record.expires_at <= now ? "expired" : record.status,
  created_at: isoTime(record.created_at),
  last_updated_at: isoTime(record.last_updated_at),
  creation_mode: record.creation_mode,
  rate_limits: record.rate_limits,
  usage_limits: record.usage_limits,
  scopes: record.scopes,
  defaults: record.defaults,
  alert_emails: record.alert_emails,
  expires_at: record.expires_at === null ? null : isoTime(record.expires_at),
  rotation_policy: record.rotation_policy,
  object: "api-key",
});

/** Gateway keys. The secret is shown once, in the answer that creates it; only a keyed hash is stored. */
export const apiKeys = defineResource({
  noun: "API key",
  plane: "control",
  path: "/api-keys",
  tag: "API Keys",
  collection: ApiKeys,
  param: "id",
  by: ["id"],
  tenancy: "either",
  scopes: {
    families: ["organisation_service_api_keys", "workspace_service_api_keys", "workspace_user_api_keys"],
    of: ({ type }) => familyOf(type),
  },
  absent: 404,
  list: { query: ListQuery, where: visible, envelope: "list", item: ApiKeyView, view },
  create: {
    description: "`sub-type` is `user` or `service`. With workspace_id, or asked with a workspace key, the key is the workspace's.",
    path: "/:sub-type",
    tenancy: tenancyOf,
    also: [
      { path: "/workspace/:sub-type", tenancy: "workspace" },
      { path: "/organisation/:sub-type", tenancy: "organisation" },
    ],
    body: CreateBody,
    reply: CreateReply,
    make,
    answer: ({ id }, once) => ({ id, key: once, object: "api-key" as const }),
  },
  read: { reply: ApiKeyView, view },
  update: {
    description: "Type, user and workspace cannot be changed. A key that may do more than the calling one cannot be edited, or deleted.",
    body: UpdateBody,
    reply: Type.Object({}),
    change,
    answer: () => ({}),
  },
  remove: { before: refuseRemoval },
});
