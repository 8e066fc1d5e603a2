import { type Adapter, isJson, type Json } from "#contract";
import { obeying } from "./answering.ts";
import { idOf } from "./id.ts";
import { missing } from "./missing.ts";
import { wordsIn } from "./words.ts";

/** Rerank: a document is as relevant as many of the query's words it has. */
export const rerank = {
  rerank: {
    answer: obeying((body) => {
      const { query, documents, top_n, return_documents } = body;
      if (typeof query !== "string" || query === "") throw missing("query");
      if (!Array.isArray(documents) || documents.length === 0) throw missing("documents");
      const wanted = new Set(wordsIn(query));
      const ranked = documents.map((document: unknown, index) => result(textOf(document), index, wanted)).sort(byScore);
      const results = ranked.slice(0, typeof top_n === "number" ? top_n : undefined);
      return {
        id: `rerank-${idOf(body)}`,
        object: "list",
        model: String(body["model"] ?? "sandbox-rerank"),
        results: results.map(({ text, ...scored }): Json => (return_documents === true ? { ...scored, document: { text } } : scored)),
        usage: { search_units: 1 },
      };
    }),
  },
} satisfies Record<string, Adapter>;

interface Result {
  readonly index: number;
  readonly relevance_score: number;
  readonly text: string;
}
const byScore = (one: Result, other: Result): number => other.relevance_score - one.relevance_score || one.index - other.index;

function result(text: string, index: number, wanted: ReadonlySet<string>): Result {
  const held = new Set(wordsIn(text));
  const shared = [...wanted].filter((word) => held.has(word)).length;
  return { index, relevance_score: wanted.size === 0 ? 0 : shared / wanted.size, text };
}

const textOf = (document: unknown): string =>
  typeof document === "string"
    ? document
    : isJson(document) && typeof document["text"] === "string"
      ? document["text"]
      : JSON.stringify(document);
