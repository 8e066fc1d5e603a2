import { type Static, Type } from "@sinclair/typebox";

/** What the operator says of the gateway's own federated identity. */
export const Settings = Type.Object(
  {
    wifAudience: Type.Optional(
      Type.String({
        pattern: "^[!-~]+$",
        maxLength: 2_048,
        description: "Provider of the workload identity pool that knows the gateway: `//iam.googleapis.com/projects/…/providers/…`.",
      }),
    ),
    wifServiceAccountEmail: Type.Optional(
      Type.String({
        pattern: "^[!-~]+$",
        maxLength: 320,
        description: "Service account that the gateway's federated identity stands for; without one it asks as itself.",
      }),
    ),
    wifTokenFile: Type.Optional(
      Type.String({
        pattern: "^[^\\x00-\\x1f\\x7f]+$",
        maxLength: 4_096,
        description: "File with the token that the platform gives this process. Set, any caller may use vertex_auth_type wif.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type Settings = Static<typeof Settings>;
