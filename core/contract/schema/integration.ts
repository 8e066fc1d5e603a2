import { Type } from "@sinclair/typebox";
import { defineCollection } from "../storage.ts";
import { JsonObject, Nullable, OneOf, Stamps, Timestamp, Uuid } from "./column.ts";
import { RateLimit, UsageLimits } from "./limits.ts";

/** A credential and settings for one model provider, of an organisation or of one workspace (specification 2.10). */
export const Integrations = defineCollection({
  name: "integrations",
  schema: Type.Object({
    ...Stamps,
    organisation_id: Uuid("Organisation."),
    workspace_id: Nullable(Uuid("Workspace; null when it is the organisation's.")),
    owner_id: Uuid("Who made it."),
    ai_provider_id: Type.String({ maxLength: 64, description: "Provider id, e.g. `openai`." }),
    name: Type.String({ maxLength: 255, description: "Name." }),
    slug: Type.String({ maxLength: 255, description: "Short name." }),
    description: Nullable(Type.String({ description: "What it is for." })),
    status: OneOf(["active", "archived"], { default: "active", description: "State." }),
    /** Sealed (`vault.seal`); null when the provider needs none. */
    key_sealed: Nullable(Type.String({ description: "Sealed credential." })),
    masked_key: Nullable(Type.String({ description: "Masked credential." })),
    /** Target fields. Fields whose schema says `secret: true` are sealed inside. */
    configurations: JsonObject("Target fields of the provider."),
    tags: JsonObject("Key-value tags."),
  }),
  unique: [["organisation_id", "slug"]],
  index: [["organisation_id", "workspace_id"]],
});

/** An integration made usable in one workspace: what `@slug` names. */
export const Providers = defineCollection({
  name: "providers",
  schema: Type.Object({
    ...Stamps,
    organisation_id: Uuid("Organisation."),
    workspace_id: Uuid("Workspace."),
    integration_id: Uuid("Integration it is made from."),
    name: Type.String({ maxLength: 255, description: "Name." }),
    slug: Type.String({ maxLength: 255, description: "Short name, unique in the workspace." }),
    note: Nullable(Type.String({ description: "Note." })),
    status: OneOf(["active", "exhausted", "expired"], { default: "active", description: "State." }),
    usage_limits: Nullable(UsageLimits),
    rate_limits: Type.Array(RateLimit, { description: "Rate limits." }),
    expires_at: Nullable(Timestamp("When it stops working.")),
    tags: JsonObject("Key-value tags."),
  }),
  unique: [["workspace_id", "slug"]],
  index: [["integration_id"]],
});
