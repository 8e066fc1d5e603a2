import { type Static, Type } from "@sinclair/typebox";
import { CLIENT, TENANT } from "./target.ts";

/** What the operator says of the deployment's own identity; Azure's workload identity sets these variables in the container. */
export const Settings = Type.Object(
  {
    authorityHost: Type.String({
      default: "https://login.microsoftonline.com",
      pattern: "^https://login\\.(microsoftonline\\.com|microsoftonline\\.us|partner\\.microsoftonline\\.cn)/?$",
      description: "Entra's token service; another for a sovereign cloud.",
    }),
    tenantId: Type.Optional(Type.String({ pattern: TENANT, description: "Directory of the workload identity." })),
    clientId: Type.Optional(Type.String({ pattern: CLIENT, description: "Application of the workload identity." })),
    federatedTokenFile: Type.Optional(
      Type.String({
        pattern: "^[^\\x00-\\x1f\\x7f]+$",
        description: "File with the token that the platform gives this process. Set, any caller may use azure_auth_mode workload.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type Settings = Static<typeof Settings>;
