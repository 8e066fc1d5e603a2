import { type Static, Type } from "@sinclair/typebox";
import { VendorKey } from "#contract";

/** An access key of an account with the vendor. */
export const Credentials = Type.Object(
  {
    accessKeyId: Type.String({
      pattern: "^[\\w.@-]{1,128}$",
      description: "Id of the access key.",
      bound: true,
      env: "ALIBABA_CLOUD_ACCESS_KEY_ID",
    }),
    accessKeySecret: VendorKey("ALIBABA_CLOUD_ACCESS_KEY_SECRET", "Secret of the access key."),
    region: Type.Optional(
      Type.String({ pattern: "^[a-z0-9-]{1,40}$", description: "Region of the service; default: ap-southeast-1.", bound: true }),
    ),
  },
  { additionalProperties: false },
);
export type Account = Static<typeof Credentials>;
