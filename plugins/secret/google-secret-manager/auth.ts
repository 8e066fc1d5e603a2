import { type Static, Type } from "@sinclair/typebox";

const closed = { additionalProperties: false } as const;

const ServiceAccount = Type.Object(
  {
    gcp_auth_type: Type.Literal("serviceAccount"),
    gcp_service_account_json: Type.String({
      minLength: 1,
      maxLength: 16_384,
      secret: true,
      description: "Key file of a service account, as JSON text.",
    }),
  },
  closed,
);
const Federated = Type.Object({ gcp_auth_type: Type.Literal("wif") }, closed);

/** Ways to sign in. */
export const AUTH = [ServiceAccount, Federated] as const;
export type GoogleAuth = Static<(typeof AUTH)[number]>;
