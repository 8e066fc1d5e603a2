import { Type } from "@sinclair/typebox";
import { VendorHost, VendorKey } from "#contract";

/** An account with the vendor, and the application whose policy judges. */
export const Credentials = Type.Object(
  {
    apiKey: VendorKey("JAVELIN_API_KEY"),
    domain: Type.Optional(VendorHost("Host of the API, where it is not api-dev.javelin.live.", { env: "JAVELIN_DOMAIN" })),
    application: Type.String({
      pattern: "^[\\x21-\\x7e]{1,255}$",
      description: "Name of the application: its policy says which guardrails run, and from which scores on.",
      bound: true,
      env: "JAVELIN_APPLICATION",
    }),
  },
  { additionalProperties: false },
);
