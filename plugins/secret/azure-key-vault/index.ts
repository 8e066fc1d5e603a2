import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { AUTH } from "./auth.ts";
import { reader } from "./read.ts";
import { tokens } from "./token.ts";

const text = (description: string) => Type.String({ default: "", pattern: "^[ -~]*$", maxLength: 4_096, description });

/** Secrets that tenants keep in Azure Key Vault. */
export default definePlugin({
  kind: "secret",
  config: Type.Object(
    {
      tenantId: text("Entra tenant of the gateway's own identity."),
      clientId: text("Its client id."),
      federatedTokenFile: text("File with the token that its platform gives its pod."),
    },
    { additionalProperties: false },
  ),
  needs: ["net:*.vault.azure.net", "net:login.microsoftonline.com"],
  setup: ({ fetch, now }, config) => ({
    provides: { manager: "azure_kv", auth: AUTH, read: reader(fetch, tokens({ send: fetch, now, config })) },
  }),
});
