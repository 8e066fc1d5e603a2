import { Type } from "@sinclair/typebox";
import { VendorEndpoint, VendorKey } from "#contract";

/** A collector's token, and where its cloud is. */
export const Credentials = Type.Object(
  {
    apiKey: VendorKey("CROWDSTRIKE_AIDR_API_KEY", "Token of the collector."),
    baseUrl: VendorEndpoint("Base URL, where it is not https://api.crowdstrike.com/aidr/aiguard."),
  },
  { additionalProperties: false },
);
