import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { checks } from "./checks/index.ts";
import { Credentials } from "./credentials.ts";

/** Scans of prompts and answers by a security profile. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["net:service.api.aisecurity.paloaltonetworks.com", "credentials", "secret:PARTNER_K_API_KEY"],
  setup: (host) => ({ provides: { credentials: Credentials, checks: checks.map((check) => check(host)) } }),
});
