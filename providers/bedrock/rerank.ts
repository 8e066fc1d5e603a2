import { type Adapter, isJson, type Json } from "#contract";
import { plainModel } from "./model-path.ts";

const PATH = "/rerank";

/** Members that are mapped below, or that the wire does not know. */
const MAPPED: ReadonlySet<string> = new Set(["model", "query", "documents", "top_n", "return_documents", "parameters"]);

/** A model is named by its ARN; an ARN that is given stands. */
function arnOf(model: string, region: string): string {
  const plain = plainModel(model);
  return plain.startsWith("arn:") ? plain : `arn:${partitionOf(region)}:bedrock:${region}::foundation-model/${plain}`;
}
const PARTITIONS = [
  ["cn-", "aws-cn"],
  ["us-gov-", "aws-us-gov"],
] as const;
const partitionOf = (region: string): string => PARTITIONS.find(([prefix]) => region.startsWith(prefix))?.[1] ?? "aws";

const sourceOf = (document: unknown): Json => ({
  type: "INLINE",
  inlineDocumentSource:
    isJson(document) && typeof document["text"] !== "string"
      ? { type: "JSON", jsonDocument: document }
      : { type: "TEXT", textDocument: { text: isJson(document) ? document["text"] : document } },
});

function request(body: Json, model: string, region: string): Json {
  const { query, documents, top_n, parameters } = body;
  const sources = Array.isArray(documents) ? documents.map(sourceOf) : [];
  const fields = Object.fromEntries(Object.entries(body).filter(([member]) => !MAPPED.has(member)));
  const more = { ...fields, ...(isJson(parameters) && parameters) };
  return {
    queries: [{ type: "TEXT", textQuery: { text: query } }],
    rerankingConfiguration: {
      type: "BEDROCK_RERANKING_MODEL",
      bedrockRerankingConfiguration: {
        modelConfiguration: {
          modelArn: arnOf(model, region),
          ...(Object.keys(more).length > 0 && { additionalModelRequestFields: more }),
        },
        numberOfResults: top_n ?? sources.length, // without it, one comes back
      },
    },
    sources,
  };
}

/** Rerank over the agents' runtime. */
export const rerank: Adapter = {
  path: PATH,
  request: (body, { target }) => request(body, target.model, String(target.fields["aws_region"] ?? "us-east-1")),
  response: ({ results }, { target }) => ({
    object: "list",
    model: target.model,
    results: (Array.isArray(results) ? results.filter(isJson) : []).map(({ index, relevanceScore }) => ({
      index,
      relevance_score: relevanceScore,
    })),
  }),
};
