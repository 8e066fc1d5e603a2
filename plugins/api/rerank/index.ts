import { Type } from "@sinclair/typebox";
import { type BodyContent, definePlugin, isJson, type Json, Nullable, tokens, type Usage } from "#contract";
import { RERANK } from "../content/index.ts";
import { ModelOrSet, open } from "../content/schema.ts";

const RerankBody = Type.Object(
  {
    model: Type.Optional(ModelOrSet),
    query: Type.String({ description: "What the documents are compared with." }),
    documents: Type.Array(Type.Union([Type.String(), Type.Object({ text: Type.Optional(Type.String()) }, open)]), {
      minItems: 1,
      description: "Texts, or objects with a text.",
    }),
    top_n: Type.Optional(Nullable(Type.Integer({ minimum: 1, description: "How many of the best come back; default: all." }))),
    return_documents: Type.Optional(
      Nullable(Type.Boolean({ default: false, description: "Whether results repeat the text of their documents." })),
    ),
    max_tokens_per_doc: Type.Optional(Nullable(Type.Integer({ minimum: 1, description: "Longer documents are cut." }))),
    priority: Type.Optional(Nullable(Type.Number({ description: "Of the request among others, where a provider knows that." }))),
    rank_fields: Type.Optional(Nullable(Type.Array(Type.String(), { description: "Members of the documents that count." }))),
    truncation: Type.Optional(Nullable(Type.Boolean({ description: "Whether what is too long is cut instead of refused." }))),
    parameters: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown(), { description: "The provider's own." }))),
  },
  { ...open, $id: "CreateRerankRequest" },
);

const RerankResult = Type.Object(
  {
    id: Type.Optional(Type.String()),
    object: Type.Optional(Type.Literal("list")),
    results: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: "Place of the document in the request." }),
          relevance_score: Type.Number({ description: "The most relevant come first." }),
          document: Type.Optional(Type.Object({ text: Type.Optional(Type.String()) }, open)),
        },
        open,
      ),
    ),
    model: Type.Optional(Type.String()),
    usage: Type.Optional(Type.Object({ search_units: Type.Optional(Type.Integer()) }, open)),
    provider: Type.Optional(Type.String()),
  },
  { ...open, $id: "CreateRerankResponse" },
);

/** Providers that count tokens; those that count searches report none. */
function usage({ usage: reported }: Json): Usage | undefined {
  if (!isJson(reported)) return undefined;
  const { prompt_tokens, total_tokens } = reported;
  const count = prompt_tokens ?? total_tokens;
  return typeof count === "number" ? { input: tokens(count) } : undefined;
}
const content: BodyContent = { ...RERANK, usage };

/** `POST /v1/rerank`. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "rerank",
          content,
          body: RerankBody,
          reply: RerankResult,
          examples: {
            "Three documents": {
              model: "sandbox-rerank",
              query: "capital of Norway",
              documents: ["Oslo is the capital of Norway.", "Bananas are yellow.", { text: "Norway is a country." }],
              top_n: 2,
              return_documents: true,
            },
          },
        },
      ],
    },
  }),
});
