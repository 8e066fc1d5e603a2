import { type Static, Type } from "@sinclair/typebox";
import { OneOf } from "#contract";

/** Applies to the catalogue; a provider's own list gets the query unchanged. */
export const ModelsQuery = Type.Object(
  {
    ai_service: Type.Optional(Type.String({ description: "Only models of this provider id, e.g. `openai`." })),
    provider: Type.Optional(Type.String({ description: "Only models of this saved provider (its slug)." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: "Page size; all when absent." })),
    offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: "How many to leave out first." })),
    after_id: Type.Optional(Type.String({ description: "With anthropic-version: the page behind this model." })),
    before_id: Type.Optional(Type.String({ description: "With anthropic-version: the page before this model." })),
    sort: Type.Optional(OneOf(["name", "provider", "ai_service"], { default: "name", description: "What to sort by." })),
    order: Type.Optional(OneOf(["asc", "desc"], { default: "asc", description: "Direction." })),
  },
  { additionalProperties: true },
);
export type ModelsQuery = Static<typeof ModelsQuery>;

export const Model = Type.Object(
  {
    id: Type.String({ description: "What to send as `model`." }),
    object: Type.Literal("model"),
    created: Type.Integer({ description: "Unix seconds." }),
    owned_by: Type.String(),
  },
  { additionalProperties: true, $id: "Model" },
);

export const ModelDeleted = Type.Object(
  { id: Type.String(), object: Type.String({ description: "`model`." }), deleted: Type.Boolean() },
  { additionalProperties: true, $id: "DeleteModelResponse" },
);

export const ModelList = Type.Object(
  {
    object: Type.Literal("list"),
    data: Type.Array(Model),
    provider: Type.Optional(Type.String({ description: "A provider's own list only: the id of that provider." })),
    total_count: Type.Optional(Type.Integer({ description: "Catalogue only: how many match, all pages together." })),
  },
  { additionalProperties: true, $id: "ListModelsResponse" },
);
