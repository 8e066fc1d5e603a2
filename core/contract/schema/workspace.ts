import { type Static, Type } from "@sinclair/typebox";
import { collectionOf } from "../field/collection.ts";
import { field } from "../field/field.ts";
import { defineCollection, type RecordOf } from "../storage.ts";
import { JsonObject, Nullable, OneOf, Stamps } from "./column.ts";
import { UsageLimits } from "./limits.ts";
import { SecuritySettings } from "./security-settings.ts";
import { WorkspaceKeySettings } from "./user-key-settings.ts";

export const Organisations = defineCollection({
  name: "organisations",
  audited: true,
  schema: Type.Object({
    ...Stamps,
    name: Type.String({ maxLength: 255, description: "Name." }),
    settings: JsonObject("Organisation-wide settings."),
  }),
});

/** The organisation of the first start, in every deployment: its admin keys are the operator's. */
export const FIRST_ORGANISATION_ID = "5f0c6a3e-0000-4000-8000-000000000001";

/** Slug of the workspace that every organisation has from the start, and that is never deleted. */
export const DEFAULT_WORKSPACE = "default";

const Guardrails = (which: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      maxItems: 100,
      uniqueItems: true,
      description: `Guardrails of the workspace or its organisation, by slug or id, that judge every ${which}. The list replaces the one before.`,
    }),
  );
const DefaultsBody = Type.Object(
  {
    metadata: Type.Optional(
      Type.Record(Type.String({ maxLength: 128 }), Type.String({ maxLength: 128 }), {
        maxProperties: 100,
        description: "Metadata of each request; it wins over that of keys and requests.",
      }),
    ),
    input_guardrails: Guardrails("request"),
    output_guardrails: Guardrails("answer"),
    user_api_key_config: Type.Optional(
      Nullable(
        Type.String({ maxLength: 255, description: "Config, by slug or id, of requests with a user key that has none of its own." }),
      ),
    ),
  },
  { additionalProperties: false, description: "What each request of the workspace starts from. Members left out stay as they are." },
);
export type WorkspaceDefaults = Static<typeof DefaultsBody>;

/** A rate limit of a workspace: all of its requests share it. */
export const WorkspaceRateLimit = Type.Object(
  {
    type: OneOf(["requests", "tokens"], { default: "requests", description: "What is counted." }),
    unit: OneOf(["rpm", "rph", "rpd"], { default: "rpm", description: "Per minute, hour or day." }),
    value: Type.Number({ minimum: 0, description: "How many per unit, for all keys of the workspace together." }),
  },
  { additionalProperties: false },
);

export const Workspaces = collectionOf({
  name: "workspaces",
  tenancy: "self",
  fields: {
    slug: field(Type.String({ maxLength: 255, description: "Short name, unique in the organisation." }), { view: true }),
    name: field(Type.String({ minLength: 1, maxLength: 255, description: "Name." }), {
      create: "optional",
      update: true,
      view: true,
      default: "Workspace",
    }),
    description: field(Nullable(Type.String({ maxLength: 4096, description: "What it is for." })), {
      create: "optional",
      update: true,
      view: true,
    }),
    /** `{metadata?: {…}, input_guardrails?: [slug], output_guardrails?: [slug], user_api_key_config?: slug}` */
    defaults: field(
      JsonObject("What each request of the workspace starts from: `metadata`, `input_guardrails`, `output_guardrails`."),
      { create: "optional", update: true, default: {} },
      { schema: DefaultsBody },
    ),
    usage_limits: field(Nullable(Type.Array(UsageLimits, { maxItems: 1, description: "Budget of the workspace." })), {
      create: "optional",
      update: true,
    }),
    rate_limits: field(Nullable(Type.Array(WorkspaceRateLimit, { maxItems: 20, description: "Rate limits of the workspace." })), {
      create: "optional",
      update: true,
    }),
    /** By category, the values and when the organisation had opened the category; see `security-settings.ts`. */
    security_settings: field(
      Nullable(JsonObject("Its own values in the categories that its organisation lets it decide.")),
      { update: true, default: null },
      { schema: SecuritySettings },
    ),
    /** What its organisation lets it say of user keys; see `user-key-settings.ts`. */
    settings: field(
      Nullable(JsonObject("What holds of user keys here; what is left out is as the organisation says.")),
      { update: true, view: true, default: null },
      { schema: WorkspaceKeySettings },
    ),
    status: field(OneOf(["active", "archived"], { description: "State." }), { view: true, default: "active" }),
  },
  unique: [["organisation_id", "slug"]],
  index: [["organisation_id", "status"]],
});

/** What is said of a workspace of which nothing was said. */
export const BLANK_WORKSPACE: Pick<
  RecordOf<typeof Workspaces>,
  "description" | "defaults" | "usage_limits" | "rate_limits" | "security_settings" | "settings" | "status"
> = { description: null, defaults: {}, usage_limits: null, rate_limits: null, security_settings: null, settings: null, status: "active" };
