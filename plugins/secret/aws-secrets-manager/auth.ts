import { type Static, Type } from "@sinclair/typebox";

const closed = { additionalProperties: false } as const;
const Region = Type.String({ pattern: "^[a-z0-9-]+$", maxLength: 64, description: "Region." });

const AccessKey = Type.Object(
  {
    aws_auth_type: Type.Literal("accessKey"),
    aws_access_key_id: Type.String({ minLength: 1, maxLength: 256, secret: true, description: "Access key id." }),
    aws_secret_access_key: Type.String({ minLength: 1, maxLength: 256, secret: true, description: "Its secret." }),
    aws_region: Region,
  },
  closed,
);
const AssumedRole = Type.Object(
  {
    aws_auth_type: Type.Literal("assumedRole"),
    aws_role_arn: Type.String({ minLength: 1, maxLength: 2048, secret: true, description: "Role." }),
    aws_external_id: Type.Optional(Type.String({ minLength: 1, maxLength: 1224, secret: true, description: "What the role asks for." })),
    aws_region: Region,
  },
  closed,
);
const ServiceRole = Type.Object({ aws_auth_type: Type.Literal("serviceRole"), aws_region: Type.Optional(Region) }, closed);

/** Ways to sign in. */
export const AUTH = [AccessKey, AssumedRole, ServiceRole] as const;
export type AwsAuth = Static<(typeof AUTH)[number]>;
