import { Type } from "@sinclair/typebox";
import { VendorKey } from "#contract";

/** An account with the vendor. */
export const Credentials = Type.Object({ apiKey: VendorKey("PARTNER_K_API_KEY") }, { additionalProperties: false });
