import { Type } from "@sinclair/typebox";
import { VendorEndpoint, VendorKey } from "#contract";

/** An account with the vendor. */
export const Credentials = Type.Object(
  {
    apiKey: VendorKey("F5_GUARDRAILS_API_KEY", "API token."),
    calypsoUrl: VendorEndpoint("Base URL, where it is not https://us1.calypsoai.app."),
  },
  { additionalProperties: false },
);
