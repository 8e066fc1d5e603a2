import { Type } from "@sinclair/typebox";
import { definePlugin, Nullable } from "#contract";
import { INPUT } from "../content/index.ts";
import { Model, open } from "../content/schema.ts";

const Named = (value: ReturnType<typeof Type.Boolean> | ReturnType<typeof Type.Number>, description: string) =>
  Type.Record(Type.String(), value, { description });

const ModerationBody = Type.Object(
  {
    input: Type.Union([Type.String(), Type.Array(Type.Unknown(), { minItems: 1 })], {
      description: "A text, a list of texts, or a list of parts: `text` and `image_url`.",
    }),
    model: Type.Optional(Nullable(Model)),
  },
  { ...open, $id: "CreateModerationRequest" },
);

const Moderation = Type.Object(
  {
    id: Type.String(),
    model: Type.String(),
    results: Type.Array(
      Type.Object(
        {
          flagged: Type.Boolean({ description: "Whether any category is violated." }),
          categories: Named(Type.Boolean(), "Category -> whether it is violated."),
          category_scores: Named(Type.Number(), "Category -> how likely, from 0 to 1."),
        },
        open,
      ),
    ),
  },
  { ...open, $id: "CreateModerationResponse" },
);

/** `POST /v1/moderations`. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "moderate",
          content: INPUT,
          body: ModerationBody,
          reply: Moderation,
          examples: {
            "A text": { model: "sandbox-moderation", input: "I want to be kind to everybody." },
            "Several texts": { model: "sandbox-moderation", input: ["Hello", "I will kill you"] },
          },
        },
      ],
    },
  }),
});
