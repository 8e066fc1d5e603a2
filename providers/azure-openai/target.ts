import { type Static, Type } from "@sinclair/typebox";
import { GatewayError, type Target } from "#contract";

/** Deployments stand in the URL's path: one segment, and never `.` or `..`. */
export const DEPLOYMENT = "^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$";
const VERSION = "^[A-Za-z0-9][A-Za-z0-9.-]*$";
/** A label of a host name, so that it cannot become another host. */
const RESOURCE = "^[A-Za-z0-9]([A-Za-z0-9-]{0,62}[A-Za-z0-9])?$";
/** A directory's id or domain: one segment of the token service's path. */
export const TENANT = "^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$";
export const CLIENT = "^[A-Za-z0-9-]{1,64}$";

interface TextOptions {
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly secret?: true;
  readonly bound?: true;
  readonly asks?: true;
  readonly clientHeader?: string;
}
const text = (description: string, options: TextOptions = {}) => Type.String({ maxLength: 255, ...options, description });

const Deployment = Type.Object(
  {
    alias: text("The model by which a request chooses this deployment."),
    azure_deployment_name: text("The deployment.", { pattern: DEPLOYMENT }),
    azure_api_version: Type.Optional(text("Its API version, when the target says none.", { pattern: VERSION, maxLength: 30 })),
    azure_model_slug: Type.Optional(text("The model behind it, as azure_model_name.")),
    is_default: Type.Optional(Type.Boolean({ description: "Serves requests whose model is no alias. Default false." })),
  },
  { additionalProperties: false },
);

/** The fields of one Azure OpenAI target, beside its key. */
export const AzureTarget = Type.Object(
  {
    azure_resource_name: Type.Optional(
      text("Name of the resource: it answers at <name>.openai.azure.com.", { pattern: RESOURCE, bound: true }),
    ),
    azure_deployment_id: Type.Optional(
      text("The deployment to call. Default: the body's model. A multipart form keeps its own model field in the v1 API.", {
        pattern: DEPLOYMENT,
        asks: true,
      }),
    ),
    azure_api_version: Type.Optional(
      text(
        "A dated API version such as 2024-10-21 (the deployment stands in the path), or v1. Default: the query's api-version, else v1.",
        {
          pattern: VERSION,
          maxLength: 30,
        },
      ),
    ),
    azure_model_name: Type.Optional(
      text("The model behind the deployment, sent as the body's model when a dated API version has the deployment in the path.", {
        asks: true,
      }),
    ),
    azure_deployment_config: Type.Optional(
      Type.Array(Deployment, {
        maxItems: 500,
        asks: true,
        description: "Several deployments of one saved resource, chosen by the body's model.",
      }),
    ),
    azure_auth_mode: Type.Optional(
      text(
        "default (key, or azure_ad_token), entra (an application's client secret) or workload (the gateway's own federated identity). Managed identity is not offered: the gateway calls no metadata address.",
        { pattern: "^(default|entra|workload)$", bound: true },
      ),
    ),
    azure_ad_token: Type.Optional(
      text("A Microsoft Entra token, sent instead of the key.", { pattern: "^[!-~]+( [!-~]+)?$", maxLength: 16_384, secret: true }),
    ),
    azure_entra_tenant_id: Type.Optional(text("Directory of the Entra application.", { pattern: TENANT, bound: true })),
    azure_entra_client_id: Type.Optional(text("Id of the Entra application.", { pattern: CLIENT, bound: true })),
    azure_entra_client_secret: Type.Optional(text("Secret of the Entra application.", { maxLength: 1024, secret: true })),
    azure_entra_scope: Type.Optional(
      text("Scope of the tokens that are fetched. Default: https://cognitiveservices.azure.com/.default", { maxLength: 1024, bound: true }),
    ),
    azure_workload_client_id: Type.Optional(
      text("Id of the federated application. Default: AZURE_CLIENT_ID.", { pattern: CLIENT, bound: true }),
    ),
    azure_workload_tenant_id: Type.Optional(text("Its directory. Default: AZURE_TENANT_ID.", { pattern: TENANT, bound: true })),
    openai_beta: Type.Optional(
      text("Beta features, sent as OpenAI-Beta; assistants and vector stores default to assistants=v2.", {
        pattern: "^[ -~]*$",
        clientHeader: "openai-beta",
      }),
    ),
  },
  { additionalProperties: false },
);
export type AzureFields = Static<typeof AzureTarget>;

export const fieldsOf = ({ fields }: Pick<Target, "fields">): AzureFields => fields as AzureFields; // the pipeline has checked them by the schema

/** The sentence for a target that says too little. */
export const incomplete = (param: string, why: string): GatewayError =>
  new GatewayError("TARGET_INVALID", { provider: "azure-openai", why }, { param });
