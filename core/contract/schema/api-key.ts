import { Type } from "@sinclair/typebox";
import { defineCollection } from "../storage.ts";
import { JsonObject, Nullable, OneOf, Stamps, Timestamp, Uuid } from "./column.ts";
import { RateLimit, UsageLimits } from "./limits.ts";

export const KEY_TYPES = ["organisation-service", "workspace-service", "workspace-user"] as const;

/** A gateway key. Only a keyed hash of the secret is stored (`vault.digest`). */
export const ApiKeys = defineCollection({
  name: "api_keys",
  schema: Type.Object({
    ...Stamps,
    organisation_id: Uuid("Organisation."),
    workspace_id: Nullable(Uuid("Workspace; null for an organisation key.")),
    user_id: Nullable(Uuid("User of a user key.")),
    created_by: Uuid("Key or user that made it."),
    type: OneOf(KEY_TYPES, { description: "Level and kind." }),
    creation_mode: OneOf(["ui", "api", "auto"], { default: "api", description: "How it came to be." }),
    name: Type.String({ maxLength: 255, description: "Name." }),
    description: Nullable(Type.String({ description: "What it is for." })),
    digest: Type.String({ description: "Keyed hash of the secret." }),
    /** First and last characters, for people to tell keys apart: `Xk*******S4`. */
    masked_key: Type.String({ description: "Masked secret." }),
    status: OneOf(["active", "exhausted", "expired"], { default: "active", description: "State." }),
    scopes: Type.Array(Type.String(), { description: "What it may do." }),
    rate_limits: Type.Array(RateLimit, { description: "Rate limits." }),
    usage_limits: Nullable(UsageLimits),
    /** `{metadata?, config_id?, allow_config_override?}` */
    defaults: JsonObject("Defaults of requests made with it."),
    alert_emails: Type.Array(Type.String(), { description: "Further addresses for alerts." }),
    expires_at: Nullable(Timestamp("When it stops working.")),
    rotation_policy: Nullable(JsonObject("When it is replaced.")),
  }),
  unique: [["digest"]],
  index: [["organisation_id", "workspace_id"]],
});
