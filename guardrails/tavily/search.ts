import { type Static, Type } from "@sinclair/typebox";
import type { Json } from "#contract";
import type { Params } from "./params.ts";

/** Characters of a question that are searched for: the vendor takes no more. */
const MAX_QUERY = 400;
/** Characters of a result that the model is given. */
const MAX_RESULT = 4_000;

const Found = Type.Object({ title: Type.String(), url: Type.String(), content: Type.String() });
export const Reply = Type.Object({
  answer: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  results: Type.Array(Found),
});
type Reply = Static<typeof Reply>;

/** Members that are not set do not stand in the request. */
export function bodyOf(question: string, params: Params): Json {
  const { autoParameters, searchDepth = autoParameters ? undefined : "basic", topic = autoParameters ? undefined : "general" } = params;
  return {
    query: question.trim().slice(0, MAX_QUERY),
    max_results: params.maxResults,
    auto_parameters: autoParameters,
    topic,
    search_depth: searchDepth,
    chunks_per_source: searchDepth === "advanced" || searchDepth === "fast" ? params.chunksPerSource : undefined,
    time_range: params.timeRange,
    start_date: params.startDate,
    end_date: params.endDate,
    include_answer: params.includeAnswer,
    include_domains: params.includeDomains,
    exclude_domains: params.excludeDomains,
    country: topic === "general" ? params.country : undefined,
    exact_match: params.exactMatch,
    safe_search: searchDepth === "basic" || searchDepth === "advanced" ? params.safeSearch : undefined,
  };
}

/** What the model is given of what was found. */
export function contextOf({ answer, results }: Reply, { prefix, suffix }: Pick<Params, "prefix" | "suffix">): string {
  const said = answer ? `Search answer: ${answer.slice(0, MAX_RESULT)}\n` : "";
  const shown = results.map(
    ({ title, url, content }, index) => `[${index + 1}] "${title}"\nURL: ${url}\n${content.slice(0, MAX_RESULT)}\n`,
  );
  return `${prefix}\n${said}${shown.join("")}${suffix}`;
}
