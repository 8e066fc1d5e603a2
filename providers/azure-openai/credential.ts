import type { Target } from "#contract";
import type { Settings } from "./settings.ts";
import { type AzureFields, fieldsOf, incomplete } from "./target.ts";
import type { Identity } from "./token.ts";

/** What proves who asks: headers that are there already, or an identity whose token has to be fetched. */
export type Credential =
  | { readonly kind: "headers"; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: "identity"; readonly identity: Identity };

/** Throws TARGET_INVALID when the mode needs more than the target says. */
export function credentialOf(target: Target, settings: Settings): Credential {
  const fields = fieldsOf(target);
  if (fields.azure_ad_token !== undefined) return headers({ authorization: `Bearer ${fields.azure_ad_token.replace(/^bearer +/i, "")}` });
  if (fields.azure_auth_mode === "entra") return { kind: "identity", identity: application(fields) };
  if (fields.azure_auth_mode === "workload") return { kind: "identity", identity: workload(target, fields, settings) };
  return headers(target.apiKey === "" ? {} : { "api-key": target.apiKey });
}

const headers = (given: Readonly<Record<string, string>>): Credential => ({ kind: "headers", headers: given });

const SCOPE = "https://cognitiveservices.azure.com/.default";

/** An Entra application that has a secret. */
function application(fields: AzureFields): Identity {
  return {
    tenant: needed("entra", fields, "azure_entra_tenant_id"),
    clientId: needed("entra", fields, "azure_entra_client_id"),
    proof: { kind: "secret", secret: needed("entra", fields, "azure_entra_client_secret") },
    scope: fields.azure_entra_scope ?? SCOPE,
  };
}

function needed<F extends keyof AzureFields & string>(mode: string, fields: AzureFields, name: F): NonNullable<AzureFields[F]> {
  const value = fields[name];
  if (value === undefined) throw incomplete(name, `azure_auth_mode ${mode} needs ${name}`);
  return value;
}

/** The gateway's own identity, which its operator has federated. */
function workload(target: Target, fields: AzureFields, settings: Settings): Identity {
  const { azure_workload_tenant_id: tenant = settings.tenantId, azure_workload_client_id: clientId = settings.clientId } = fields;
  refuseElsewhere(target);
  if (settings.federatedTokenFile === undefined)
    throw incomplete("azure_auth_mode", "this gateway has no workload identity; AZURE_FEDERATED_TOKEN_FILE is not set");
  if (tenant === undefined || clientId === undefined)
    throw incomplete("azure_workload_client_id", "azure_auth_mode workload needs azure_workload_tenant_id and azure_workload_client_id");
  return { tenant, clientId, proof: { kind: "assertion", file: settings.federatedTokenFile }, scope: fields.azure_entra_scope ?? SCOPE };
}

/** A caller may choose the host, and must not be handed the gateway's token by it. */
function refuseElsewhere({ customHost }: Target): void {
  if (customHost !== null && !OF_AZURE.test(customHost))
    throw incomplete("custom_host", "azure_auth_mode workload sends the gateway's own token to hosts of Azure only");
}
const OF_AZURE =
  /^https:\/\/[a-z0-9-]+\.(openai\.azure\.(com|us|cn)|cognitiveservices\.azure\.(com|us|cn)|services\.ai\.azure\.com)(\/|$)/i;
