import { type Adapter, isJson, type Json } from "#contract";

const listed = ({ modelId, providerName, ...model }: Json): Json => ({
  ...model,
  id: String(modelId),
  object: "model",
  created: 0, // not told
  owned_by: String(providerName ?? "bedrock"),
});

/** The foundation models of a region, in the OpenAI list form; what AWS says beyond it stays. */
export const listModels: Adapter = {
  path: "/foundation-models",
  response: (body) => ({ object: "list", data: Array.isArray(body.modelSummaries) ? body.modelSummaries.filter(isJson).map(listed) : [] }),
};
