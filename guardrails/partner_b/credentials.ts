import { Type } from "@sinclair/typebox";
import { VendorEndpoint, VendorKey } from "#contract";

/** An account with the vendor. */
export const Credentials = Type.Object(
  {
    apiKey: VendorKey("PARTNER_B_API_KEY"),
    apiEndpoint: VendorEndpoint("Base URL, where it is not https://gr-prd.aporia.com."),
  },
  { additionalProperties: false },
);
