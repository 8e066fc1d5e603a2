import { Type } from "@sinclair/typebox";
import { DateTime, JsonObject, Nullable, OneOf, Uuid } from "#contract";

const name = Type.String({ minLength: 1, maxLength: 255, description: "Name." });
const Slug = (description: string) => Type.String({ pattern: "^[a-zA-Z0-9_-]+$", maxLength: 255, description });
const key = Type.String({ minLength: 1, maxLength: 65_536, description: "The provider's credential. It is sealed and never shown again." });
const description = Type.String({ maxLength: 4096, description: "What it is for." });
const configurations = JsonObject(
  "Fields of the provider's target, and `custom_host`. Secrets left out of an update, or sent back masked, stay as they are; null takes one away. While the key or a secret stays, `custom_host` and the fields that say where it goes or whom it stands for stay too: to change those, give it again.",
);
const tags = Type.Record(Type.String({ maxLength: 128 }), Type.String({ maxLength: 256 }), { description: "Key-value tags." });

/** Specification 2.10 */
const summary = {
  id: Uuid("Id."),
  organisation_id: Uuid("Organisation."),
  workspace_id: Nullable(Uuid("Workspace; null when it is the organisation's.")),
  ai_provider_id: Type.String({ description: "Provider id, e.g. `openai`." }),
  name: Type.String({ description: "Name." }),
  status: OneOf(["active", "archived"], { description: "State." }),
  created_at: DateTime("When it was made."),
  last_updated_at: DateTime("When it was last written."),
  slug: Type.String({ description: "Short name." }),
  description: Type.String({ description: "What it is for." }),
  tags,
  object: Type.Literal("integration"),
};
export const IntegrationSummary = Type.Object(summary);
export const IntegrationDetails = Type.Object({
  ...summary,
  masked_key: Nullable(Type.String({ description: "Masked credential; null when there is none." })),
  configurations: JsonObject("Target fields; secrets are masked."),
});

export const ListQuery = Type.Object({
  type: Type.Optional(OneOf(["workspace", "organisation", "all"], { default: "all", description: "Whose." })),
});
export const CreateBody = Type.Object({
  name,
  slug: Type.Optional(Slug("Short name; made from the name when left out.")),
  ai_provider_id: Type.String({ maxLength: 64, description: "Provider id, e.g. `openai`." }),
  key: Type.Optional(key),
  description: Type.Optional(description),
  configurations: Type.Optional(configurations),
  tags: Type.Optional(tags),
  create_default_provider: Type.Optional(
    Type.Boolean({ default: true, description: "A workspace integration: make a provider of it at once." }),
  ),
  default_provider_slug: Type.Optional(Slug("Short name of that provider; default: the integration's.")),
});
export const CreateReply = Type.Object({ id: Uuid("Id."), slug: Type.String({ description: "Short name." }) });
export const UpdateBody = Type.Object({
  name: Type.Optional(name),
  key: Type.Optional(key),
  description: Type.Optional(description),
  configurations: Type.Optional(configurations),
  tags: Type.Optional(tags),
});
