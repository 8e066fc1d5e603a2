import { Type } from "@sinclair/typebox";
import { VendorEndpoint, VendorKey } from "#contract";

/** An account with the vendor. */
export const Credentials = Type.Object(
  {
    apiKey: VendorKey("ZSCALER_API_KEY", "Key of an application of the detection service."),
    apiBase: VendorEndpoint("Base URL, where it is not that of the cloud us1, https://api.us1.zseclipse.net."),
  },
  { additionalProperties: false },
);
