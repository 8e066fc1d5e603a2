import { Type } from "@sinclair/typebox";
import { defineCollection } from "../storage.ts";
import { JsonObject, Nullable, Stamps, Uuid } from "./column.ts";

export const Organisations = defineCollection({
  name: "organisations",
  schema: Type.Object({
    ...Stamps,
    name: Type.String({ maxLength: 255, description: "Name." }),
    settings: JsonObject("Organisation-wide settings."),
  }),
});

export const Workspaces = defineCollection({
  name: "workspaces",
  schema: Type.Object({
    ...Stamps,
    organisation_id: Uuid("Organisation it belongs to."),
    name: Type.String({ maxLength: 255, description: "Name." }),
    slug: Type.String({ maxLength: 255, description: "Short name, unique in the organisation." }),
    description: Nullable(Type.String({ description: "What it is for." })),
    /** `{metadata?: {…}, input_guardrails?: [slug], output_guardrails?: [slug]}` */
    defaults: JsonObject("What each request of the workspace starts from: `metadata`, `input_guardrails`, `output_guardrails`."),
  }),
  unique: [["organisation_id", "slug"]],
});
