import { type Adapter, isJson, type Json } from "#contract";
import { authTypeOf, fieldsOf } from "./target.ts";

const listed = ({ name, ...model }: Json): Json => ({
  ...model,
  id: String(name).replace(/^publishers\/google\/models\//, ""),
  object: "model",
  created: 0, // not told
  owned_by: "google",
});

/** Google's own models of the Model Garden, in the OpenAI list form. Other publishers' are not in that list. */
export const listModels: Adapter = {
  path: (_body, { search }) => (search === "" ? "/v1beta1/publishers/google/models?pageSize=100" : "/v1beta1/publishers/google/models"),
  /** The list belongs to no project: a user's token must say whose quota is used. */
  headers(_body, { target }): Record<string, string> {
    const project = fieldsOf(target).vertex_project_id;
    return project !== undefined && authTypeOf(target) === "accessToken" ? { "x-goog-user-project": project } : {};
  },
  response: (body) => ({
    object: "list",
    data: Array.isArray(body.publisherModels) ? body.publisherModels.filter(isJson).map(listed) : [],
  }),
};
