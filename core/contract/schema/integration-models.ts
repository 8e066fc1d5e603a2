import { type Static, Type } from "@sinclair/typebox";
import { JsonObject, Nullable } from "./column.ts";
import { PricingConfig } from "./pricing.ts";

/* The models of an integration: which may be asked, which are its own, and what those need. */

const NO_CONTROL = "^[^\\u0000-\\u001f\\u007f]+$";
export const ModelSlug = (description: string) => Type.String({ minLength: 1, maxLength: 255, pattern: NO_CONTROL, description });

const members = {
  slug: ModelSlug("The model, as its provider is asked for it."),
  enabled: Type.Boolean({ description: "May it be asked? This counts before allow_all_models." }),
  is_custom: Type.Optional(Nullable(Type.Boolean({ description: "A model of your own, which the provider does not list." }))),
  is_finetune: Type.Optional(Nullable(Type.Boolean({ description: "A model of your own that was trained from base_model_slug." }))),
  base_model_slug: Type.Optional(Nullable(ModelSlug("The model it was made from: its list price counts where it has no own."))),
  pricing_config: Type.Optional(Nullable(PricingConfig)),
};
const ModelConfigurations = Type.Object(
  {
    custom_host: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 2048, description: "Where the model is, in place of its provider's base URL." })),
    ),
    custom_headers: Type.Optional(
      Nullable(
        Type.Record(Type.String({ pattern: "^[A-Za-z0-9-]+$", maxLength: 128 }), Type.String({ maxLength: 8192 }), {
          maxProperties: 50,
          description: "Headers that its requests carry. They are sealed, and shown masked; what is sent back masked stays as it is.",
        }),
      ),
    ),
  },
  { additionalProperties: false, description: "Of a custom model: where it is, and what it is told." },
);

/** What a client says of one model. */
export const GivenModel = Type.Object(
  { ...members, configurations: Type.Optional(Nullable(ModelConfigurations)) },
  { additionalProperties: false },
);
export type GivenModel = Static<typeof GivenModel>;

/** What is kept of one model; the headers in its configurations are sealed. */
export const StoredModel = Type.Object({
  ...Type.Required(Type.Object(members)).properties,
  configurations: Nullable(JsonObject("`custom_host` and `custom_headers`.")),
});
export type StoredModel = Static<typeof StoredModel>;
