import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { checks } from "./checks/index.ts";
import { Credentials } from "./credentials.ts";

/** The policies of a project with the vendor. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["net:*", "credentials", "secret:PARTNER_B_API_KEY"],
  setup: (host) => ({ provides: { credentials: Credentials, checks: checks.map((check) => check(host)) } }),
});
