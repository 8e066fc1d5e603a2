import { Type } from "@sinclair/typebox";
import { collectionOf } from "../field/collection.ts";
import { field } from "../field/field.ts";
import { makeSlug } from "../resource.ts";
import { JsonObject, Nullable, OneOf, Uuid } from "./column.ts";
import { expiryField } from "./expiry.ts";
import { SecretMappings } from "./secret-reference.ts";
import { RateLimit, UsageLimits } from "./limits.ts";

const Slug = (description: string) => Type.String({ pattern: "^[a-zA-Z0-9_-]+$", maxLength: 255, description });
/** Given, or made from the name. */
const slugField = (description: string) =>
  field(
    Slug(description),
    { create: "optional", view: true, default: ({ body }) => makeSlug("", String(body["name"])) },
    { schema: Slug("Short name; made from the name when left out.") },
  );
const name = field(Type.String({ minLength: 1, maxLength: 255, description: "Name." }), { create: "required", update: true, view: true });
const tags = field(Type.Record(Type.String({ maxLength: 128 }), Type.String({ maxLength: 256 }), { description: "Key-value tags." }), {
  create: "optional",
  update: true,
  view: true,
  default: {},
});

/** A credential and settings for one model provider, of an organisation or of one workspace. */
export const Integrations = collectionOf({
  name: "integrations",
  tenancy: "either",
  fields: {
    owner_id: field(Uuid("Who made it."), { default: ({ actor }) => actor }),
    ai_provider_id: field(Type.String({ maxLength: 64, description: "Provider id, e.g. `openai`." }), { create: "required", view: true }),
    name,
    slug: slugField("Short name."),
    description: field(Type.String({ maxLength: 4096, description: "What it is for." }), { create: "optional", update: true, view: true }),
    status: field(OneOf(["active", "archived"], { description: "State." }), { view: true, default: "active" }),
    /** Null when the provider needs none. */
    key: field(
      Type.String({ minLength: 1, maxLength: 65_536, description: "The provider's credential. It is sealed and never shown again." }),
      { create: "optional", update: true, view: "alone", secret: true },
    ),
    /** The target fields of its provider, whose schema says which are secret. */
    configurations: field(
      JsonObject("Target fields; secrets are masked."),
      { create: "optional", update: true, view: "alone", secret: "inside", default: {} },
      {
        schema: JsonObject(
          "Fields of the provider's target, and `custom_host`. Secrets left out of an update, or sent back masked, stay as they are; null takes one away. While the key or a secret stays, `custom_host` and the fields that say where it goes or whom it stands for stay too: to change those, give it again.",
        ),
      },
    ),
    secret_mappings: field(Nullable(SecretMappings), { create: "optional", update: true, view: "alone" }),
    tags,
  },
  unique: [["organisation_id", "slug"]],
  index: [["organisation_id", "workspace_id"]],
});

/** An integration made usable in one workspace: what `@slug` names. */
export const Providers = collectionOf({
  name: "providers",
  tenancy: "workspace",
  fields: {
    integration_id: field(
      Uuid("Integration it is made from."),
      { create: "required", view: true },
      { schema: Type.String({ minLength: 1, maxLength: 255, description: "Integration it is made from, by id or slug." }) },
    ),
    name,
    slug: slugField("Short name: `@slug` in requests and configs."),
    note: field(Nullable(Type.String({ maxLength: 4096, description: "Note." })), { create: "optional", update: true, view: true }),
    status: field(OneOf(["active", "exhausted", "expired"], { description: "State." }), { view: true, default: "active" }),
    usage_limits: field(Nullable(UsageLimits), { create: "optional", update: true, view: true }),
    rate_limits: field(
      Type.Array(RateLimit, { description: "Rate limits." }),
      { create: "optional", update: true, view: true, default: [] },
      {
        schema: Nullable(Type.Union([Type.Array(RateLimit, { maxItems: 10 }), RateLimit], { description: "One rate limit, or several." })),
        store: (given) => (given === null ? [] : [given].flat()),
      },
    ),
    expires_at: expiryField,
    tags,
  },
  unique: [["workspace_id", "slug"]],
  index: [["integration_id"], ["organisation_id", "slug"]],
});
