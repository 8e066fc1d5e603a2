import { Type } from "@sinclair/typebox";
import { Nullable } from "#contract";
import { ModelOrSet, open } from "../content/schema.ts";

const MAX_INPUTS = 2048;

export const EmbeddingBody = Type.Object(
  {
    model: Type.Optional(ModelOrSet),
    input: Type.Union([Type.String(), Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_INPUTS })], {
      description: "A text, a list of texts, a list of tokens, or a list of such lists; some providers take images beside texts.",
    }),
    encoding_format: Type.Optional(
      Nullable(Type.String({ default: "float", description: "`float` or `base64`; some providers know more, e.g. `int8`." })),
    ),
    dimensions: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, description: "Length of the vectors, where the model lets one choose." })),
    ),
    user: Type.Optional(Nullable(Type.String({ description: "Your user's id." }))),
  },
  { ...open, $id: "CreateEmbeddingRequest" },
);

const Embedding = Type.Object(
  {
    index: Type.Integer(),
    object: Type.Literal("embedding"),
    embedding: Type.Union([Type.Array(Type.Number()), Type.String({ description: "Base64 of 32-bit floats, lowest byte first." })]),
  },
  open,
);

export const EmbeddingList = Type.Object(
  {
    object: Type.Literal("list"),
    data: Type.Array(Embedding),
    model: Type.String(),
    usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }, open),
  },
  { ...open, $id: "CreateEmbeddingResponse" },
);
