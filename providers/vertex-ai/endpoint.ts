import type { AdapterInput, Endpoint, Target } from "#contract";
import { type Publisher, vertexModel } from "./model.ts";
import { serviceAccountOf } from "./service-account.ts";
import { authTypeOf, fieldsOf, incomplete } from "./target.ts";

const GLOBAL = "https://aiplatform.googleapis.com";
const MULTI_REGIONS: ReadonlySet<string> = new Set(["us", "eu"]);

function hostOf(region: string): string {
  if (region === "global") return GLOBAL;
  return MULTI_REGIONS.has(region) ? `https://aiplatform.${region}.rep.googleapis.com` : `https://${region}-aiplatform.googleapis.com`;
}

/** A token that has to be fetched is put in later, when the request is signed. */
function credential(at: Target): Readonly<Record<string, string>> {
  const type = authTypeOf(at);
  if (at.apiKey === "" || type === "serviceAccount" || type === "wif") return {};
  return type === "apiKey" ? { "x-goog-api-key": at.apiKey } : { authorization: `Bearer ${at.apiKey}` };
}

export function endpoint(at: Target): Endpoint {
  const { vertex_region: region = "global", vertex_llm_request_type: type, vertex_llm_shared_request_type: shared } = fieldsOf(at);
  return {
    baseUrl: at.customHost?.replace(/\/+$/, "") ?? (authTypeOf(at) === "apiKey" ? GLOBAL : hostOf(region)),
    headers: {
      ...credential(at),
      ...(type !== undefined && { "X-Vertex-AI-LLM-Request-Type": type }),
      ...(shared !== undefined && { "X-Vertex-AI-LLM-Shared-Request-Type": shared }),
    },
  };
}

/** Path of a model's method. Throws TARGET_INVALID when project or region are missing: there is no usual one. */
export function modelPath(at: Target, method: string): string {
  const { publisher, name } = vertexModel(at.model);
  return `${placeOf(at, publisher)}/publishers/${publisher}/models/${name}:${method}`;
}

/** What passes stays within the target's project and region. */
export const passingPath = ({ target, path }: Pick<AdapterInput, "target" | "path">): string => placeOf(target, "google") + path;

function placeOf(at: Target, publisher: Publisher): string {
  if (authTypeOf(at) !== "apiKey") return `/v1/projects/${projectOf(at)}/locations/${regionOf(at)}`;
  if (publisher !== "google") throw incomplete("vertex_auth_type", "is apiKey, with which only Google's own models are served");
  return "/v1";
}

function projectOf(at: Target): string {
  const fields = fieldsOf(at);
  const own = authTypeOf(at) === "serviceAccount" ? serviceAccountOf(fields).project_id : undefined;
  const project = own ?? fields.vertex_project_id;
  if (project === undefined) throw incomplete("vertex_project_id", "is missing; only with vertex_auth_type apiKey it is not needed");
  return project;
}
function regionOf(at: Target): string {
  const { vertex_region: region } = fieldsOf(at);
  if (region === undefined) throw incomplete("vertex_region", "is missing; name a region, us, eu or global");
  return region;
}
