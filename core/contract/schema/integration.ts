import { Type } from "@sinclair/typebox";
import { collectionOf } from "../field/collection.ts";
import { field } from "../field/field.ts";
import { makeSlug } from "../resource.ts";
import type { RecordOf } from "../storage.ts";
import { JsonObject, Nullable, OneOf, Timestamp, Uuid } from "./column.ts";
import { expiryField } from "./expiry.ts";
import { StoredModel } from "./integration-models.ts";
import { SecretMappings } from "./secret-reference.ts";
import { RateLimit, UsageLimits } from "./limits.ts";
import { PricingAdjustments } from "./pricing.ts";
import { WorkspaceRateLimit } from "./workspace.ts";

const Slug = (description: string) => Type.String({ pattern: "^[a-zA-Z0-9_-]+$", maxLength: 255, description });
/** Given, or made from the name. */
const slugField = (description: string) =>
  field(
    Slug(description),
    { create: "optional", view: true, default: ({ body }) => makeSlug("", String(body["name"])) },
    { schema: Slug("Short name; made from the name when left out.") },
  );
const name = field(Type.String({ minLength: 1, maxLength: 255, description: "Name." }), { create: "required", update: true, view: true });
const tags = field(
  Type.Record(Type.String({ maxLength: 128 }), Type.String({ maxLength: 256 }), { maxProperties: 50, description: "Key-value tags." }),
  {
    create: "optional",
    update: true,
    view: true,
    default: {},
  },
);

const GrantBudget = Nullable(Type.Array(UsageLimits, { maxItems: 1, description: "Budget: one, or none." }));
const GrantRate = Nullable(Type.Array(WorkspaceRateLimit, { maxItems: 1, description: "Rate limit: one, or none." }));
/** How much a workspace may do with an integration. */
export const GrantLimits = { usage_limits: Type.Optional(GrantBudget), rate_limits: Type.Optional(GrantRate) } as const;

/** What workspaces of which nothing is said in particular may do with an integration of their organisation. */
export const GlobalWorkspaceAccess = Type.Object(
  { enabled: Type.Boolean({ description: "May they use it?" }), ...GrantLimits },
  { additionalProperties: false, description: "What holds for every workspace that has no setting of its own." },
);

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
          "Fields of the provider's target, `custom_host`, and `custom_headers` that its requests carry; where the provider takes tokens of an OAuth client, `oauth_token_endpoint`, `oauth_client_id`, `oauth_client_secret` and `oauth_scope` (with or without `auth_type` `oauthClientCredentials`), with which the gateway fetches its key. Secrets left out of an update, or sent back masked, stay as they are; null takes one away. While the key or a secret stays, `custom_host` and the fields that say where it goes or whom it stands for stay too: to change those, give it again.",
        ),
      },
    ),
    secret_mappings: field(Nullable(SecretMappings), { create: "optional", update: true, view: "alone" }),
    pricing_adjustments: field(Nullable(PricingAdjustments), { create: "optional", update: true, view: "alone" }),
    tags,
    /** Of models that are not in `models`. */
    allow_all_models: field(Type.Boolean({ description: "May models be asked of which nothing is said in particular?" }), {
      view: "alone",
      default: true,
    }),
    models: field(Nullable(Type.Array(StoredModel, { description: "Models of which something is said." })), { default: null }),
    /** Null as long as nobody said who may use it: every workspace may. */
    global_workspace_access: field(Nullable(GlobalWorkspaceAccess), { default: null }),
    /** A virtual key may change and delete it. Only who makes a virtual key says so. */
    made_as_virtual_key: field(Type.Boolean({ description: "Was it made with a virtual key?" }), { default: false }),
  },
  unique: [["organisation_id", "slug"]],
  index: [["organisation_id", "workspace_id"]],
});

export type IntegrationModel = NonNullable<RecordOf<typeof Integrations>["models"]>[number];

/** What is said of an integration of which nothing was said beside its credential. */
export const BLANK_INTEGRATION: Pick<
  RecordOf<typeof Integrations>,
  "secret_mappings" | "pricing_adjustments" | "allow_all_models" | "models" | "global_workspace_access" | "made_as_virtual_key"
> = {
  ...{ secret_mappings: null, pricing_adjustments: null, allow_all_models: true, models: null, global_workspace_access: null },
  made_as_virtual_key: false,
};

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

/** What one workspace may do with an integration of its organisation; it counts before `global_workspace_access`. */
export const IntegrationWorkspaces = collectionOf({
  name: "integration_workspaces",
  tenancy: "workspace",
  fields: {
    integration_id: field(Uuid("Integration."), {}),
    enabled: field(Type.Boolean({ description: "May the workspace use it?" }), {}),
    usage_limits: field(GrantBudget, { default: null }),
    rate_limits: field(GrantRate, { default: null }),
    last_reset_at: field(Nullable(Timestamp("When its usage was last reset.")), { default: null }),
  },
  unique: [["integration_id", "workspace_id"]],
});
