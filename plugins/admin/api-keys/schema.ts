import { Type } from "@sinclair/typebox";
import { DateTime, JsonObject, KEY_TYPES, Nullable, OneOf, RateLimit, UsageLimits, Uuid } from "#contract";

const name = Type.String({ minLength: 1, maxLength: 255, description: "Name." });
const scopes = Type.Array(Type.String({ maxLength: 128 }), {
  minItems: 1,
  maxItems: 500,
  description:
    "What the key may do, as `family.action`; at most what the calling key may. `data_plane.*` is every data-plane route, `*` everything a key of its type may do; both include what a later version adds.",
});
const emails = Type.Array(Type.String({ format: "email", maxLength: 320 }), {
  maxItems: 100,
  description: "Further addresses for alerts.",
});

const Defaults = Type.Object(
  {
    metadata: Type.Optional(
      Type.Record(Type.String({ maxLength: 128 }), Type.String({ maxLength: 128 }), { description: "Metadata of each request." }),
    ),
    config_id: Type.Optional(Nullable(Type.String({ maxLength: 255, description: "Config of each request, by slug or id." }))),
    allow_config_override: Type.Optional(
      Type.Boolean({
        description:
          "`false` pins the config: a request may bring no other, nor name a provider where the config names one, in no way. Without it, requests may.",
      }),
    ),
  },
  { additionalProperties: false, description: "Defaults of requests made with the key." },
);
const RotationPolicy = Type.Object(
  {
    rotation_period: Type.Optional(Nullable(OneOf(["weekly", "monthly"], { description: "How often it is replaced." }))),
    rotation_period_days: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, maximum: 365, description: "Replaced every so many days; excludes rotation_period." })),
    ),
    next_rotation_at: Type.Optional(Nullable(DateTime("When it is next replaced."))),
    key_transition_period_ms: Type.Optional(
      Type.Integer({ minimum: 1_800_000, description: "How long the replaced secret goes on working, in milliseconds." }),
    ),
  },
  { additionalProperties: false, description: "When the secret is replaced." },
);
const BOUND =
  "Rate limits. Of each type and unit that the calling key is limited in, at most its own: left out it is taken over, higher is refused. The same holds of usage_limits, and of a pinned config.";
const shared = {
  description: Type.Optional(Type.String({ maxLength: 4096, description: "What it is for." })),
  rate_limits: Type.Optional(Nullable(Type.Array(RateLimit, { maxItems: 20, description: BOUND }))),
  usage_limits: Type.Optional(Nullable(UsageLimits)),
  defaults: Type.Optional(Nullable(Defaults)),
  alert_emails: Type.Optional(Nullable(emails)),
  expires_at: Type.Optional(Nullable(DateTime("When it stops working; it must lie ahead."))),
  rotation_policy: Type.Optional(Nullable(RotationPolicy)),
};

/** Specification E3 */
export const CreateBody = Type.Object({
  name,
  scopes,
  user_id: Type.Optional(Uuid("User the key belongs to; needed for a user key.")),
  ...shared,
});
export const CreateReply = Type.Object({
  id: Uuid("Id."),
  key: Type.String({ description: "The secret. It is shown here and never again." }),
  object: Type.Literal("api-key"),
});
export const UpdateBody = Type.Object({
  name: Type.Optional(name),
  scopes: Type.Optional(scopes),
  ...shared,
  reset_usage: Type.Optional(Type.Boolean({ description: "`true` makes an exhausted key active again." })),
});
export const ListQuery = Type.Object({
  ids: Type.Optional(Type.String({ maxLength: 40_000, pattern: "^[0-9a-fA-F, -]*$", description: "Only these, comma-separated." })),
});

export const ApiKeyView = Type.Object({
  id: Uuid("Id."),
  key: Type.String({ description: "The secret, masked." }),
  name: Type.String({ description: "Name." }),
  description: Nullable(Type.String({ description: "What it is for." })),
  type: OneOf(KEY_TYPES, { description: "Level and kind." }),
  organisation_id: Uuid("Organisation."),
  workspace_id: Nullable(Uuid("Workspace; null for an organisation key.")),
  user_id: Nullable(Uuid("User of a user key.")),
  status: OneOf(["active", "exhausted", "expired"], { description: "State." }),
  created_at: DateTime("When it was made."),
  last_updated_at: DateTime("When it was last written."),
  creation_mode: OneOf(["ui", "api", "auto"], { description: "How it came to be." }),
  rate_limits: Type.Array(RateLimit),
  usage_limits: Nullable(UsageLimits),
  scopes: Type.Array(Type.String()),
  defaults: JsonObject("Defaults of requests made with it."),
  alert_emails: Type.Array(Type.String()),
  expires_at: Nullable(DateTime("When it stops working.")),
  rotation_policy: Nullable(JsonObject("When the secret is replaced.")),
  object: Type.Literal("api-key"),
});
