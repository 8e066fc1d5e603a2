import { type Static, Type } from "@sinclair/typebox";
import { VendorEndpoint, VendorKey } from "#contract";

/** An account with the vendor: a resource of content safety, and its key. */
export const Credentials = Type.Object(
  {
    resourceName: Type.String({
      pattern: "^[A-Za-z0-9-]{1,64}$",
      description: "Name of the resource, the first part of its host.",
      bound: true,
      env: "AZURE_CONTENT_SAFETY_RESOURCE",
    }),
    apiKey: VendorKey("AZURE_CONTENT_SAFETY_KEY", "Key of the resource."),
    customHost: VendorEndpoint("Base URL, where it is not the resource's own."),
  },
  { additionalProperties: false },
);
export type Account = Static<typeof Credentials>;
