import { Type } from "@sinclair/typebox";
import { ApiKeys, grantedScopes, judgeUsageLimits, resourceOf, shown, stateAt } from "#contract";
import {
  change,
  defaultsOf,
  familyOf,
  judgeRotation,
  make,
  refuseRemoval,
  refuseWiderRecord,
  tenancyOf,
  typeOf,
  visible,
} from "./rules.ts";

/** Gateway keys. The secret is shown once, in the answer that creates it; only a keyed hash is stored. */
export const apiKeys = resourceOf(ApiKeys, {
  noun: "API key",
  plane: "control",
  path: "/api-keys",
  tag: "API Keys",
  scopes: {
    families: ["organisation_service_api_keys", "workspace_service_api_keys", "workspace_user_api_keys"],
    of: ({ type }) => familyOf(type),
  },
  object: "api-key",
  shows: {
    key: shown(ApiKeys.schema.properties.masked_key, ({ masked_key }) => masked_key),
    status: shown(ApiKeys.fields.status.schema, (record, { now }) => stateAt(record, now)),
  },
  store: {
    scopes: (given, input, before) => grantedScopes(given, before?.type ?? typeOf(input), input),
    defaults: (given, input) => defaultsOf(given ?? {}, input),
  },
  judge(_, { body }) {
    judgeUsageLimits(body.usage_limits);
    judgeRotation(body.rotation_policy);
  },
  list: {
    query: {
      ids: Type.Optional(Type.String({ maxLength: 40_000, pattern: "^[0-9a-fA-F, -]*$", description: "Only these, comma-separated." })),
    },
    where: visible,
  },
  create: {
    description: "`sub-type` is `user` or `service`. With workspace_id, or asked with a workspace key, the key is the workspace's.",
    path: "/:sub-type",
    words: { "sub-type": ["service", "user"] },
    tenancy: tenancyOf,
    also: [
      { path: "/workspace/:sub-type", tenancy: "workspace" },
      { path: "/organisation/:sub-type", tenancy: "organisation" },
    ],
    make,
    answer: {
      schema: Type.Object({
        id: ApiKeys.schema.properties.id,
        key: Type.String({ description: "The secret. It is shown here and never again." }),
        object: Type.Literal("api-key"),
      }),
      of: ({ id }, once) => ({ id, key: once, object: "api-key" }),
    },
  },
  update: {
    description: "Type, user and workspace cannot be changed. A key that may do more than the calling one cannot be edited, or deleted.",
    body: { reset_usage: Type.Optional(Type.Boolean({ description: "`true` makes an exhausted key active again." })) },
    allow: refuseWiderRecord,
    change,
    answer: [],
  },
  remove: { before: refuseRemoval },
});
