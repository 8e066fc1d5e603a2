import { Type } from "@sinclair/typebox";
import { Nullable, type OperationRoute } from "#contract";
import { SEARCH } from "./content.ts";
import { Attributes } from "./files.ts";
import { ofStore } from "./owned.ts";

const open = { additionalProperties: true } as const;

const SearchBody = Type.Object(
  {
    query: Type.Union([Type.String(), Type.Array(Type.String())], { description: "What to search for, once or in several ways." }),
    max_num_results: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10, description: "Results at most." })),
    filters: Type.Optional(Type.Object({}, { ...open, description: "Only files whose attributes compare so." })),
    ranking_options: Type.Optional(Type.Object({}, { ...open, description: "Which ranker, and from which score on." })),
    rewrite_query: Type.Optional(Type.Boolean({ default: false, description: "Let the provider write the query anew." })),
  },
  { ...open, $id: "VectorStoreSearchRequest" },
);

const Result = Type.Object(
  {
    file_id: Type.String(),
    filename: Type.String(),
    score: Type.Number({ description: "0 to 1." }),
    attributes: Attributes,
    content: Type.Array(Type.Object({ type: Type.String(), text: Type.String() }, open)),
  },
  open,
);
const SearchPage = Type.Object(
  {
    object: Type.String({ description: "`vector_store.search_results.page`." }),
    search_query: Type.Union([Type.String(), Type.Array(Type.String())]),
    data: Type.Array(Result),
    has_more: Type.Boolean(),
    next_page: Nullable(Type.String()),
  },
  { ...open, $id: "VectorStoreSearchResultsPage" },
);

export const search: readonly OperationRoute[] = [
  {
    operation: "searchVectorStore",
    content: SEARCH,
    body: SearchBody,
    reply: SearchPage,
    owned: ofStore,
    examples: { "A question": { query: "How many days of leave are there?", max_num_results: 3 } },
  },
];
