import { RateLimitPolicies, resourceOf } from "#contract";
import { judgeKeys } from "./keys.ts";

export const rateLimitPolicies = resourceOf(RateLimitPolicies, {
  noun: "rate-limit policy",
  plural: "rate-limit policies",
  plane: "control",
  path: "/policies/rate-limits",
  tag: "Rate Limit Policies",
  param: "rateLimitsPolicyId",
  scopes: { families: ["policies"] },
  object: "rate_limits_policy",
  judge({ target }, { body: { conditions = [], group_by = [] } }) {
    judgeKeys(conditions, "condition", target);
    judgeKeys(group_by, "group_by", target);
  },
  list: { filters: ["type", "unit", "target"], page: { minimum: 0 } },
  create: { answer: ["id", "object"] },
  update: { answer: [] },
  remove: {
    archive: () => ({ status: "archived" as const }),
    description: "Archives it: it stops applying, and is listed with status=archived.",
  },
});
