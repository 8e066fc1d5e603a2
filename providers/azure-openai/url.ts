import type { AdapterInput, Endpoint, Json, Target } from "#contract";
import { isV1, placeOf } from "./place.ts";
import { DEPLOYMENT, fieldsOf, incomplete } from "./target.ts";

/** Where the resource answers; sovereign and private clouds give a custom host that ends in `/openai`. */
export function baseUrlOf(target: Target): Endpoint["baseUrl"] {
  if (target.customHost !== null) return target.customHost.replace(/\/+$/, "");
  const resource = fieldsOf(target).azure_resource_name;
  if (resource !== undefined) return `https://${resource}.openai.azure.com/openai`;
  throw incomplete(
    "azure_resource_name",
    "it has no address; beside a saved credential, save azure_resource_name or custom_host, else send x-gateway-azure-resource-name or x-gateway-custom-host",
  );
}

/** Operations of a model: dated versions name its deployment in the path, the v1 API in the body. */
export function deploymentPath(body: Json, ask: AdapterInput): string {
  const place = placeOf(ask.target, ask.search);
  if (isV1(place)) return resourcePath(body, ask);
  const deployment = place.deployment ?? ask.target.model;
  if (allowed.test(deployment)) return `/deployments/${deployment}${ask.path}`;
  throw incomplete(
    "azure_deployment_id",
    deployment === ""
      ? "it names no deployment; send x-gateway-azure-deployment-id, or a model that is the deployment's name"
      : "the body's model is no name of a deployment; send x-gateway-azure-deployment-id",
  );
}
const allowed = new RegExp(DEPLOYMENT);

/** Operations of the resource: the client's own path. */
export function resourcePath(_body: Json, { target, path, search }: AdapterInput): string {
  const below = /\/v1\/*$/.test(target.customHost ?? "");
  return isV1(placeOf(target, search)) && !below ? `/v1${path}` : path;
}

/** The URL with the target's version as its `api-version`, in place of the client's; the v1 API has none. */
export function withVersion(url: string, target: Target): string {
  const [address = "", query = ""] = url.split("?", 2);
  const { version } = placeOf(target, query);
  const rest = query.split("&").filter((pair) => pair !== "" && !/^api-version(=|$)/.test(pair));
  const all = version === "v1" ? rest : [`api-version=${encodeURIComponent(version)}`, ...rest];
  return all.length === 0 ? address : `${address}?${all.join("&")}`;
}
