import { type Static, Type } from "@sinclair/typebox";
import { GatewayError, type Target } from "#contract";

export const PROVIDER = "vertex-ai";
/** Project ids go into a URL's path: a domain may stand before them, a number instead of them. */
export const PROJECT = "^[a-z0-9][a-z0-9.:-]{0,62}$";

/**
 * Where and as whom Vertex AI is called. Project and region are not bound: whichever they are, the credential goes to
 * Google, as the same caller, and Google judges what that may do there.
 */
export const target = Type.Object({
  vertex_project_id: Type.Optional(
    Type.String({
      pattern: PROJECT,
      description: "Google Cloud project. The project a service account's key file names goes before it. Not needed with an API key.",
    }),
  ),
  vertex_region: Type.Optional(
    Type.String({
      pattern: "^[a-z][a-z0-9-]{0,30}$", // it becomes part of the host's name
      description: "Region (`us-central1`), multi-region (`us`, `eu`) or `global`. Not needed with an API key.",
    }),
  ),
  vertex_llm_request_type: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z_-]{1,32}$",
      description:
        "Which capacity serves the request: `dedicated` (provisioned throughput) or `shared`. Sent as `X-Vertex-AI-LLM-Request-Type`.",
    }),
  ),
  vertex_llm_shared_request_type: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z_-]{1,32}$",
      description: "Tier of shared capacity: `priority`, `standard` or `flex`. Sent as `X-Vertex-AI-LLM-Shared-Request-Type`.",
    }),
  ),
  vertex_service_account_json: Type.Optional(
    Type.Union([Type.String({ maxLength: 16_384 }), Type.Object({}, { additionalProperties: true })], {
      secret: true,
      description:
        "Key file of a service account, as JSON text or object; access tokens are made with it and kept until shortly before they expire. Its `token_uri` must be https, or http on this machine.",
    }),
  ),
  vertex_auth_type: Type.Optional(
    Type.String({
      pattern: "^(serviceAccount|accessToken|apiKey|wif)$",
      bound: true,
      description:
        "`serviceAccount` (default when a key file is given), `accessToken` (default otherwise: the provider key is an OAuth token), `wif` (a federated identity: that of `vertex_wif_subject_token`, else the gateway's own) or `apiKey` (the provider key is an API key of express mode, which serves Gemini models and needs neither project nor region).",
    }),
  ),
  vertex_wif_subject_token: Type.Optional(
    Type.String({
      pattern: "^\\s*[\\x21-\\x7e]+\\s*$",
      maxLength: 16_384,
      secret: true,
      description:
        "With `wif`, which is the default beside it: an OpenID Connect token that the workload identity pool accepts. Short-lived: map it to a secret reference.",
    }),
  ),
  vertex_wif_audience: Type.Optional(
    Type.String({
      pattern: "^//iam\\.googleapis\\.com/[!-~]+$",
      maxLength: 2_048,
      bound: true,
      description:
        "With `vertex_wif_subject_token`: the provider of the pool that accepts it, `//iam.googleapis.com/projects/…/providers/…`.",
    }),
  ),
  vertex_wif_service_account_email: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9.@_-]+$",
      maxLength: 320,
      bound: true,
      description: "With `vertex_wif_subject_token`: the service account that it stands for; without one the identity asks as itself.",
    }),
  ),
  anthropic_version: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "Claude only: `anthropic_version` of the body, `vertex-2023-10-16` unless the body has one.",
    }),
  ),
  anthropic_beta: Type.Optional(
    Type.Union([Type.String({ maxLength: 2048 }), Type.Array(Type.String({ maxLength: 256 }), { maxItems: 100 })], {
      description: "Claude only: beta features, comma-separated or as a list, sent as `anthropic-beta`.",
    }),
  ),
});
export type Fields = Static<typeof target>;
export type AuthType = "serviceAccount" | "accessToken" | "apiKey" | "wif";

export const fieldsOf = (at: Target): Fields => at.fields as Fields; // the host has judged them by the schema above

const CLAUDE_VERSION = "vertex-2023-10-16";
/** `anthropic_version` of a body to Claude. A version of Anthropic's own API may be meant for another target of the same request. */
export function claudeVersion(at: Target): string {
  const { anthropic_version: version } = fieldsOf(at);
  return version?.startsWith("vertex-") ? version : CLAUDE_VERSION;
}

export function authTypeOf(at: Target): AuthType {
  const { vertex_auth_type: authType, vertex_service_account_json: file, vertex_wif_subject_token: subject } = fieldsOf(at);
  const usual = file !== undefined ? "serviceAccount" : subject !== undefined ? "wif" : "accessToken";
  return (authType as AuthType | undefined) ?? usual; // one of the four, by its pattern
}

/** A field that cannot be used as it is. */
export const incomplete = (field: keyof Fields, why: string): GatewayError =>
  new GatewayError("TARGET_INVALID", { provider: PROVIDER, why: `${field} ${why}` }, { param: field });
