import { type Adapter, isJson, type Json } from "#contract";

const listed = ({ name, ...model }: Json): Json => ({
  ...model,
  id: String(name).replace(/^models\//, ""),
  object: "model",
  created: 0, // not told
  owned_by: "google",
});

/** GET /v1beta/models/{model}, in the OpenAI form. */
export const retrieveModel: Adapter = {
  path: (_body, { target }) => `/v1beta/models/${encodeURIComponent(target.model)}`,
  response: listed,
};

/** GET /v1beta/models, in the OpenAI list form; what Google says beyond it stays. */
export const listModels: Adapter = {
  path: (_body, { search }) => (search === "" ? "/v1beta/models?pageSize=1000" : "/v1beta/models"),
  response: (body) => ({ object: "list", data: Array.isArray(body.models) ? body.models.filter(isJson).map(listed) : [] }),
};
