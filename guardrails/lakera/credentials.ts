import { Type } from "@sinclair/typebox";
import { VendorEndpoint, VendorKey } from "#contract";

/** An account with the vendor. */
export const Credentials = Type.Object(
  { apiKey: VendorKey("LAKERA_API_KEY"), apiBase: VendorEndpoint("Base URL, where it is not https://api.lakera.ai.") },
  { additionalProperties: false },
);
