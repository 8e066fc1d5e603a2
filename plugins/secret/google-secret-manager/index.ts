import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { AUTH } from "./auth.ts";
import { reader } from "./read.ts";
import { tokens } from "./token.ts";

/** One word, or nothing. */
const text = (description: string) => Type.String({ default: "", pattern: "^[!-~]*$", maxLength: 2_048, description });
/** A path may have blanks in its names. */
const path = (description: string) => Type.String({ default: "", pattern: "^[^\\x00-\\x1f\\x7f]*$", maxLength: 4_096, description });

/** Secrets that tenants keep in Google Secret Manager. */
export default definePlugin({
  kind: "secret",
  config: Type.Object(
    {
      wifAudience: text("Provider of the workload identity pool that knows the gateway: `//iam.googleapis.com/projects/…/providers/…`."),
      wifServiceAccountEmail: text("Service account that the gateway's federated identity stands for; without one it asks as itself."),
      wifTokenFile: path("File with the token that the platform gives this process."),
      wifProjects: text(
        "Projects, by id or number with commas between, whose secrets references may read as the gateway's own identity. No others are asked.",
      ),
    },
    { additionalProperties: false },
  ),
  needs: [
    "net:secretmanager.googleapis.com",
    "net:*.rep.googleapis.com",
    "net:oauth2.googleapis.com",
    "net:sts.googleapis.com",
    "net:iamcredentials.googleapis.com",
  ],
  setup: ({ fetch, now }, config) => ({
    provides: {
      manager: "gcp_sm",
      auth: AUTH,
      read: reader(
        fetch,
        tokens({ send: fetch, now, config }),
        config.wifProjects.split(",").filter((project) => project !== ""),
      ),
    },
  }),
});
