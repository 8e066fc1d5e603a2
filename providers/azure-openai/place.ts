import type { Target } from "#contract";
import { type AzureFields, fieldsOf } from "./target.ts";

/** Which deployment of the resource is meant, and by which version of the API. */
export interface DeploymentPath {
  readonly version: string;
  readonly deployment: string | undefined;
  /** The model behind the deployment. */
  readonly model: string | undefined;
}

/** A target's own fields win over its list of deployments, and both over the client's query. */
export function placeOf(target: Target, search: string): DeploymentPath {
  const fields = fieldsOf(target);
  const listed = listedFor(fields.azure_deployment_config, target.model);
  return {
    version: fields.azure_api_version ?? listed?.azure_api_version ?? (versionIn(search) || "v1"),
    deployment: fields.azure_deployment_id ?? listed?.azure_deployment_name,
    model: fields.azure_model_name ?? listed?.azure_model_slug,
  };
}

const listedFor = (deployments: AzureFields["azure_deployment_config"] = [], model: string) =>
  deployments.find(({ alias }) => alias === model) ?? deployments.find(({ is_default }) => is_default);

const versionIn = (search: string): string | null => new URLSearchParams(search).get("api-version");

const UNDATED: ReadonlySet<string> = new Set(["v1", "preview", "latest"]);
/** The v1 API has its version in the path; `preview` and `latest` are its variants, told in the query. */
export const isV1 = ({ version }: Pick<DeploymentPath, "version">): boolean => UNDATED.has(version);
