import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { AUTH } from "./auth.ts";
import { logins } from "./login.ts";
import { reader } from "./read.ts";

/** Secrets that tenants keep in HashiCorp Vault. */
export default definePlugin({
  kind: "secret",
  config: Type.Object(
    {
      kubernetesAddresses: Type.String({
        default: "",
        pattern: "^[ -~]*$",
        maxLength: 10_000,
        description:
          "Addresses of the Vaults that are told who this pod is, with commas between. A secret reference may sign in as its service account at no others.",
      }),
      kubernetesTokenFile: Type.String({
        default: "/var/run/secrets/kubernetes.io/serviceaccount/token",
        description: "File with the token of the pod's service account.",
      }),
    },
    { additionalProperties: false },
  ),
  needs: ["net:*"],
  setup: ({ fetch, now }, config) => ({
    provides: { manager: "hashicorp_vault", auth: AUTH, read: reader(fetch, logins({ fetch, now, ...config })) },
  }),
});
