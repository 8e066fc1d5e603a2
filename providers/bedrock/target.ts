import { Type } from "@sinclair/typebox";
import { OneOf } from "#contract";

/** What a request to Bedrock may say besides its key: cloud C's header set (`x-gateway-aws-…`), and the same members of a config. */
export const target = Type.Object({
  aws_auth_type: Type.Optional({
    ...OneOf(["accessKey", "assumedRole", "serviceRole", "apiKey"], {
      description:
        "How requests authenticate: signed with an access key, signed as an assumed role (by the access key given, else by the gateway's own: AWS_ASSUME_ROLE_ACCESS_KEY_ID and AWS_ASSUME_ROLE_SECRET_ACCESS_KEY, else AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE), signed as the gateway itself (`serviceRole`, where BEDROCK_SERVICE_ROLE is on), or with a Bedrock API key as bearer token. Default: `accessKey` when an access key is given, else `apiKey`.",
    }),
    bound: true,
  }),
  // it becomes a part of the host name, which stays AWS's own in any region: not bound
  aws_region: Type.Optional(
    Type.String({
      pattern: "^[a-z]{2,4}(-[a-z]{2,12}){1,3}-\\d{1,2}$",
      default: "us-east-1",
      description: "AWS region, such as `eu-central-1`.",
    }),
  ),
  aws_access_key_id: Type.Optional(Type.String({ pattern: "^\\w{1,128}$", bound: true, description: "Id of the access key that signs." })),
  aws_secret_access_key: Type.Optional(
    Type.String({ minLength: 1, maxLength: 512, secret: true, description: "Secret of the access key that signs." }),
  ),
  aws_session_token: Type.Optional(
    Type.String({
      pattern: "^[\\x21-\\x7e]{1,8192}$",
      secret: true,
      description: "Session token of a temporary access key, sent signed as `x-amz-security-token`.",
    }),
  ),
  aws_role_arn: Type.Optional(
    Type.String({
      pattern: "^arn:aws[a-z-]*:iam::\\d{12}:role/[\\w+=,.@/-]{1,576}$",
      bound: true,
      description: "Role to assume when `aws_auth_type` is `assumedRole`.",
    }),
  ),
  aws_external_id: Type.Optional(
    Type.Union([Type.String({ pattern: "^[\\w+=,.@:/-]{2,1224}$" }), Type.Null()], {
      bound: true,
      description: "External id that the role's trust policy asks for.",
    }),
  ),
});
