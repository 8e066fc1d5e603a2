import { Type } from "@sinclair/typebox";
import { VendorEndpoint, VendorKey } from "#contract";

/** An account with the vendor. */
export const Credentials = Type.Object(
  { apiKey: VendorKey("AKTO_API_KEY"), baseUrl: VendorEndpoint("Base URL, where it is not https://1726615470-guardrails.akto.io.") },
  { additionalProperties: false },
);
