import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { checks } from "./checks/index.ts";
import { Credentials } from "./credentials.ts";

/** A guardrail of the cloud, applied to each text; signed with an access key or an assumed role. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [
    "net:*",
    "credentials",
    "secret:PARTNER_F_ACCESS_KEY_ID",
    "secret:PARTNER_F_SECRET_ACCESS_KEY",
    "secret:PARTNER_F_SESSION_TOKEN",
    "secret:PARTNER_F_REGION",
    "secret:AWS_ASSUME_ROLE_ACCESS_KEY_ID",
    "secret:AWS_ASSUME_ROLE_SECRET_ACCESS_KEY",
  ],
  setup: (host) => ({ provides: { credentials: Credentials, checks: checks.map((check) => check(host)) } }),
});
