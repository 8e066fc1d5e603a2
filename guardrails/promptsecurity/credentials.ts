import { Type } from "@sinclair/typebox";
import { VendorHost, VendorKey } from "#contract";

/** An application at the vendor's. */
export const Credentials = Type.Object(
  {
    apiDomain: VendorHost("Host of the API: `eu.prompt.security`.", { env: "PROMPTSECURITY_API_DOMAIN" }),
    apiKey: VendorKey("PROMPTSECURITY_API_KEY", "Id of the application."),
  },
  { additionalProperties: false },
);
