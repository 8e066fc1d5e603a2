import { type Static, Type } from "@sinclair/typebox";
import { Condition, DateTime, defineResource, GroupBy, isoTime, Nullable, OneOf, RateLimitPolicies, type RecordOf, Uuid } from "#contract";
import { judgeKeys } from "./keys.ts";

const name = Type.String({ maxLength: 255, description: "Name." });
const target = OneOf(["llm", "mcp_tools"], { description: "What it limits. It cannot be changed later." });
const type = OneOf(["requests", "tokens"], { description: "What is counted." });
const unit = OneOf(["rpm", "rph", "rpd", "rpw"], { description: "Per minute, hour, day or week." });
const value = Type.Number({ minimum: 0, description: "How many per unit." });
const status = OneOf(["active", "archived"], { description: "State." });
const conditions = Type.Array(Condition, { minItems: 1, maxItems: 100, description: "When it applies; all must hold." });
const groupBy = Type.Array(GroupBy, { minItems: 1, maxItems: 20, description: "Every distinct combination has a counter of its own." });
const OBJECT = "rate_limits_policy" as const;

const PolicyView = Type.Object({
  id: Uuid("Id."),
  name: Nullable(name),
  conditions,
  group_by: groupBy,
  type,
  unit,
  value,
  status,
  target,
  workspace_id: Uuid("Workspace."),
  organisation_id: Uuid("Organisation."),
  created_at: DateTime("When it was made."),
  last_updated_at: DateTime("When it was last written."),
  object: Type.Literal(OBJECT),
});

const view = (record: RecordOf<typeof RateLimitPolicies>): Static<typeof PolicyView> => ({
  id: record.id,
  name: record.name,
  conditions: record.conditions,
  group_by: record.group_by,
  type: record.type,
  unit: record.unit,
  value: record.value,
  status: record.status,
  target: record.target,
  workspace_id: record.workspace_id,
  organisation_id: record.organisation_id,
  created_at: isoTime(record.created_at),
  last_updated_at: isoTime(record.last_updated_at),
  object: OBJECT,
});

/** Specification 2.14 and E12. */
export const rateLimitPolicies = defineResource({
  noun: "rate-limit policy",
  plural: "rate-limit policies",
  plane: "control",
  path: "/policies/rate-limits",
  tag: "Rate Limit Policies",
  collection: RateLimitPolicies,
  param: "rateLimitsPolicyId",
  by: ["id"],
  tenancy: "workspace",
  scopes: { families: ["policies"] },
  absent: 404,
  list: {
    query: Type.Object({
      status: Type.Optional({ ...status, default: "active" }),
      type: Type.Optional(type),
      unit: Type.Optional(unit),
      target: Type.Optional(target),
    }),
    where: ({ query }) => query,
    envelope: "list",
    page: { minimum: 0 },
    item: PolicyView,
    view,
  },
  create: {
    body: Type.Object({
      name: Type.Optional(name),
      conditions,
      group_by: groupBy,
      type,
      unit,
      value,
      target: Type.Optional({ ...target, default: "llm" }),
    }),
    reply: Type.Object({ id: Uuid("Id."), object: Type.Literal(OBJECT) }),
    make({ body: { name: given = null, target: at = "llm", ...rest } }) {
      judgeKeys(rest.conditions, "condition", at);
      judgeKeys(rest.group_by, "group_by", at);
      const { conditions, group_by, type, unit, value } = rest;
      return { record: { name: given, target: at, conditions, group_by, type, unit, value, status: "active" as const } };
    },
    answer: ({ id }) => ({ id, object: OBJECT }),
  },
  read: { reply: PolicyView, view },
  update: {
    body: Type.Object({
      name: Type.Optional(name),
      value: Type.Optional(value),
      unit: Type.Optional(unit),
      conditions: Type.Optional(conditions),
    }),
    reply: Type.Object({}),
    change(record, { body }) {
      if (body.conditions) judgeKeys(body.conditions, "condition", record.target);
      return body;
    },
    answer: () => ({}),
  },
  remove: {
    archive: () => ({ status: "archived" as const }),
    description: "Archives it: it stops applying, and is listed with status=archived.",
  },
});
