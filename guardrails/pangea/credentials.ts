import { type Static, Type } from "@sinclair/typebox";
import { VendorHost, VendorKey } from "#contract";

/** An account with the vendor: where it is, and a token of its services. */
export const Credentials = Type.Object(
  {
    domain: VendorHost("Domain of the account, with its cloud and region: `aws.us.pangea.cloud`.", { env: "PANGEA_DOMAIN" }),
    apiKey: VendorKey("PANGEA_API_KEY", "Token of the services."),
  },
  { additionalProperties: false },
);
export type Account = Static<typeof Credentials>;

export const tokenOf = ({ apiKey }: Account): Record<string, string> => ({ authorization: `Bearer ${apiKey}` });
