import { type Static, Type } from "@sinclair/typebox";
import { type Asked, defineResource, isoTime, Providers, type RecordOf, refusePinned } from "#contract";
import { change, make } from "./rules.ts";
import { CreateBody, ProviderView, Reply, UpdateBody } from "./schema.ts";

type Provider = RecordOf<typeof Providers>;

const view = (record: Provider, { now }: Pick<Asked, "now">): Static<typeof ProviderView> => ({
  id: record.id,
  name: record.name,
  slug: record.slug,
  integration_id: record.integration_id,
  workspace_id: record.workspace_id,
  note: record.note,
  status: record.expires_at !== null && record.expires_at <= now ? "expired" : record.status,
  usage_limits: record.usage_limits,
  rate_limits: record.rate_limits,
  expires_at: record.expires_at === null ? null : isoTime(record.expires_at),
  tags: record.tags as Record<string, string>, // written through a schema of strings
  created_at: isoTime(record.created_at),
  last_updated_at: isoTime(record.last_updated_at),
  object: "provider",
});
const answer = ({ id, slug }: Provider): Static<typeof Reply> => ({ id, slug });

/** Integrations made usable in one workspace. */
export const providers = defineResource({
  noun: "provider",
  plane: "control",
  path: "/providers",
  tag: "Providers",
  collection: Providers,
  param: "slug",
  by: ["slug", "id"],
  tenancy: "workspace",
  scopes: { families: ["providers"] },
  absent: 404,
  list: { query: Type.Object({}), envelope: "list", item: ProviderView, view },
  create: { body: CreateBody, reply: Reply, make, answer },
  read: { reply: ProviderView, view },
  update: { body: UpdateBody, reply: Reply, change, answer },
  remove: { before: async (_, { caller }) => refusePinned(caller, "providers") },
});
