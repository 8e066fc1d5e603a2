import { type Adapter, isJson, type Json } from "#contract";

const listed = (model: Json): Json => ({
  ...model,
  object: "model",
  created: Math.floor(Date.parse(String(model.created_at)) / 1000) || 0,
  owned_by: "anthropic",
});

/** GET /models/{model}, in the OpenAI form. */
export const retrieveModel: Adapter = {
  path: (_body, { target }) => `/models/${encodeURIComponent(target.model)}`,
  response: listed,
};

/** GET /models, in the OpenAI list form; what Anthropic says beyond it stays. */
export const listModels: Adapter = {
  path: (_body, { search }) => (search === "" ? "/models?limit=1000" : "/models"),
  response: (body) => ({ ...body, object: "list", data: Array.isArray(body.data) ? body.data.filter(isJson).map(listed) : [] }),
};
