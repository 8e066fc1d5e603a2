import type { Static } from "@sinclair/typebox";
import { type Asked, defineResource, Guardrails, isoTime, type RecordOf } from "#contract";
import { change, make, masked, refuseDefault } from "./rules.ts";
import { CreateBody, CreateReply, GuardrailDetails, GuardrailSummary, ListQuery, UpdateBody, UpdateReply } from "./schema.ts";

type Guardrail = RecordOf<typeof Guardrails>;

const summaryOf = (record: Guardrail): Static<typeof GuardrailSummary> => ({
  id: record.id,
  name: record.name,
  slug: record.slug,
  target: record.target,
  organisation_id: record.organisation_id,
  workspace_id: record.workspace_id,
  status: record.status,
  created_at: isoTime(record.created_at),
  last_updated_at: isoTime(record.last_updated_at),
  owner_id: record.owner_id,
  updated_by: record.updated_by,
});

const detailsOf = (record: Guardrail, { vault }: Pick<Asked, "vault">): Static<typeof GuardrailDetails> => ({
  ...summaryOf(record),
  version_id: record.version_id,
  checks: masked(record.checks, vault),
  actions: record.actions,
  ...(record.target === "mcp_tools" && { mcp_server_mappings: [] }),
});

const shared = {
  noun: "guardrail",
  path: "/guardrails",
  collection: Guardrails,
  param: "guardrailId",
  by: ["id", "slug"],
  absent: 403,
  list: {
    query: ListQuery,
    envelope: "data",
    item: GuardrailSummary,
    view: summaryOf,
    where: ({ query }: { query: Static<typeof ListQuery> }) => ({
      ...(query.ids !== undefined && { id: query.ids.split(",").map((id) => id.trim()) }),
      ...(query.target !== undefined && { target: query.target }),
    }),
  },
  create: {
    examples: {
      "Refuses what looks like a social security number": {
        name: "No social security numbers",
        checks: [{ id: "default.regexMatch", parameters: { rule: "\\b\\d{3}-\\d{2}-\\d{4}\\b", not: true } }],
        actions: { deny: true, on_success: { feedback: {} }, on_fail: { feedback: {} } },
      },
    },
    body: CreateBody,
    reply: CreateReply,
    make,
    answer: (record: Guardrail) => ({
      id: record.id,
      slug: record.slug,
      version_id: record.version_id,
      created_at: isoTime(record.created_at),
      created_by: record.owner_id,
    }),
  },
  read: { reply: GuardrailDetails, view: detailsOf },
  update: {
    body: UpdateBody,
    reply: UpdateReply,
    change,
    description: "Makes a new version. The target cannot be changed.",
    answer: ({ id, slug, version_id }: Guardrail) => ({ id, slug, version_id }),
  },
  remove: { before: refuseDefault, description: "Refused while it is a default guardrail of a workspace or of the organisation." },
} as const;

/** Guardrails of a workspace; an organisation key that names no workspace makes the organisation's. */
export const guardrails = defineResource({
  ...shared,
  plane: "control",
  tag: "Guardrails",
  tenancy: "either",
  scopes: { families: ["guardrails"], of: (record) => (record.workspace_id === null ? "organisation_guardrails" : "guardrails") },
});

/** The organisation's own guardrails: same shapes, on the admin plane. */
export const organisationGuardrails = defineResource({
  ...shared,
  plane: "admin",
  tag: "Org Guardrails",
  tenancy: "organisation",
  scopes: { families: ["organisation_guardrails"] },
});
