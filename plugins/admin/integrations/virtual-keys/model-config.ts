import { isJson, type Json } from "#contract";
import type { CreateBody, Deployment } from "./schema.ts";

/** What virtual keys call the fields of a resource with deployments. */
const FIELDS = { apiVersion: "azure_api_version", resourceName: "azure_resource_name", deploymentName: "azure_deployment_id" } as const;
const DEPLOYMENTS = "azure_deployment_config";

type Given = Partial<Pick<CreateBody, keyof typeof FIELDS | "deploymentConfig">>;
/** The integration's fields, as far as a body says them. */
export function configurationsOf(body: Given): Json {
  const fields = Object.entries(FIELDS).flatMap(([name, field]) => {
    const value = body[name as keyof typeof FIELDS]; // a name of the same table
    return value === undefined || value === null ? [] : [[field, value]];
  });
  return { ...Object.fromEntries(fields), ...(body.deploymentConfig && { [DEPLOYMENTS]: body.deploymentConfig.map(stored) }) };
}
const stored = ({ apiVersion, deploymentName, alias = deploymentName, is_default }: Deployment): Json => ({
  ...{ alias, azure_deployment_name: deploymentName, azure_api_version: apiVersion },
  ...(is_default !== undefined && { is_default }),
});

/** The same the other way; what older clients have no word for keeps the integration's. */
export function modelConfigOf(configurations: Json): Json {
  return Object.fromEntries(
    Object.entries(configurations).map(([field, value]) =>
      field === DEPLOYMENTS && Array.isArray(value) ? ["deploymentConfig", value.filter(isJson).map(shown)] : [legacyName(field), value],
    ),
  );
}
const shown = ({ azure_deployment_name, azure_api_version, azure_model_slug: _, ...deployment }: Json): Json => ({
  ...deployment,
  apiVersion: azure_api_version ?? null,
  deploymentName: azure_deployment_name ?? null,
});

/** What a body of a virtual key calls a member of an integration's body. */
export function legacyParam(param: string): string {
  if (param === "ai_provider_id") return "provider";
  if (!param.startsWith("configurations.")) return param;
  const [field = "", ...inside] = param.slice("configurations.".length).split(".");
  return [legacyName(field), ...inside.map((name) => INSIDE[name] ?? name)].join(".");
}
/** What virtual keys call the members of one deployment. */
const INSIDE: Readonly<Record<string, string>> = { azure_api_version: "apiVersion", azure_deployment_name: "deploymentName" };
const legacyName = (field: string): string =>
  field === DEPLOYMENTS ? "deploymentConfig" : (Object.entries(FIELDS).find(([, own]) => own === field)?.[0] ?? field);
