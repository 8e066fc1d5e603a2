import { type Static, Type } from "@sinclair/typebox";
import { DateTime, JsonObject, Nullable, OneOf, RateLimit, SecretMappings, UsageLimits } from "#contract";

const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });

const Deployment = Type.Object(
  {
    apiVersion: text(30, "Its API version."),
    alias: Type.Optional(text(255, "The model by which a request chooses it; the deployment's name when left out.")),
    is_default: Type.Optional(Type.Boolean({ description: "Serves requests whose model is no alias." })),
    deploymentName: text(255, "The deployment."),
  },
  { additionalProperties: false },
);
export type Deployment = Static<typeof Deployment>;

/** What making and changing one have in common. */
const Common = {
  name: Type.Optional(text(255, "Name.")),
  key: Type.Optional(text(65_536, "The provider's credential. It is sealed and never shown again.")),
  note: Type.Optional(Nullable(Type.String({ maxLength: 4096, description: "Note." }))),
  deploymentConfig: Type.Optional(Type.Array(Deployment, { maxItems: 500, description: "Several deployments of one resource." })),
  usage_limits: Type.Optional(Nullable(UsageLimits)),
  secret_mappings: Type.Optional(SecretMappings),
};
export const CreateBody = Type.Object({
  ...Common,
  provider: Type.Optional(text(64, "Provider id, e.g. `openai`.")),
  apiVersion: Type.Optional(Nullable(text(30, "API version of a resource with deployments."))),
  resourceName: Type.Optional(Nullable(text(255, "Name of a resource with deployments."))),
  deploymentName: Type.Optional(Nullable(text(255, "The deployment to call."))),
  rate_limits: Type.Optional(
    Nullable(Type.Union([RateLimit, Type.Array(RateLimit, { maxItems: 10 })], { description: "One rate limit, or several." })),
  ),
  expires_at: Type.Optional(DateTime("When it stops working; it must lie ahead.")),
});
export type CreateBody = Static<typeof CreateBody>;
export const UpdateBody = Type.Object(Common);
export type UpdateBody = Static<typeof UpdateBody>;

/** What the provider says of it. */
export const OwnPart = Type.Object({
  name: Type.String({ description: "Name." }),
  note: Nullable(Type.String({ description: "Note." })),
  status: OneOf(["active", "exhausted", "expired"], { description: "State." }),
  usage_limits: Nullable(UsageLimits),
  reset_usage: Nullable(Type.Number({ description: "Always null: usage is reset by the provider's own route." })),
  created_at: DateTime("When it was made."),
  slug: Type.String({ description: "Short name: `virtual_key` in configs, `x-gateway-virtual-key` in requests." }),
  rate_limits: Nullable(Type.Array(RateLimit)),
  expires_at: Nullable(DateTime("When it stops working.")),
  object: Type.Literal("virtual-key"),
});
/** What the integration behind it says. */
export const IntegrationPart = {
  model_config: JsonObject(
    "Its fields for the provider, secrets masked; empty where they are those of an integration that did not come with it.",
  ),
  secret_mappings: SecretMappings,
};
export const VirtualKey = Type.Object({ ...OwnPart.properties, ...IntegrationPart });
