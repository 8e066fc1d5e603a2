import { type Adapter, isJson, type Json } from "#contract";
import { textsOf } from "../wires/gemini/texts.ts";
import { modelPath } from "./model-path.ts";

/** Members that are mapped below or that only OpenAI's wire knows; the others go to every entry of the batch. */
const MAPPED: ReadonlySet<string> = new Set(["model", "input", "dimensions", "encoding_format", "user"]);

function entries(body: Json, model: string): Json[] {
  const more = Object.fromEntries(Object.entries(body).filter(([member]) => !MAPPED.has(member)));
  const size = typeof body.dimensions === "number" ? { outputDimensionality: body.dimensions } : {};
  return textsOf(body.input).map((text) => ({ ...more, model, content: { parts: [{ text }] }, ...size }));
}

const dataOf = (embeddings: unknown): Json[] => (Array.isArray(embeddings) ? embeddings.filter(isJson).map(entryOf) : []);
const entryOf = ({ values }: Json, index: number): Json => ({ object: "embedding", index, embedding: values });

/** The wire reports no usage; -1 says so where OpenAI's form wants a number. */
const UNKNOWN = { prompt_tokens: -1, total_tokens: -1 };

/** Embeddings over :batchEmbedContents, one entry per text. */
export const embed: Adapter = {
  path: (_body, ask) => `/v1beta/${modelPath(ask)}:batchEmbedContents`,
  request: (body, ask) => ({ requests: entries(body, modelPath(ask)) }),
  response: ({ embeddings }, { target }) => ({ object: "list", model: target.model, data: dataOf(embeddings), usage: UNKNOWN }),
};
