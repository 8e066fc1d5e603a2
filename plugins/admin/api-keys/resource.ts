import { Type } from "@sinclair/typebox";
import {
  ApiKeys,
  DateTime,
  grantedScopes,
  isoTime,
  judgeUsageLimits,
  Nullable,
  type RecordOf,
  resourceOf,
  RotationPolicy,
  shown,
  stateAt,
} from "#contract";
import { exclusions } from "./exclusions.ts";
import { defaultsOf } from "./key-defaults.ts";
import { recount } from "./key-limit.ts";
import { keptSecret, rotate } from "./rotate.ts";
import { inTransition, policyOf } from "./rotation.ts";
import { change, FAMILIES, familyOf, make, refuseWiderRecord, tenancyOf, typeOf, visible } from "./rules.ts";

const shownTime = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
const shownPolicy = (record: RecordOf<typeof ApiKeys>): RotationPolicy | null => {
  const policy = policyOf(record);
  return policy && { ...policy, next_rotation_at: shownTime(record.next_rotation_at) };
};

/** Gateway keys. The secret is shown once, in the answer that creates it; only a keyed hash is stored. */
export const apiKeys = resourceOf(ApiKeys, {
  noun: "API key",
  plane: "control",
  path: "/api-keys",
  tag: "API Keys",
  scopes: {
    families: FAMILIES,
    of: ({ type }) => familyOf(type),
  },
  object: "api-key",
  shows: {
    key: shown(ApiKeys.schema.properties.masked_key, ({ masked_key }) => masked_key),
    status: shown(ApiKeys.fields.status.schema, (record, { now }) => stateAt(record, now)),
    rotation_policy: shown(Nullable(RotationPolicy), shownPolicy),
    key_transition_expires_at: shown(
      Nullable(DateTime("Until when the secret before this one works, while it does.")),
      (record, { now }) => (inTransition(record, now) ? shownTime(record.key_transition_expires_at) : null),
    ),
  },
  joins: exclusions,
  store: {
    scopes: (given, input, before) => grantedScopes(given, before?.type ?? typeOf(input), input),
    defaults: (given, input) => defaultsOf(given ?? {}, input),
  },
  judge(_, { body }) {
    judgeUsageLimits(body.usage_limits);
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
    after: recount,
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
    allow: refuseWiderRecord("edit"),
    change,
    answer: [],
  },
  remove: { before: refuseWiderRecord("delete") },
  actions: [rotate, keptSecret],
});
