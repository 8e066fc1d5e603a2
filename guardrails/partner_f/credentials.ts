import { type Static, Type } from "@sinclair/typebox";
import { OneOf, VendorEndpoint } from "#contract";

const Text = (description: string, more: object = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 4096, description, ...more }));
const Arn = (description: string) => Text(description, { pattern: "^arn:[\\w+=,.@:/-]+$", bound: true });

/** An account with the vendor: an access key, or a role that it may assume. */
export const Credentials = Type.Object(
  {
    awsAuthType: Type.Optional(
      OneOf(["accessKey", "assumedRole"], { description: "How requests are signed; default: by the access key." }),
    ),
    awsAccessKeyId: Text("Access key id; of a role, whose key assumes it, where that is not the gateway's own.", {
      bound: true,
      env: "PARTNER_F_ACCESS_KEY_ID",
    }),
    awsSecretAccessKey: Text("Secret of the access key.", { secret: true, env: "PARTNER_F_SECRET_ACCESS_KEY" }),
    awsSessionToken: Text("Session token of a temporary access key.", { secret: true, env: "PARTNER_F_SESSION_TOKEN" }),
    awsRegion: Type.String({ pattern: "^[a-z0-9-]{1,40}$", description: "Region of the guardrail.", env: "PARTNER_F_REGION" }),
    awsRoleArn: Arn("Role to assume."),
    awsExternalId: Text("External id that the role's trust asks for.", { bound: true }),
    customHost: VendorEndpoint("Base URL of the runtime, where it is not the region's own."),
  },
  { additionalProperties: false },
);
export type Account = Static<typeof Credentials>;
