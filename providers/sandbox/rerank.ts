import type { Adapter, Json } from "#contract";
import { obeying } from "./answering.ts";
import { idOf } from "./id.ts";
import { invalid, missing } from "./missing.ts";
import { wordsIn } from "./words.ts";
import { entryText, inTurns } from "./in-turns.ts";

/** Rerank: a document is as relevant as many of the query's words it has. */
export const rerank = {
  rerank: {
    answer: obeying(async (body) => {
      const { query, documents, top_n, return_documents } = body;
      if (typeof query !== "string" || query === "") throw missing("query");
      if (!Array.isArray(documents) || documents.length === 0) throw missing("documents");
      if (documents.length > MAX_DOCUMENTS) throw invalid("documents", `documents must be at most ${MAX_DOCUMENTS}.`);
      const wanted = new Set(wordsIn(query));
      const ranked = await inTurns(documents, (document, index) => result(entryText(document), index, wanted));
      ranked.sort(byScore);
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

const MAX_DOCUMENTS = 1_000;

interface Result {
  readonly index: number;
  readonly relevance_score: number;
  readonly text: string;
}
const byScore = (a: Result, b: Result): number => b.relevance_score - a.relevance_score || a.index - b.index;

function result(text: string, index: number, wanted: ReadonlySet<string>): Result {
  const held = new Set(wordsIn(text));
  const shared = [...wanted].filter((word) => held.has(word)).length;
  return { index, relevance_score: wanted.size === 0 ? 0 : shared / wanted.size, text };
}
