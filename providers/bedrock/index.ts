import { type Static, Type } from "@sinclair/typebox";
import { definePlugin, type Endpoint, GatewayError, type Host, OneOf, type OutgoingRequest, type Provider, type Target } from "#contract";
import { roles } from "./assume-role.ts";
import { type AccessKey, type Auth, authOf } from "./auth.ts";
import { chat } from "./chat.ts";
import { countTokens } from "./count-tokens.ts";
import { embed } from "./embed.ts";
import { readError } from "./errors.ts";
import { models } from "./families.ts";
import { messages } from "./invoke-messages.ts";
import { imageGenerate } from "./images.ts";
import { atItsHost } from "./hosts.ts";
import { gatewayIdentity, type Known } from "./identity.ts";
import { listModels } from "./list-models.ts";
import { rerank } from "./rerank.ts";
import { signer } from "./sign.ts";
import { target } from "./target.ts";
import { ownRole } from "./web-identity.ts";

const needs = [
  "net:*.amazonaws.com",
  "net:*.amazonaws.com.cn",
  "net:*.amazonaws.eu",
  "net:*.api.aws",
  "secret:AWS_ASSUME_ROLE_ACCESS_KEY_ID",
  "secret:AWS_ASSUME_ROLE_SECRET_ACCESS_KEY",
] as const;

const config = Type.Object(
  {
    domain: OneOf(["amazonaws.com", "amazonaws.com.cn", "amazonaws.eu", "api.aws"], {
      default: "amazonaws.com",
      description: "Domain of the AWS endpoints: that of a partition, or `api.aws` for dual-stack ones.",
    }),
    sourceRoleArn: Type.Optional(
      Type.String({
        pattern: "^arn:[\\w+=,.@:/-]+$",
        description:
          "Role that the gateway's own access key assumes first, to assume the callers' roles as. Any caller may name a role that trusts it: such roles should ask for an external id.",
      }),
    ),
    sourceExternalId: Type.Optional(
      Type.String({ pattern: "^[\\w+=,.@:/-]+$", description: "External id that the source role's trust policy asks for." }),
    ),
    serviceRoleArn: Type.Optional(
      Type.String({
        pattern: "^arn:[\\w+=,.@:/-]+$",
        description: "Role of the gateway's own service account, where it has no access key.",
      }),
    ),
    serviceTokenFile: Type.Optional(
      Type.String({ pattern: "^[^\\x00-\\x1f\\x7f]+$", maxLength: 4_096, description: "File with the token of that account." }),
    ),
    serviceRole: Type.Optional(
      OneOf(["off", "on"], {
        description: "`on`: any caller may ask models as the gateway itself, by aws_auth_type serviceRole. Default: `off`.",
      }),
    ),
  },
  { additionalProperties: false },
);

const regionOf = ({ fields }: Target): string => String(fields.aws_region ?? "us-east-1");

const endpointIn =
  (domain: string) =>
  (at: Target): Endpoint => {
    const auth = authOf(at);
    return {
      baseUrl: at.customHost?.replace(/\/+$/, "") ?? `https://bedrock-runtime.${regionOf(at)}.${domain}`,
      headers: auth.type === "bearer" ? { authorization: `Bearer ${auth.key}` } : {},
    };
  };

const notLent = (): never => {
  const why = "aws_auth_type serviceRole asks as the gateway itself, which its operator allows with BEDROCK_SERVICE_ROLE=on";
  throw new GatewayError("TARGET_INVALID", { provider: "bedrock", why }, { param: "aws_auth_type" });
};

function signing(
  host: Host<(typeof needs)[number]>,
  { domain, sourceRoleArn, sourceExternalId, serviceRoleArn, serviceTokenFile, serviceRole }: Static<typeof config>,
): NonNullable<Provider["sign"]> {
  const sign = signer(host.now);
  const assume = roles({ fetch: host.fetch, sign, log: host.log, now: host.now, domain });
  const parts = { fetch: host.fetch, log: host.log, now: host.now, domain };
  const known: Known = {
    secrets: host.secrets,
    source: { arn: sourceRoleArn, externalId: sourceExternalId },
    assume,
    ownRole: serviceRoleArn && serviceTokenFile ? ownRole({ arn: serviceRoleArn, tokenFile: serviceTokenFile }, parts) : undefined,
  };
  const keyOf = async (auth: Auth, region: string): Promise<AccessKey | null> => {
    if (auth.type === "key") return auth.key;
    if (auth.type === "own") return serviceRole === "on" ? gatewayIdentity(known, region) : notLent();
    if (auth.type !== "role") return null;
    return assume(auth, auth.key ?? (await gatewayIdentity(known, region)), region);
  };
  return async (unsigned: OutgoingRequest, at: Target) => {
    const request = at.customHost === null ? atItsHost(unsigned) : unsigned;
    const key = await keyOf(authOf(at), regionOf(at));
    return key === null ? request : sign(request, key, { service: "bedrock", region: regionOf(at) });
  };
}

/** The models of Amazon Bedrock: chat over Converse, messages to Claude, embeddings and images over InvokeModel, rerank over the agents' runtime, their list over the control plane. */
export default definePlugin({
  kind: "provider",
  config,
  needs,
  setup: (host, config) => ({
    provides: {
      target,
      endpoint: endpointIn(config.domain),
      sign: signing(host, config),
      dialect: "messages",
      operations: {
        chatComplete: chat,
        messages,
        messagesCountTokens: countTokens,
        embed,
        imageGenerate: imageGenerate(() => host.now()),
        rerank,
        listModels,
      },
      models,
      error: readError,
    },
  }),
});
