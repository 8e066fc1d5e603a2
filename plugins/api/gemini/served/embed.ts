import type { Json } from "#contract";
import { named, namedAll, objects } from "../wire.ts";
import { partsOf, textOf } from "./parts.ts";
import { refused } from "./refused.ts";

/** What kind of task vectors are for is a hint that others do not take. */
export const embedRequest = (body: Json): Json => requestOf(body, [named(body)]);
export const embedAllRequest = (body: Json): Json => requestOf(body, namedAll(body.requests));

function requestOf({ model }: Json, entries: readonly Json[]): Json {
  const sizes = [...new Set(entries.map(({ outputDimensionality }) => outputDimensionality ?? undefined))];
  if (sizes.length > 1) throw refused("More than one outputDimensionality in a request", "requests");
  return {
    ...(model !== undefined && { model }),
    input: entries.map(({ content }) => textIn(namedAll(named(content).parts).flatMap(partsOf))),
    ...(sizes[0] !== undefined && { dimensions: sizes[0] }),
  };
}
function textIn(parts: readonly Json[]): string {
  if (parts.some(({ type }) => type !== "text")) throw refused("A content to embed that is no text", "content");
  return textOf(parts);
}

const vectorsOf = ({ data }: Json): readonly Json[] => objects(data).map(({ embedding }) => ({ values: embedding }));
export const embedAnswer = (answer: Json): Json => ({ embedding: vectorsOf(answer)[0] ?? { values: [] } });
export const embedAllAnswer = (answer: Json): Json => ({ embeddings: vectorsOf(answer) });
