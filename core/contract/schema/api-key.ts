import { Type } from "@sinclair/typebox";
import { collectionOf } from "../field/collection.ts";
import { field } from "../field/field.ts";
import type { RecordOf } from "../storage.ts";
import { JsonObject, Nullable, OneOf, Timestamp, Uuid } from "./column.ts";
import { expiryField } from "./expiry.ts";
import { RateLimit, UsageLimits } from "./limits.ts";
import { RotationPolicy } from "./rotation-policy.ts";

export const KEY_TYPES = ["organisation-service", "workspace-service", "workspace-user"] as const;

const Guardrails = (which: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      maxItems: 100,
      uniqueItems: true,
      description: `Guardrails of the key's workspace or its organisation, by slug or id, that judge every ${which}; no request can leave them out.`,
    }),
  );
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
    input_guardrails: Guardrails("request"),
    output_guardrails: Guardrails("answer"),
  },
  { additionalProperties: false, description: "Defaults of requests made with the key." },
);
const Scopes = Type.Array(Type.String({ maxLength: 128 }), {
  minItems: 1,
  maxItems: 500,
  description:
    "What the key may do, as `family.action`; at most what the calling key may. `data_plane.*` is every data-plane route, `*` everything a key of its type may do; both include what a later version adds.",
});
const BOUND =
  "Rate limits. Of each type and unit that the calling key is limited in, at most its own: left out it is taken over, higher is refused. The same holds of usage_limits, and of a pinned config.";
const Emails = Type.Array(Type.String({ format: "email", maxLength: 320 }), {
  maxItems: 100,
  description: "Further addresses for alerts.",
});

/** A gateway key (specification E3). Only a keyed hash of the secret is stored (`vault.digest`). */
export const ApiKeys = collectionOf({
  name: "api_keys",
  tenancy: "either",
  fields: {
    user_id: field(
      Nullable(Uuid("User of a user key.")),
      { create: "optional", view: true },
      { schema: Uuid("User the key belongs to; needed for a user key.") },
    ),
    /** Key or user. */
    created_by: field(Uuid("Who made it."), { default: ({ actor }) => actor }),
    type: field(OneOf(KEY_TYPES, { description: "Level and kind." }), { view: true }),
    creation_mode: field(OneOf(["ui", "api", "auto"], { description: "How it came to be." }), { view: true, default: "api" }),
    name: field(Type.String({ minLength: 1, maxLength: 255, description: "Name." }), { create: "required", update: true, view: true }),
    description: field(Type.String({ maxLength: 4096, description: "What it is for." }), { create: "optional", update: true, view: true }),
    digest: field(Type.String({ description: "Keyed hash of the secret." }), {}),
    /** First and last characters, for people to tell keys apart: `Xk*******S4`. */
    masked_key: field(Type.String({ description: "The secret, masked." }), {}),
    status: field(OneOf(["active", "exhausted", "expired"], { description: "State." }), { view: true, default: "active" }),
    scopes: field(
      Type.Array(Type.String(), { description: "What it may do." }),
      { create: "required", update: true, view: true },
      { schema: Scopes },
    ),
    rate_limits: field(
      Type.Array(RateLimit, { description: "Rate limits." }),
      { create: "optional", update: true, view: true, default: [] },
      { schema: Nullable(Type.Array(RateLimit, { maxItems: 20, description: BOUND })), store: (given) => given ?? [] },
    ),
    usage_limits: field(Nullable(UsageLimits), { create: "optional", update: true, view: true }),
    defaults: field(
      JsonObject("Defaults of requests made with it."),
      { create: "optional", update: true, view: true, default: {} },
      { schema: Nullable(Defaults) },
    ),
    alert_emails: field(
      Type.Array(Type.String(), { description: "Further addresses for alerts." }),
      { create: "optional", update: true, view: true, default: [] },
      { schema: Nullable(Emails), store: (given) => given ?? [] },
    ),
    expires_at: expiryField,
    rotation_policy: field(
      Nullable(JsonObject("When the secret is replaced.")),
      { create: "optional", update: true, view: true },
      { schema: Nullable(RotationPolicy) },
    ),
    next_rotation_at: field(Nullable(Timestamp("When the secret is next replaced.")), { default: null }),
    /** The secret before this one: it works until `key_transition_expires_at`, so that a rotation breaks nobody. */
    previous_digest: field(Nullable(Type.String({ description: "Keyed hash of the secret before." })), { default: null }),
    key_transition_expires_at: field(Nullable(Timestamp("Until when the secret before this one works.")), { default: null }),
    rotated_at: field(Nullable(Timestamp("When the secret was last replaced.")), { view: true, default: null }),
    /** A secret that nobody was shown for certain: whoever may rotate the key can ask for it, until `secret_kept_until`. */
    secret_sealed: field(Nullable(Type.String({ description: "The secret, sealed, while it can be asked for." })), { default: null }),
    secret_kept_until: field(Nullable(Timestamp("Until when the secret can be asked for.")), { view: true, default: null }),
    /** A rotation that not everybody was told of who is to be. */
    untold_since: field(Nullable(Timestamp("Since when people are to be told of its new secret.")), { default: null }),
    /** `{[notice]: {at, left}}`: the moment that people were told of, and the addresses of those who have not heard. */
    told: field(Nullable(JsonObject("What was told of rotations.")), { default: null }),
    /** The environment of the gateway says its secret: nothing else replaces it. */
    is_preset: field(Type.Boolean({ description: "Is its secret set in the environment?" }), { default: false }),
  },
  unique: [["digest"], ["previous_digest"]],
  index: [
    ["organisation_id"],
    ["organisation_id", "workspace_id"],
    ["next_rotation_at"],
    ["key_transition_expires_at"],
    ["expires_at"],
    ["secret_kept_until"],
    ["untold_since"],
  ],
});

/** What is said of the rotation of a key that has none. */
export const NO_ROTATION: Pick<
  RecordOf<typeof ApiKeys>,
  | "rotation_policy"
  | "next_rotation_at"
  | "previous_digest"
  | "key_transition_expires_at"
  | "rotated_at"
  | "secret_sealed"
  | "secret_kept_until"
  | "untold_since"
  | "told"
  | "is_preset"
> = {
  ...{ rotation_policy: null, next_rotation_at: null, previous_digest: null, key_transition_expires_at: null },
  ...{ rotated_at: null, secret_sealed: null, secret_kept_until: null, untold_since: null, told: null, is_preset: false },
};
