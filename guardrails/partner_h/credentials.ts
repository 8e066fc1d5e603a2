import { Type } from "@sinclair/typebox";
import { VendorKey } from "#contract";

/** An account with the vendor. */
export const Credentials = Type.Object(
  { apiKey: VendorKey("PARTNER_H_API_KEY", "Application token, which says where the service is (its claim `opaque.apex-url`).") },
  { additionalProperties: false },
);
